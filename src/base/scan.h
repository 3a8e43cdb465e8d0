/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Reading text that the kernel or we wrote: numbers and words between blanks.
 *
 * *@at is where to read; it moves behind what was read, and stays where nothing was.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** sc_scan_u64() - blanks, then decimal digits. Return: false if there are none, or too many. */
bool sc_scan_u64(const char **at, uint64_t *ret_value);

/** sc_scan_word() - blanks, then all up to the next blank; at least 1 and less than @bytes. */
bool sc_scan_word(const char **at, char *word, size_t bytes);

/** sc_scan_skip() - blanks, then a word, @count times. */
bool sc_scan_skip(const char **at, unsigned count);

/** sc_scan_text() - just @text, blanks included. */
bool sc_scan_text(const char **at, const char *text);
