/* SPDX-License-Identifier: MIT */
#pragma once

/* A value, and its way into SQL: bound to a parameter, or substituted as a name. */

#include <stdint.h>

#include "suite.h"

enum sc_value_kind {
	SC_VALUE_INTEGER,
	SC_VALUE_REAL,
	SC_VALUE_TEXT,
	SC_VALUE_BLOB,
	SC_VALUE_NAME, /* integer: the number after the generator's prefix */
};

struct sc_value {
	union {
		int64_t integer;
		double real;
		const char *bytes; /* borrowed; not terminated */
	};
	uint32_t byte_count; /* of texts and blobs */
	uint8_t kind;        /* enum sc_value_kind */
};

struct sqlite3_stmt;
/** sc_value_bind() - to parameter @at; the bytes stay borrowed. Return: SQLite's result. */
int sc_value_bind(struct sqlite3_stmt *statement, int at, const struct sc_value *value);

/** sc_value_payload() - bytes of user data: 8 for a number, the size of a text or blob. */
uint64_t sc_value_payload(const struct sc_value *value);

/**
 * sc_sql_expand() - @sql with each {name} of a parameter that is a name replaced by its
 * identifier, quoted
 * @values: of the parameters
 *
 * Braces around anything else stay. Return: the text, owned by the caller, or NULL: no memory.
 */
char *sc_sql_expand(const char *sql, const struct sc_parameter *parameters, size_t parameter_count,
		    const struct sc_value *values);

/**
 * sc_sql_repeat() - an INSERT of one row as one of @rows rows
 *
 * What stands in the parentheses behind VALUES is repeated, and :name in it becomes a parameter of
 * its own for each row; see sc_sql_repeat_name().
 *
 * Return: 0 with *ret_sql, owned by the caller; 1: @sql has no VALUES(...); -ENOMEM.
 */
int sc_sql_repeat(const char *sql, uint32_t rows, char **ret_sql);

/** sc_sql_repeat_name() - what parameter @name of row @row, from 0, is called there */
#define SC_SQL_REPEAT_NAME_BYTES 96u
void sc_sql_repeat_name(const char *name, uint32_t row, char text[SC_SQL_REPEAT_NAME_BYTES]);
