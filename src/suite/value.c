/* SPDX-License-Identifier: MIT */

/*
 * A name is a prefix of letters, digits and _ with a number behind it, between double quotes:
 * nothing in it needs doubling.
 */

#include "value.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "generator.h"

int sc_value_bind(sqlite3_stmt *statement, int at, const struct sc_value *value)
{
	switch ((enum sc_value_kind)value->kind) {
	case SC_VALUE_INTEGER:
		return sqlite3_bind_int64(statement, at, value->integer);
	case SC_VALUE_REAL:
		return sqlite3_bind_double(statement, at, value->real);
	case SC_VALUE_TEXT:
		return sqlite3_bind_text(statement, at, value->bytes, (int)value->byte_count,
					 SQLITE_STATIC);
	case SC_VALUE_BLOB:
		return sqlite3_bind_blob(statement, at, value->bytes, (int)value->byte_count,
					 SQLITE_STATIC);
	case SC_VALUE_NAME:
		break;
	}
	return SQLITE_OK;
}

uint64_t sc_value_payload(const struct sc_value *value)
{
	switch ((enum sc_value_kind)value->kind) {
	case SC_VALUE_INTEGER:
	case SC_VALUE_REAL:
		return 8;
	case SC_VALUE_TEXT:
	case SC_VALUE_BLOB:
		return value->byte_count;
	case SC_VALUE_NAME:
		break;
	}
	return 0;
}

/* Length of "{name}" at @at where name is parameter @parameter and a name; 0 where it is not. */
static size_t match_name(const char *at, const struct sc_parameter *parameter)
{
	size_t length = strlen(parameter->name);

	if (parameter->generator->kind != SC_GENERATOR_NAME || at[0] != '{' ||
	    strncmp(at + 1, parameter->name, length) != 0 || at[length + 1] != '}')
		return 0;
	return length + 2;
}

char *sc_sql_expand(const char *sql, const struct sc_parameter *parameters, size_t parameter_count,
		    const struct sc_value *values)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	while (*sql) {
		size_t length = 0;

		for (size_t i = 0; i < parameter_count && length == 0; i++) {
			length = match_name(sql, &parameters[i]);
			if (length > 0)
				(void)fprintf(out, "\"%s%" PRId64 "\"",
					      parameters[i].generator->prefix, values[i].integer);
		}
		if (length == 0)
			(void)fputc(*sql, out);
		sql += length > 0 ? length : 1;
	}
	if (fclose(out) != 0) { /* only memory can fail here, and that is told by the flush */
		free(text);
		return NULL;
	}
	return text;
}
