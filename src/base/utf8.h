/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * UTF-8 by hand, since the locale of the process may be any. File names, command lines and what the
 * kernel says are bytes; JSON and CSV are text.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SC_UTF8_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/**
 * sc_utf8_decode() - the first character of @text
 * @ret_character: set unless 0 is returned
 *
 * Overlong forms, surrogates and what is beyond U+10FFFF are no characters.
 * Return: its bytes, 1 for the NUL at the end; 0 where @text does not begin with a character.
 */
size_t sc_utf8_decode(const char *text, uint32_t *ret_character);

/** sc_utf8_is_valid() - whether all of @text is UTF-8 */
bool sc_utf8_is_valid(const char *text);

/** sc_utf8_repair() - a copy with U+FFFD for each byte that is part of no character; NULL: no
 * memory; the caller frees it */
char *sc_utf8_repair(const char *text);
