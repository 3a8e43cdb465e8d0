/* SPDX-License-Identifier: MIT */
#include "utf8.h"

/*
 * A lead byte says how many continuation bytes follow. A NUL is none, so that nothing beyond the
 * end of a text is read.
 */

#include <stdlib.h>
#include <string.h>

size_t sc_utf8_decode(const char *text, uint32_t *ret_character)
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

bool sc_utf8_is_valid(const char *text)
{
	uint32_t character;

	while (*text) {
		size_t bytes = sc_utf8_decode(text, &character);

		if (bytes == 0)
			return false;
		text += bytes;
	}
	return true;
}

char *sc_utf8_repair(const char *text)
{
	static const char replacement[] = SC_UTF8_REPLACEMENT;
	char *copy = malloc(strlen(text) * strlen(replacement) + 1);
	char *to = copy;
	uint32_t character;

	if (!copy)
		return NULL;
	while (*text) {
		size_t bytes = sc_utf8_decode(text, &character);

		memcpy(to, bytes ? text : replacement, bytes ? bytes : strlen(replacement));
		to += bytes ? bytes : strlen(replacement);
		text += bytes ? bytes : 1;
	}
	*to = '\0';
	return copy;
}
