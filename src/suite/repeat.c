/* SPDX-License-Identifier: MIT */

/*
 * INSERTs of many rows. The text is cut at the group behind VALUES; strings and quoted names are
 * stepped over, so that a parenthesis, a colon or the word VALUES in one of them means nothing. A
 * parameter of row n is called $name::n, which is a name to SQLite and cannot be one of a suite.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "value.h"

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* Bytes of what is quoted at @at; 0: nothing is. A quote in it is doubled, so that two pass. */
static size_t quoted(const char *at)
{
	const char *end = *at == '\'' || *at == '"' || *at == '`' ? strchr(at + 1, *at) : NULL;

	return end ? (size_t)(end - at) + 1 : 0;
}

/* Just behind the word VALUES; NULL: it is not there. */
static const char *behind_values(const char *sql)
{
	static const char word[] = "values";
	char before = ' ';

	for (const char *at = sql; *at; before = *at++) {
		size_t length = quoted(at);

		if (length > 0)
			at += length - 1;
		else if (!is_word(before) && strncasecmp(at, word, strlen(word)) == 0 &&
			 !is_word(at[strlen(word)]))
			return at + strlen(word);
	}
	return NULL;
}

/* Just behind the parenthesis that closes the one at @at; NULL: it is not closed. */
static const char *behind_group(const char *at)
{
	int depth = 0;

	for (; *at; at++) {
		size_t length = quoted(at);

		if (length > 0)
			at += length - 1;
		depth += *at == '(';
		depth -= *at == ')';
		if (depth == 0)
			return at + 1;
	}
	return NULL;
}

void sc_sql_repeat_name(const char *name, uint32_t row, char text[SC_SQL_REPEAT_NAME_BYTES])
{
	(void)snprintf(text, SC_SQL_REPEAT_NAME_BYTES, "$%s::%" PRIu32, name, row);
}

/* The parameter at @at, behind its colon, as that of @row. Return: its end. */
static const char *put_parameter(FILE *out, const char *at, uint32_t row)
{
	char name[SC_SQL_REPEAT_NAME_BYTES], word[64];
	size_t length = 0;

	for (; is_word(*at) && length < sizeof word - 1; at++)
		word[length++] = *at;
	word[length] = '\0';
	sc_sql_repeat_name(word, row, name);
	(void)fputs(name, out);
	return at;
}

static void put_group(FILE *out, const char *at, const char *end, uint32_t row)
{
	while (at < end) {
		size_t length = quoted(at);

		if (length == 0 && *at == ':' && is_word(at[1])) {
			at = put_parameter(out, at + 1, row);
			continue;
		}
		length = length > 0 ? length : 1;
		(void)fwrite(at, 1, length, out);
		at += length;
	}
}

int sc_sql_repeat(const char *sql, uint32_t rows, char **ret_sql)
{
	const char *group = behind_values(sql), *end;
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	if (!group)
		return 1;
	group += strspn(group, " \t\r\n");
	end = *group == '(' ? behind_group(group) : NULL;
	if (!end)
		return 1;
	out = open_memstream(&text, &size);
	if (!out)
		return -ENOMEM;
	(void)fwrite(sql, 1, (size_t)(group - sql), out);
	for (uint32_t i = 0; i < rows; i++) {
		(void)fputs(i > 0 ? "," : "", out);
		put_group(out, group, end, i);
	}
	(void)fputs(end, out);
	if (fclose(out) != 0) { /* only memory can fail here, and that is told by the flush */
		free(text);
		return -ENOMEM;
	}
	*ret_sql = text;
	return 0;
}
