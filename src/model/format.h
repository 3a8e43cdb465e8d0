/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Figures for people: the one place that turns nanoseconds, bytes and counts into human units.
 * All write at most @text_bytes with the NUL and return @text. Three significant digits; a value
 * that rounds to the next unit is printed in it; what is not finite is "unknown". UTF-8: µs.
 */

#include <stddef.h>

#define SC_FORMAT_BYTES 32u /* enough for any of them */

const char *sc_format_ns(double ns, char *text, size_t text_bytes);      /* "850 ns", "1.23 ms" */
const char *sc_format_size(double bytes, char *text, size_t text_bytes); /* "512 B", "4.0 KiB" */
const char *sc_format_rate(double per_second, char *text, size_t text_bytes); /* "11.2k" */
const char *sc_format_count(double count, char *text, size_t text_bytes); /* "4", "3.08", "1.20M" */
const char *sc_format_percent(double share, char *text, size_t text_bytes); /* "87 %", "0.4 %" */

/** sc_format_number() - for programs: the shortest decimal that reads back as @value, with a point
 * whatever the locale; "" where @value is not finite */
const char *sc_format_number(double value, char *text, size_t text_bytes);
