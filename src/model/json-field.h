/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Structs to JSON objects and back by tables of fields, and the few values that need more than a
 * row: integers that a double cannot hold, histograms, settings, absence.
 *
 * cJSON keeps numbers as doubles, so integers beyond 2^53 travel as strings.
 */

#include <cjson/cJSON.h>

#include "../base/err.h"
#include "../base/status.h"
#include "setting.h"

enum sc_json_kind {
	SC_JSON_U64,
	SC_JSON_U32,
	SC_JSON_I64,
	SC_JSON_BOOL,
	SC_JSON_TEXT, /* char *, owned; NULL is written as null; U+FFFD for what is no UTF-8 */
	SC_JSON_PATH, /* the same, byte for byte: between processes, never in a file */
};

struct sc_json_field {
	const char *key;
	enum sc_json_kind kind;
	size_t offset; /* in the struct */
};

static inline void sc_json_freep(cJSON **json)
{
	cJSON_Delete(*json);
	*json = NULL;
}

/* Where a reader is: the subject of its error messages. */
struct sc_json_place {
	const char *subject; /* "sample", "sample specification": what the text is */
	const char *path;    /* "split", "" at the top */
};

/*
 * Writers add to an object and say whether there was memory. A NULL object passes through as
 * false, so that a chain of them is checked once, at its end.
 */
bool sc_json_put_u64(cJSON *object, const char *key, uint64_t value);
bool sc_json_put_i64(cJSON *object, const char *key, int64_t value);
bool sc_json_put_text(cJSON *object, const char *key, const char *text); /* NULL: null */
/** sc_json_new_text() - of bytes from anywhere, as all texts of a file are made: U+FFFD for what is
 * no UTF-8. NULL: no memory */
cJSON *sc_json_new_text(const char *text);
bool sc_json_put_fields(cJSON *object, const struct sc_json_field *fields, size_t count,
			const void *from);
/** sc_json_put_absent() - {"status": …, "reason": …} in the place of a value. */
bool sc_json_put_absent(cJSON *object, const char *key, enum sc_status status, const char *reason);
/** sc_json_put_buckets() - [[index, count], …] of the buckets in use. */
bool sc_json_put_buckets(cJSON *object, const char *key, const uint32_t *buckets);
bool sc_json_put_setting(cJSON *object, const char *key, const struct sc_setting *setting);

/*
 * Readers return 0; SC_E_FORMAT with "sample: split.wall: must be …"; or -ENOMEM.
 * A key that is missing is an error; unknown keys are left alone.
 */
int sc_json_u64_value(const cJSON *item, uint64_t *ret_value); /* 0, or 1: not such an integer */
int sc_json_i64_value(const cJSON *item, int64_t *ret_value);  /* the same */
int sc_json_fail(struct sc_json_place place, const char *key, const char *must,
		 struct sc_error *error);
int sc_json_get_object(const cJSON *object, const char *key, struct sc_json_place place,
		       const cJSON **ret_child, struct sc_error *error);
int sc_json_get_fields(const cJSON *object, const struct sc_json_field *fields, size_t count,
		       void *into, struct sc_json_place place, struct sc_error *error);
/** sc_json_is_absent() - whether @item is {"status": …}; reads the status and the reason. */
bool sc_json_is_absent(const cJSON *item, enum sc_status *ret_status, char *reason,
		       size_t reason_bytes);
int sc_json_get_buckets(const cJSON *object, const char *key, struct sc_json_place place,
			uint32_t **ret_buckets, struct sc_error *error);
int sc_json_get_setting(const cJSON *object, const char *key, struct sc_json_place place,
			struct sc_setting *ret_setting, struct sc_error *error);
