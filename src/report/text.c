/* SPDX-License-Identifier: MIT */

/*
 * Each character of UTF-8 counts as one column; the writers print none that is wide or has no
 * width.
 */

#include "text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../base/utf8.h"

size_t sc_text_columns(const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

/* How ASCII writes what our own sentences use of other characters. */
static const char *spell(uint32_t character)
{
	switch (character) {
	case 0xb1: /* ± */
		return "+-";
	case 0xb5: /* µ */
		return "u";
	case 0xb7: /* · */
		return "-";
	case 0xd7: /* × */
		return "x";
	case 0x2013: /* – */
		return "-";
	case 0x2026: /* … */
		return "...";
	default:
		return "?";
	}
}

static bool is_control(uint32_t character)
{
	return character < 0x20 || (character >= 0x7f && character < 0xa0) ||
	       (character >= 0x200b && character <= 0x200f) || /* no width, direction marks */
	       (character >= 0x2028 && character <= 0x202e) ||
	       (character >= 0x2060 && character <= 0x206f) || character == 0xfeff;
}

/* One character, or one byte that is not part of any. Return: how many bytes it took. */
static size_t add_clean_character(struct sc_buffer *buffer, const char *text, bool utf8)
{
	uint32_t character = 0;
	size_t length = sc_utf8_decode(text, &character);

	if (length == 0 || is_control(character))
		sc_buffer_add_text(buffer, "?");
	else if (character < 0x80 || utf8)
		sc_buffer_add(buffer, text, length);
	else
		sc_buffer_add_text(buffer, spell(character));
	return length ? length : 1;
}

void sc_text_add_clean(struct sc_buffer *buffer, const char *text, bool utf8)
{
	while (*text)
		text += add_clean_character(buffer, text, utf8);
}

void sc_text_add_lines(struct sc_buffer *buffer, const char *text, const char *indent, bool utf8)
{
	while (*text) {
		sc_buffer_add_text(buffer, indent);
		while (*text && *text != '\n')
			text += add_clean_character(buffer, text, utf8);
		text += *text == '\n';
		sc_buffer_add_text(buffer, "\n");
	}
}

static void add_spaces(struct sc_buffer *buffer, size_t count)
{
	while (count-- > 0)
		sc_buffer_add_text(buffer, " ");
}

void sc_text_add_padded(struct sc_buffer *buffer, const char *text, size_t columns, bool right,
			bool utf8)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer clean = {0};
	const char *ready;
	size_t width;

	sc_text_add_clean(&clean, text, utf8);
	ready = clean.text ? clean.text : "";
	width = sc_text_columns(ready);
	if (right && width < columns)
		add_spaces(buffer, columns - width);
	sc_buffer_add_text(buffer, ready);
	if (!right && width < columns)
		add_spaces(buffer, columns - width);
	if (clean.code < 0 && buffer->code == 0)
		buffer->code = clean.code;
}

void sc_text_wrap(FILE *out, const char *text, size_t used, size_t indent, size_t columns)
{
	bool at_start = true;

	while (*text) {
		size_t length = strcspn(text, " ");
		size_t width = 0;

		for (size_t i = 0; i < length; i++)
			width += ((unsigned char)text[i] & 0xc0) != 0x80;
		if (!at_start && used + 1 + width > columns) {
			fprintf(out, "\n%*s", (int)indent, "");
			used = indent;
			at_start = true;
		}
		fprintf(out, "%s%.*s", at_start ? "" : " ", (int)length, text);
		used += width + !at_start;
		at_start = false;
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

static void put_csv_character(FILE *out, const char *text, size_t bytes)
{
	if (*text == '"')
		fputc('"', out);
	if (bytes == 0)
		fputs(SC_UTF8_REPLACEMENT, out);
	else
		fprintf(out, "%.*s", (int)bytes, text);
}

void sc_text_put_csv(FILE *out, const char *text)
{
	bool is_quoted = text && text[strcspn(text, ",\"\r\n")];
	uint32_t character;

	if (!text)
		return;
	if (is_quoted)
		fputc('"', out);
	while (*text) {
		size_t bytes = sc_utf8_decode(text, &character);

		put_csv_character(out, text, bytes);
		text += bytes ? bytes : 1;
	}
	if (is_quoted)
		fputc('"', out);
}

void sc_text_add_markdown(struct sc_buffer *buffer, const char *text)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer clean = {0};

	sc_text_add_clean(&clean, text, true);
	for (const char *c = clean.text ? clean.text : ""; *c; c++) {
		if (strchr("\\`*|<>[]", *c))
			sc_buffer_add_text(buffer, "\\");
		sc_buffer_add(buffer, c, 1);
	}
	if (clean.code < 0 && buffer->code == 0)
		buffer->code = clean.code;
}
