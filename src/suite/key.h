/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Reading JSON objects by tables of keys. Messages name the path of the key:
 * "suite 'x.json': workloads[2].parameters.id.min: must be an integer, is a string".
 */

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/err.h"

enum sc_key_kind {
	SC_KEY_U64,
	SC_KEY_U32,
	SC_KEY_I64,
	SC_KEY_REAL,
	SC_KEY_BOOL,
	SC_KEY_TEXT,   /* char *, owned */
	SC_KEY_NAME,   /* char *, owned: letters, digits and _, at most 63, no digit first */
	SC_KEY_CHOICE, /* int, an index of the names at `choices` */
	SC_KEY_OBJECT, /* by `read` */
};

struct sc_key_reader {
	const char *origin; /* subject of messages: "suite 'x.json'" */
	char path[256];
	struct sc_error *error;
};

struct sc_key {
	const char *key;
	enum sc_key_kind kind;
	size_t offset; /* of the field in the struct that is read */
	bool required;
	int64_t min, max;           /* of numbers, inclusive */
	const char *const *choices; /* NULL at the end */
	int (*read)(struct sc_key_reader *reader, const cJSON *item, void *object);
};

/**
 * sc_keys_read() - read @object into @into
 * @keys: at most 64
 * @ret_seen: bit i is set where keys[i] was given; may be NULL
 *
 * Keys that are not in the table, given twice or required and missing are errors. A key that is
 * not given leaves its field alone. Texts in fields are replaced and freed.
 */
int sc_keys_read(struct sc_key_reader *reader, const cJSON *object, const struct sc_key *keys,
		 size_t key_count, void *into, uint64_t *ret_seen);

/** sc_key_text() - a text of @min to @max bytes, as an owned copy. */
int sc_key_text(struct sc_key_reader *reader, const cJSON *item, size_t min, size_t max,
		char **ret_text);

/** sc_key_value() - one value as @key says, into the field of @into. */
int sc_key_value(struct sc_key_reader *reader, const cJSON *item, const struct sc_key *key,
		 void *into);

/** sc_key_name() - an owned copy of @text, which must be a name. */
int sc_key_name(struct sc_key_reader *reader, const char *text, char **ret_name);

/** sc_key_texts() - an array of @min to @max texts, not empty ones. */
int sc_key_texts(struct sc_key_reader *reader, const cJSON *item, size_t min, size_t max,
		 char ***ret_texts, size_t *ret_count);

/** sc_key_array() - whether @item is an array of @min to @max entries, as an error. */
int sc_key_array(struct sc_key_reader *reader, const cJSON *item, size_t min, size_t max,
		 size_t *ret_count);

/** sc_key_enter() - go down: "key" or "[3]"; returns what sc_key_leave() takes back. */
size_t sc_key_enter(struct sc_key_reader *reader, const char *key);
size_t sc_key_enter_index(struct sc_key_reader *reader, size_t index);
void sc_key_leave(struct sc_key_reader *reader, size_t length);

/** sc_key_fail() - SC_E_FORMAT at the reader's path. */
int sc_key_fail(struct sc_key_reader *reader, const char *format, ...) SC_PRINTF(2, 3);
int sc_key_memory(struct sc_key_reader *reader);

/** sc_key_type() - "an integer", "a string" …: what a value is, for messages. */
const char *sc_key_type(const cJSON *item);
