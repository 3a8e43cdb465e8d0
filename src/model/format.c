/* SPDX-License-Identifier: MIT */

/*
 * A scale is a list of units, each a multiple of the one before. The unit is the first in which
 * the value, rounded to what will be printed, stays below the next one: 999.6 us is 1.00 ms.
 */

#include "format.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
	const char *name;
	double of_next; /* how many make one of the next unit; 0 for the last */
};

/* A quotient of two figures can be what no unit is for. */
static const char *no_figure(char *text, size_t text_bytes)
{
	(void)snprintf(text, text_bytes, "unknown");
	return text;
}

/* Three significant digits, at most two decimals. */
static int decimals_of(double value)
{
	double size = fabs(value);

	if (size < 9.995)
		return 2;
	return size < 99.95 ? 1 : 0;
}

static double rounded(double value, int decimals)
{
	double scale = pow(10, decimals);

	return round(value * scale) / scale;
}

static const struct unit *pick_unit(double *value, const struct unit *unit)
{
	while (unit->of_next > 0 && fabs(rounded(*value, decimals_of(*value))) >= unit->of_next) {
		*value /= unit->of_next;
		unit++;
	}
	return unit;
}

/* What has more digits than a reader counts is no figure of a measurement, but fits. */
static const char *print(double value, int decimals, const char *unit, char *text,
			 size_t text_bytes)
{
	(void)snprintf(text, text_bytes, fabs(value) < 1e12 ? "%.*f%s" : "%.*e%s", decimals, value,
		       unit);
	return text;
}

/* A whole number without decimals where the unit is the smallest. */
static int is_whole(double value)
{
	return fabs(value - round(value)) < 1e-9;
}

const char *sc_format_ns(double ns, char *text, size_t text_bytes)
{
	static const struct unit units[] = {{" ns", 1000}, {" µs", 1000}, {" ms", 1000}, {" s", 0}};
	const struct unit *unit;

	if (!isfinite(ns))
		return no_figure(text, text_bytes);
	unit = pick_unit(&ns, units);
	return print(ns, unit == units ? 0 : decimals_of(ns), unit->name, text, text_bytes);
}

const char *sc_format_size(double bytes, char *text, size_t text_bytes)
{
	static const struct unit units[] = {
		{" B", 1024}, {" KiB", 1024}, {" MiB", 1024}, {" GiB", 1024}, {" TiB", 0}};
	const struct unit *unit;

	if (!isfinite(bytes))
		return no_figure(text, text_bytes);
	unit = pick_unit(&bytes, units);
	return print(bytes, unit == units ? 0 : 1, unit->name, text, text_bytes);
}

static const char *format_thousands(double value, char *text, size_t text_bytes)
{
	static const struct unit units[] = {{"", 1000}, {"k", 1000}, {"M", 1000}, {"G", 0}};
	const struct unit *unit;

	if (!isfinite(value))
		return no_figure(text, text_bytes);
	unit = pick_unit(&value, units);
	return print(value, unit == units && is_whole(value) ? 0 : decimals_of(value), unit->name,
		     text, text_bytes);
}

const char *sc_format_rate(double per_second, char *text, size_t text_bytes)
{
	return format_thousands(per_second, text, text_bytes);
}

const char *sc_format_count(double count, char *text, size_t text_bytes)
{
	return format_thousands(count, text, text_bytes);
}

const char *sc_format_percent(double share, char *text, size_t text_bytes)
{
	double percent = 100 * share;

	if (!isfinite(percent))
		return no_figure(text, text_bytes);
	return print(percent, fabs(percent) >= 9.95 || is_whole(percent) ? 0 : 1, " %", text,
		     text_bytes);
}

const char *sc_format_number(double value, char *text, size_t text_bytes)
{
	const char *point = localeconv()->decimal_point;
	char *found;

	if (!isfinite(value)) {
		text[0] = '\0';
		return text;
	}
	for (int digits = 15; digits <= 17; digits++) {
		(void)snprintf(text, text_bytes, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	found = strcmp(point, ".") == 0 ? NULL : strstr(text, point);
	if (found) {
		*found = '.';
		memmove(found + 1, found + strlen(point), strlen(found + strlen(point)) + 1);
	}
	return text;
}
