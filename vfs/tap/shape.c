/* SPDX-License-Identifier: MIT */
#include "shape.h"

#include <stdbool.h>
#include <string.h>

#define CUT     "\xe2\x80\xa6" /* … */
#define IN_LIST 3              /* literals of a list that are shown */

struct writer {
	char *text;
	size_t length, room; /* room without what marks a cut */
	bool is_full;
	bool wants_space;    /* before the next word */
	unsigned int in_row; /* literals so far, with nothing but commas between */
	bool is_elided;      /* the last ones are not shown */
};

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '$' || (unsigned char)c >= 0x80;
}

static void add(struct writer *out, const char *bytes, size_t count)
{
	if (out->is_full)
		return;
	if (out->length + count > out->room) {
		count = out->room - out->length;
		while (count > 0 && ((unsigned char)bytes[count] & 0xc0) == 0x80)
			count--;
		out->is_full = true;
	}
	memcpy(out->text + out->length, bytes, count);
	out->length += count;
	if (out->is_full) {
		memcpy(out->text + out->length, CUT, strlen(CUT));
		out->length += strlen(CUT);
	}
}

static void add_word(struct writer *out, const char *bytes, size_t count)
{
	if (out->wants_space && out->length > 0)
		add(out, " ", 1);
	out->wants_space = false;
	out->is_elided = false;
	add(out, bytes, count);
}

static void add_literal(struct writer *out)
{
	out->in_row++;
	if (out->in_row <= IN_LIST) {
		add_word(out, "?", 1);
		return;
	}
	if (out->in_row == IN_LIST + 1)
		add_word(out, CUT, strlen(CUT));
	out->wants_space = false;
	out->is_elided = true;
}

/* Length of what @quote closes, both quotes included; a doubled one does not close. */
static size_t quoted(const char *sql, char quote)
{
	size_t at = 1;

	while (sql[at] && (sql[at] != quote || (quote != ']' && sql[at + 1] == quote)))
		at += sql[at] == quote ? 2 : 1;
	return sql[at] ? at + 1 : at;
}

static size_t comment(const char *sql)
{
	const char *end;

	if (sql[0] == '-' && sql[1] == '-') {
		end = strchr(sql, '\n');
		return end ? (size_t)(end - sql) : strlen(sql);
	}
	if (sql[0] == '/' && sql[1] == '*') {
		end = strstr(sql + 2, "*/");
		return end ? (size_t)(end - sql) + 2 : strlen(sql);
	}
	return 0;
}

static size_t number(const char *sql)
{
	size_t at = 0;

	while (is_word(sql[at]) || sql[at] == '.' ||
	       ((sql[at] == '+' || sql[at] == '-') && at > 0 &&
		(sql[at - 1] == 'e' || sql[at - 1] == 'E') && sql[1] != 'x' && sql[1] != 'X'))
		at++;
	return at;
}

static size_t word(const char *sql)
{
	size_t at = 0;

	while (is_word(sql[at]))
		at++;
	return at;
}

/* A parameter: "?", "?12", ":name", "@name", "$name". */
static size_t parameter(const char *sql)
{
	return (sql[0] == '?' || sql[0] == ':' || sql[0] == '@') ? 1 + word(sql + 1) : 0;
}

/* Adds what stands at @sql, and returns how long it is. */
static size_t add_token(struct writer *out, const char *sql, bool has_literals)
{
	bool is_blob = (sql[0] == 'x' || sql[0] == 'X') && sql[1] == '\'';
	bool is_number = is_digit(sql[0]) || (sql[0] == '.' && is_digit(sql[1]));
	size_t length = 1;

	if (sql[0] == '\'' || is_blob || is_number) {
		length = is_number ? number(sql) : is_blob + quoted(sql + is_blob, '\'');
		if (has_literals)
			add_word(out, sql, length);
		else
			add_literal(out);
		return length;
	}
	if (sql[0] == ',') { /* stays part of a row of literals */
		out->wants_space = false;
		if (!out->is_elided && out->in_row < IN_LIST + 1)
			add_word(out, ",", 1);
		return 1;
	}
	out->in_row = 0;
	if (sql[0] == '"' || sql[0] == '`')
		length = quoted(sql, sql[0]);
	else if (sql[0] == '[')
		length = quoted(sql, ']');
	else if (is_word(sql[0]))
		length = word(sql);
	else if (parameter(sql))
		length = parameter(sql);
	add_word(out, sql, length);
	return length;
}

static size_t write_shape(const char *sql, bool has_literals, char *ret_text, size_t room)
{
	struct writer out = {.text = ret_text, .room = room - strlen(CUT) - 1};

	while (*sql && !out.is_full) {
		size_t skipped = is_space(*sql) ? 1 : comment(sql);

		if (skipped > 0) {
			out.wants_space = true;
			sql += skipped;
		} else if (*sql == ';') {
			size_t rest = 1;

			while (is_space(sql[rest]) || sql[rest] == ';')
				rest++;
			if (!sql[rest])
				break; /* the end */
			add_word(&out, ";", 1);
			sql++;
		} else {
			sql += add_token(&out, sql, has_literals);
		}
	}
	ret_text[out.length] = '\0';
	return out.length;
}

size_t sc_tap_shape(const char *sql, char *ret_text, size_t room)
{
	return write_shape(sql, false, ret_text, room);
}

size_t sc_tap_shape_full(const char *sql, char *ret_text, size_t room)
{
	return write_shape(sql, true, ret_text, room);
}
