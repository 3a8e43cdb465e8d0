/* SPDX-License-Identifier: MIT */
#include "targets.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static bool is_label_letter(char letter)
{
	return isalnum((unsigned char)letter) || strchr("._-", letter);
}

/* Length of the label before a '=', 0 if there is none: "./a=b" is a path. */
static size_t label_length(const char *text)
{
	size_t length = 0;

	while (text[length] && is_label_letter(text[length]))
		length++;
	return text[length] == '=' ? length : 0;
}

/* The last part of a path, with what a label cannot hold changed to '-'. */
static char *label_of_path(const char *path)
{
	SC_CLEANUP(sc_freep) char *full = realpath(path, NULL);
	const char *from = full ? full : path;
	const char *slash = strrchr(from, '/');
	char *label = strdup(slash && slash[1] ? slash + 1 : "root");

	for (char *letter = label; letter && *letter; letter++)
		if (!is_label_letter(*letter))
			*letter = '-';
	return label;
}

static int check_labels(const struct sc_targets *targets, struct sc_error *error)
{
	for (size_t i = 0; i < targets->count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (strcmp(targets->labels[i], targets->labels[j]) != 0)
				continue;
			(void)sc_fail(error, SC_E_USAGE, "--target: two are called '%s'",
				      targets->labels[i]);
			return sc_hint(error, "tell them apart: --target LABEL=DIR");
		}
	}
	return 0;
}

static int add(struct sc_targets *targets, const char *text, bool only, struct sc_error *error)
{
	size_t length = label_length(text);
	const char *path = length ? text + length + 1 : text;
	char *label;

	if (path[0] == '\0')
		return sc_fail(error, SC_E_USAGE, "--target: '%s' names no directory", text);
	if (length)
		label = strndup(text, length);
	else
		label = only ? strdup("local") : label_of_path(path);
	if (!label)
		return sc_fail(error, -ENOMEM, "reading --target");
	targets->labels[targets->count] = label;
	targets->items[targets->count++] = (struct sc_sweep_target){label, path};
	return 0;
}

int sc_targets_parse(const struct sc_option_texts *texts, struct sc_targets *ret_targets,
		     struct sc_error *error)
{
	SC_CLEANUP(sc_targets_fini) struct sc_targets targets = {0};
	static const char *const here[] = {"."};
	const char *const *items = texts->count ? texts->items : here;
	size_t count = texts->count ? texts->count : SC_ARRAY_COUNT(here);
	int r;

	targets.items = calloc(count, sizeof(*targets.items));
	targets.labels = calloc(count, sizeof(*targets.labels));
	if (!targets.items || !targets.labels)
		return sc_fail(error, -ENOMEM, "reading --target");
	for (size_t i = 0; i < count; i++) {
		r = add(&targets, items[i], count == 1, error);
		if (r < 0)
			return r;
	}
	r = check_labels(&targets, error);
	if (r < 0)
		return r;
	*ret_targets = targets;
	targets = (struct sc_targets){0};
	return 0;
}

void sc_targets_fini(struct sc_targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		free(targets->labels[i]);
	sc_freep(&targets->labels);
	sc_freep(&targets->items);
	targets->count = 0;
}
