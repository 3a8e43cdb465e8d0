/* SPDX-License-Identifier: MIT */

/*
 * UTF-8 is decoded by hand, since the locale of the process may be any: a lead byte says how many
 * continuation bytes follow; anything else, overlong forms and surrogates are not text. Each
 * character counts as one column; the writers print none that is wide or has no width.
 */

#include "text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Decodes one character. Return: its bytes; 0 where @text does not begin with one. */
static size_t decode(const char *text, uint32_t *ret_character)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t smallest;
	} forms[] = {
		{0x80, 0x00, 0},
		{0xe0, 0xc0, 0x80},
		{0xf0, 0xe0, 0x800},
		{0xf8, 0xf0, 0x10000},
	};
	const unsigned char *bytes = (const unsigned char *)text;

	for (size_t length = 1; length <= 4; length++) {
		uint32_t c;

		if ((bytes[0] & forms[length - 1].mask) != forms[length - 1].lead)
			continue;
		c = bytes[0] & (unsigned char)~forms[length - 1].mask;
		for (size_t i = 1; i < length; i++) {
			if ((bytes[i] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (bytes[i] & 0x3f);
		}
		if (c < forms[length - 1].smallest || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
			return 0;
		*ret_character = c;
		return length;
	}
	return 0;
}

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
	size_t length = decode(text, &character);

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

void sc_text_put_csv(FILE *out, const char *text)
{
	if (!text)
		return;
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
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
