/* SPDX-License-Identifier: MIT */
#include "pragmas.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "../base/buffer.h"
#include "../model/setting.h"

#define PRAGMAS_MAX 16

struct pragma {
	const struct sc_setting_field *field;
	int64_t value;
};

static const struct sc_setting_field *find_field(const char *name, size_t length)
{
	for (size_t i = 0; i < sc_setting_field_count; i++) {
		const struct sc_setting_field *field = &sc_setting_fields[i];

		if (field->apply_order > 0 && strlen(field->name) == length &&
		    strncasecmp(field->name, name, length) == 0)
			return field;
	}
	return NULL;
}

static bool parse_value(const struct sc_setting_field *field, const char *text, int64_t *ret_value)
{
	char *end;

	for (int64_t value = field->min; field->value_name && value <= field->max; value++) {
		if (strcasecmp(field->value_name(value), text) == 0) {
			*ret_value = value;
			return true;
		}
	}
	errno = 0;
	*ret_value = strtoll(text, &end, 10);
	return errno == 0 && end != text && *end == '\0' && *ret_value >= field->min &&
	       *ret_value <= field->max &&
	       (!field->value_name || strcmp(field->name, "synchronous") == 0);
}

static int fail_name(const char *text, size_t length, struct sc_error *error)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer names = {0};

	for (size_t i = 0; i < sc_setting_field_count; i++) {
		if (sc_setting_fields[i].apply_order > 0)
			sc_buffer_printf(&names, "%s%s", names.length ? ", " : "",
					 sc_setting_fields[i].name);
	}
	(void)sc_fail(error, SC_E_USAGE, "--set: '%.*s' is no setting", (int)length, text);
	return sc_hint(error, "one of %s", names.text ? names.text : "");
}

static int fail_value(const struct sc_setting_field *field, const char *value,
		      struct sc_error *error)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer values = {0};

	for (int64_t i = field->min; field->value_name && i <= field->max; i++)
		sc_buffer_printf(&values, "%s%s", values.length ? ", " : "one of ",
				 field->value_name(i));
	if (!field->value_name)
		sc_buffer_printf(&values, "a number from %" PRId64 " to %" PRId64, field->min,
				 field->max);
	(void)sc_fail(error, SC_E_USAGE, "--set: %s cannot be '%s'", field->name, value);
	return sc_hint(error, "%s", values.text ? values.text : "");
}

static int parse_one(const char *text, size_t length, struct pragma *ret_pragma,
		     struct sc_error *error)
{
	const char *equals = memchr(text, '=', length);
	const struct sc_setting_field *field;
	char value[64] = "";
	size_t name = equals ? (size_t)(equals - text) : length;

	field = find_field(text, name);
	if (!field)
		return fail_name(text, name, error);
	if (equals && length - name - 1 < sizeof(value))
		memcpy(value, equals + 1, length - name - 1);
	if (!parse_value(field, value, &ret_pragma->value))
		return fail_value(field, value, error);
	ret_pragma->field = field;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct pragma *one = a, *other = b;

	return (one->field->apply_order > other->field->apply_order) -
	       (one->field->apply_order < other->field->apply_order);
}

int sc_run_pragmas_parse(const char *text, char **ret_lines, struct sc_error *error)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer lines = {0};
	struct pragma list[PRAGMAS_MAX];
	size_t count = 0;

	while (*text) {
		size_t length = strcspn(text, ",");
		int r;

		if (count == PRAGMAS_MAX)
			return sc_fail(error, SC_E_USAGE, "--set: more than %d settings",
				       PRAGMAS_MAX);
		r = parse_one(text, length, &list[count++], error);
		if (r < 0)
			return r;
		text += length + (text[length] == ',');
	}
	if (count == 0)
		return fail_name("", 0, error);
	qsort(list, count, sizeof(list[0]), compare);
	for (size_t i = 0; i < count; i++) {
		sc_buffer_printf(&lines, "PRAGMA %s = ", list[i].field->name);
		if (list[i].field->value_name)
			sc_buffer_printf(&lines, "%s;", list[i].field->value_name(list[i].value));
		else
			sc_buffer_printf(&lines, "%" PRId64 ";", list[i].value);
	}
	return sc_buffer_take(&lines, ret_lines, error);
}
