/* SPDX-License-Identifier: MIT */

/*
 * Values of options: text to number, by kind, with the range of the row.
 *
 * Sizes are powers of 1024 (K, M, G), counts powers of 1000, durations need a unit (ns, us, ms, s,
 * m, h). Percentages may have up to four decimals, so that they are whole parts of a million. A
 * list is comma separated; a value that stands in it twice is an error, since a cell would run
 * twice under one name.
 */

#include "option.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "suggest.h"

#define PARTS_PER_PERCENT 10000 /* of a million */

struct suffix {
	const char *text;
	int64_t factor;
};

static const struct suffix no_suffix[] = {{"", 1}, {NULL, 0}};
static const struct suffix count_suffixes[] = {
	{"", 1},        {"K", 1000},       {"k", 1000},       {"M", 1000000},
	{"m", 1000000}, {"G", 1000000000}, {"g", 1000000000}, {NULL, 0},
};
static const struct suffix size_suffixes[] = {
	{"", 1},        {"K", 1 << 10}, {"k", 1 << 10}, {"M", 1 << 20},
	{"m", 1 << 20}, {"G", 1 << 30}, {"g", 1 << 30}, {NULL, 0},
};
static const struct suffix duration_suffixes[] = {
	{"ns", 1},          {"us", 1000},         {"ms", 1000000}, {"s", 1000000000},
	{"m", 60000000000}, {"h", 3600000000000}, {NULL, 0},
};

static const struct suffix *suffixes_of(enum sc_option_kind kind)
{
	if (kind == SC_OPTION_SIZE || kind == SC_OPTION_POWER)
		return size_suffixes;
	if (kind == SC_OPTION_COUNT)
		return count_suffixes;
	return kind == SC_OPTION_DURATION ? duration_suffixes : no_suffix;
}

static const char *shape_of(enum sc_option_kind kind)
{
	if (kind == SC_OPTION_SIZE || kind == SC_OPTION_POWER)
		return "a size such as 4096 or 64K";
	if (kind == SC_OPTION_PAGES)
		return "a whole number: 2000 is 2000 pages, -2000 is 2000 KiB";
	return kind == SC_OPTION_DURATION ? "a duration such as 250ms or 10s"
					  : "a whole number such as 500 or 10K";
}

/* In the largest unit that the bound is a whole number of. */
static void bound_text(enum sc_option_kind kind, int64_t bound, char *text, size_t text_bytes)
{
	const struct suffix *best = &no_suffix[0];

	for (const struct suffix *s = duration_suffixes;
	     kind == SC_OPTION_DURATION && bound && s->text && bound % s->factor == 0; s++)
		best = s;
	(void)snprintf(text, text_bytes, "%" PRId64 "%s", bound / best->factor, best->text);
}

static int fail_range(const struct sc_option *option, enum sc_option_kind kind, const char *text,
		      struct sc_error *error)
{
	char low[32], high[32];

	bound_text(kind, option->low, low, sizeof(low));
	bound_text(kind, option->high, high, sizeof(high));
	return sc_fail(error, SC_E_USAGE, "--%s: '%s' is out of range (%s to %s)", option->name,
		       text, low, high);
}

static int parse_number(const struct sc_option *option, enum sc_option_kind kind, const char *text,
			int64_t *ret_value, struct sc_error *error)
{
	const struct suffix *suffix = suffixes_of(kind);
	char *end = NULL;
	intmax_t number;
	int64_t value = 0;
	bool too_large;

	errno = 0;
	number = strtoimax(text, &end, 10);
	too_large = errno == ERANGE;
	while (suffix->text && strcmp(suffix->text, end) != 0)
		suffix++;
	/* strtoimax skips white space, which nobody types on purpose */
	if (end == text || !suffix->text || strchr(" \t\n\v\f\r", text[0]))
		return sc_fail(error, SC_E_USAGE, "--%s: '%s' is not %s", option->name, text,
			       shape_of(kind));
	too_large = too_large || __builtin_mul_overflow((int64_t)number, suffix->factor, &value);
	if (too_large || value < option->low || value > option->high)
		return fail_range(option, kind, text, error);
	if (kind == SC_OPTION_POWER && (value & (value - 1)))
		return sc_fail(error, SC_E_USAGE, "--%s: '%s' is not a power of two", option->name,
			       text);
	*ret_value = value;
	return 0;
}

/* Digits, at most @digits_max of them, into *@value. Return: how many there are. */
static size_t add_digits(const char *text, size_t digits_max, int64_t *value)
{
	size_t count = strspn(text, "0123456789");

	for (size_t i = 0; i < count && count <= digits_max; i++)
		*value = *value * 10 + (text[i] - '0');
	return count;
}

/* A number of up to nine digits and @places decimals, in units of the last of them. Return: what
 * follows it, or NULL: it is none. */
static const char *read_decimal(const char *text, size_t places, int64_t *ret_value)
{
	int64_t value = 0;
	size_t whole = add_digits(text, 9, &value), decimals = 0;
	const char *at = text + whole;

	if (*at == '.') {
		decimals = add_digits(at + 1, places, &value);
		at += 1 + decimals;
	}
	if (whole == 0 || whole > 9 || decimals > places || at[-1] == '.')
		return NULL;
	for (; decimals < places; decimals++)
		value *= 10;
	*ret_value = value;
	return at;
}

static int parse_percent(const struct sc_option *option, const char *text, int64_t *ret_value,
			 struct sc_error *error)
{
	const char *rest;
	int64_t value;

	rest = read_decimal(text, 4, &value);
	if (!rest || (*rest && strcmp(rest, "%") != 0))
		return sc_fail(error, SC_E_USAGE,
			       "--%s: '%s' is not a percentage such as 5%% or "
			       "0.5%%",
			       option->name, text);
	if (value < option->low || value > option->high)
		return sc_fail(error, SC_E_USAGE, "--%s: '%s' is out of range (%g%% to %g%%)",
			       option->name, text, (double)option->low / PARTS_PER_PERCENT,
			       (double)option->high / PARTS_PER_PERCENT);
	*ret_value = value;
	return 0;
}

static int parse_factor(const struct sc_option *option, const char *text, int64_t *ret_value,
			struct sc_error *error)
{
	const char *rest;
	int64_t value;

	rest = read_decimal(text, 6, &value);
	if (!rest || *rest)
		return sc_fail(error, SC_E_USAGE, "--%s: '%s' is not a factor such as 0.01 or 2",
			       option->name, text);
	if (value < option->low || value > option->high)
		return sc_fail(error, SC_E_USAGE, "--%s: '%s' is out of range (%g to %g)",
			       option->name, text, (double)option->low / 1e6,
			       (double)option->high / 1e6);
	*ret_value = value;
	return 0;
}

static const char *choice_name(size_t index, const void *context)
{
	const struct sc_choices *choices = context;

	return choices->name((int)index);
}

static void list_choices(const struct sc_choices *choices, char *text, size_t text_bytes)
{
	const char *name;
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; (name = choices->name(i)) && used < text_bytes; i++)
		used += (size_t)snprintf(text + used, text_bytes - used, "%s%s", i ? ", " : "",
					 name);
}

static int parse_choice(const struct sc_option *option, const char *text, int64_t *ret_value,
			struct sc_error *error)
{
	const char *near;
	char names[160];
	int value;

	if (option->choices->parse(text, &value)) {
		*ret_value = value;
		return 0;
	}
	list_choices(option->choices, names, sizeof(names));
	(void)sc_fail(error, SC_E_USAGE, "--%s: '%s' is not one of %s", option->name, text, names);
	near = sc_suggest(text, choice_name, option->choices);
	if (near)
		(void)sc_hint(error, "did you mean '%s'?", near);
	return SC_E_USAGE;
}

static int parse_scalar(const struct sc_option *option, enum sc_option_kind kind, const char *text,
			int64_t *ret_value, struct sc_error *error)
{
	if (kind == SC_OPTION_PERCENT)
		return parse_percent(option, text, ret_value, error);
	if (kind == SC_OPTION_FACTOR)
		return parse_factor(option, text, ret_value, error);
	if (kind == SC_OPTION_ENUM)
		return parse_choice(option, text, ret_value, error);
	return parse_number(option, kind, text, ret_value, error);
}

static int append_number(struct sc_option_numbers *list, int64_t value, struct sc_error *error)
{
	int64_t *items = reallocarray(list->items, list->count + 1u, sizeof(*items));

	if (!items)
		return sc_fail(error, -ENOMEM, "reading a list");
	items[list->count++] = value;
	list->items = items;
	return 0;
}

static bool list_has(const struct sc_option_numbers *list, int64_t value)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i] == value)
			return true;
	return false;
}

static int parse_list(const struct sc_option *option, const char *text,
		      struct sc_option_numbers *list, struct sc_error *error)
{
	const char *at = text;

	for (;;) {
		size_t length = strcspn(at, ",");
		SC_CLEANUP(sc_freep) char *item = strndup(at, length);
		int64_t value;
		int r;

		if (!item)
			return sc_fail(error, -ENOMEM, "reading --%s", option->name);
		if (length == 0)
			return sc_fail(error, SC_E_USAGE, "--%s: an item of the list '%s' is empty",
				       option->name, text);
		r = parse_scalar(option, option->element, item, &value, error);
		if (r < 0)
			return r;
		if (list_has(list, value))
			return sc_fail(error, SC_E_USAGE, "--%s: '%s' stands in the list twice",
				       option->name, item);
		r = append_number(list, value, error);
		if (r < 0)
			return r;
		at += length;
		if (*at++ == '\0')
			return 0;
	}
}

static int store_list(const struct sc_option *option, const char *text, bool given, void *place,
		      struct sc_error *error)
{
	struct sc_option_numbers *list = place;

	/* What is given replaces the default, and an earlier list. */
	free(list->items);
	*list = (struct sc_option_numbers){.given = given};
	return parse_list(option, text, list, error);
}

static int store_text_again(const char *text, void *place, struct sc_error *error)
{
	struct sc_option_texts *texts = place;
	const char **items = reallocarray(texts->items, texts->count + 1u, sizeof(*items));

	if (!items)
		return sc_fail(error, -ENOMEM, "reading the command line");
	items[texts->count++] = text;
	texts->items = items;
	return 0;
}

int sc_option_store(const struct sc_option *option, const char *text, bool given, void *config,
		    struct sc_error *error)
{
	void *place = (char *)config + option->offset;
	struct sc_option_number *number = place;

	switch ((enum sc_option_kind)option->kind) {
	case SC_OPTION_FLAG:
		*(bool *)place = true;
		return 0;
	case SC_OPTION_TEXT:
	case SC_OPTION_PATH:
		if (text[0] == '\0')
			return sc_fail(error, SC_E_USAGE, "--%s: the value is empty", option->name);
		*(const char **)place = text;
		return 0;
	case SC_OPTION_TEXTS:
		if (text[0] == '\0')
			return sc_fail(error, SC_E_USAGE, "--%s: the value is empty", option->name);
		return store_text_again(text, place, error);
	case SC_OPTION_LIST:
		return store_list(option, text, given, place, error);
	case SC_OPTION_COUNT:
	case SC_OPTION_SIZE:
	case SC_OPTION_POWER:
	case SC_OPTION_PAGES:
	case SC_OPTION_DURATION:
	case SC_OPTION_PERCENT:
	case SC_OPTION_FACTOR:
	case SC_OPTION_ENUM:
		number->given = given;
		return parse_scalar(option, option->kind, text, &number->value, error);
	case SC_OPTION_KIND_COUNT_:
		break;
	}
	assert(false && "an option's row has no kind");
	return SC_E_USAGE;
}
