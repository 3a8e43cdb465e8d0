/* SPDX-License-Identifier: MIT */
#include "scan.h"

/* Blanks are space, tab and line feed. No signs, no bases, no locale. */

#include <string.h>

#define BLANKS " \t\n"

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, BLANKS);
}

bool sc_scan_u64(const char **at, uint64_t *ret_value)
{
	const char *digit = skip_blanks(*at);
	uint64_t value = 0;

	if (*digit < '0' || *digit > '9')
		return false;
	for (; *digit >= '0' && *digit <= '9'; digit++) {
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*digit - '0'), &value))
			return false;
	}
	*at = digit;
	*ret_value = value;
	return true;
}

bool sc_scan_word(const char **at, char *word, size_t bytes)
{
	const char *start = skip_blanks(*at);
	size_t length = strcspn(start, BLANKS);

	if (length == 0 || length >= bytes)
		return false;
	memcpy(word, start, length);
	word[length] = '\0';
	*at = start + length;
	return true;
}

bool sc_scan_skip(const char **at, unsigned count)
{
	const char *word = *at;

	for (unsigned i = 0; i < count; i++) {
		size_t length;

		word = skip_blanks(word);
		length = strcspn(word, BLANKS);
		if (length == 0)
			return false;
		word += length;
	}
	*at = word;
	return true;
}

bool sc_scan_text(const char **at, const char *text)
{
	size_t length = strlen(text);

	if (strncmp(*at, text, length) != 0)
		return false;
	*at += length;
	return true;
}
