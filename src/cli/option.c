/* SPDX-License-Identifier: MIT */

/*
 * Reading a command line against rows. An exact name wins over a prefix; a prefix must be the
 * beginning of one name only. Nothing is permuted: words that are no options are operands wherever
 * they stand.
 */

#include "option.h"

#include <errno.h>
#include <string.h>

#include "suggest.h"

struct cursor {
	int argc;
	char *const *argv;
	int at; /* the next word */
	bool ends_at_operand;
};

/* Who is told of each option. */
struct taker {
	int (*take)(void *self, const struct sc_option *option, const char *value,
		    struct sc_error *error);
	void *self;
};

static const char *option_name(size_t index, const void *context)
{
	const struct sc_option_table *table = context;

	return index < table->count ? table->rows[index].name : NULL;
}

static int fail_unknown(const struct sc_option_table *table, const char *word, const char *name,
			struct sc_error *error)
{
	const char *near = sc_suggest(name, option_name, table);

	(void)sc_fail(error, SC_E_USAGE, "unknown option '%s'", word);
	(void)(near ? sc_hint(error, "did you mean '--%s'?", near)
		    : sc_hint(error, "--help lists the options"));
	return SC_E_USAGE;
}

/* @name is what stands between the dashes and a '=' */
static int find_long(const struct sc_option_table *table, const char *word, const char *name,
		     const struct sc_option **ret_option, struct sc_error *error)
{
	const struct sc_option *found = NULL;
	size_t length = strlen(name);

	for (size_t i = 0; i < table->count; i++) {
		const struct sc_option *row = &table->rows[i];

		if (strcmp(row->name, name) == 0) {
			*ret_option = row;
			return 0;
		}
		if (length == 0 || strncmp(row->name, name, length) != 0)
			continue;
		if (found)
			return sc_fail(error, SC_E_USAGE, "option '%s' could be --%s or --%s", word,
				       found->name, row->name);
		found = row;
	}
	if (!found)
		return fail_unknown(table, word, name, error);
	*ret_option = found;
	return 0;
}

static int find_letter(const struct sc_option_table *table, char letter,
		       const struct sc_option **ret_option, struct sc_error *error)
{
	for (size_t i = 0; i < table->count; i++) {
		if (table->rows[i].letter == letter) {
			*ret_option = &table->rows[i];
			return 0;
		}
	}
	(void)sc_fail(error, SC_E_USAGE, "unknown option '-%c'", letter);
	(void)sc_hint(error, "--help lists the options");
	return SC_E_USAGE;
}

static int take_value(struct cursor *cursor, const struct sc_option *option, const char *attached,
		      const char **ret_value, struct sc_error *error)
{
	*ret_value = attached;
	if (attached)
		return 0;
	if (cursor->at >= cursor->argc)
		return sc_fail(error, SC_E_USAGE, "--%s needs a value: %s", option->name,
			       option->operand);
	*ret_value = cursor->argv[cursor->at++];
	return 0;
}

static int parse_long(const struct sc_option_table *table, struct cursor *cursor, const char *word,
		      const struct taker *taker, struct sc_error *error)
{
	const char *equals = strchr(word, '='), *value = NULL;
	const struct sc_option *option = NULL;
	SC_CLEANUP(sc_freep) char *name = NULL;
	int r;

	name = equals ? strndup(word + 2, (size_t)(equals - word - 2)) : strdup(word + 2);
	if (!name)
		return sc_fail(error, -ENOMEM, "reading the command line");
	r = find_long(table, word, name, &option, error);
	if (r < 0)
		return r;
	if (option->kind == SC_OPTION_FLAG && equals)
		return sc_fail(error, SC_E_USAGE, "--%s takes no value", option->name);
	if (option->kind != SC_OPTION_FLAG) {
		r = take_value(cursor, option, equals ? equals + 1 : NULL, &value, error);
		if (r < 0)
			return r;
	}
	return taker->take(taker->self, option, value, error);
}

static int parse_letters(const struct sc_option_table *table, struct cursor *cursor,
			 const char *letters, const struct taker *taker, struct sc_error *error)
{
	while (*letters) {
		const struct sc_option *option = NULL;
		const char *value = NULL;
		int r;

		r = find_letter(table, *letters++, &option, error);
		if (r < 0)
			return r;
		if (option->kind != SC_OPTION_FLAG) {
			r = take_value(cursor, option, *letters ? letters : NULL, &value, error);
			if (r < 0)
				return r;
			letters = "";
		}
		r = taker->take(taker->self, option, value, error);
		if (r < 0)
			return r;
	}
	return 0;
}

static int store_defaults(const struct sc_option_table *table, void *config, struct sc_error *error)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct sc_option *row = &table->rows[i];
		int r;

		if (!row->fallback)
			continue;
		r = sc_option_store(row, row->fallback, false, config, error);
		if (r < 0)
			return r;
	}
	return 0;
}

/* @operands: as sc_options_parse(); NULL: they are left out */
static int walk(const struct sc_option_table *table, struct cursor cursor,
		const struct taker *taker, const char **operands, size_t *ret_operand_count,
		struct sc_error *error)
{
	size_t operand_count = 0;
	bool options_end = false;
	int r = 0;

	while (r >= 0 && cursor.at < cursor.argc) {
		const char *word = cursor.argv[cursor.at++];

		if (options_end || word[0] != '-' || word[1] == '\0') {
			if (operands)
				operands[operand_count++] = word;
			options_end = options_end || cursor.ends_at_operand;
		} else if (strcmp(word, "--") == 0) {
			options_end = true;
		} else if (word[1] == '-') {
			r = parse_long(table, &cursor, word, taker, error);
		} else {
			r = parse_letters(table, &cursor, word + 1, taker, error);
		}
	}
	if (r >= 0 && operands)
		*ret_operand_count = operand_count;
	return r;
}

static int store(void *config, const struct sc_option *option, const char *value,
		 struct sc_error *error)
{
	return sc_option_store(option, value, true, config, error);
}

int sc_options_parse(const struct sc_option_table *table, int argc, char *const *argv, void *config,
		     const char **operands, size_t *ret_operand_count, struct sc_error *error)
{
	const struct cursor cursor = {.argc = argc, .argv = argv};
	const struct taker taker = {store, config};
	int r = store_defaults(table, config, error);

	return r < 0 ? r : walk(table, cursor, &taker, operands, ret_operand_count, error);
}

int sc_options_parse_head(const struct sc_option_table *table, int argc, char *const *argv,
			  void *config, const char **operands, size_t *ret_operand_count,
			  struct sc_error *error)
{
	const struct cursor cursor = {.argc = argc, .argv = argv, .ends_at_operand = true};
	const struct taker taker = {store, config};
	int r = store_defaults(table, config, error);

	return r < 0 ? r : walk(table, cursor, &taker, operands, ret_operand_count, error);
}

struct words {
	struct sc_option_word *items;
	size_t count;
};

static int keep(void *self, const struct sc_option *option, const char *value,
		struct sc_error *error)
{
	struct words *words = self;
	struct sc_option_word *items =
		reallocarray(words->items, words->count + 1u, sizeof(*items));

	if (!items)
		return sc_fail(error, -ENOMEM, "reading the command line");
	words->items = items;
	items[words->count++] = (struct sc_option_word){option, value};
	return 0;
}

int sc_options_split(const struct sc_option_table *table, int argc, char *const *argv,
		     struct sc_option_word **ret_words, size_t *ret_count, struct sc_error *error)
{
	const struct cursor cursor = {.argc = argc, .argv = argv};
	struct words words = {0};
	const struct taker taker = {keep, &words};
	int r = walk(table, cursor, &taker, NULL, NULL, error);

	if (r < 0) {
		free(words.items);
		return r;
	}
	*ret_words = words.items;
	*ret_count = words.count;
	return 0;
}

void sc_options_fini(const struct sc_option_table *table, void *config)
{
	for (size_t i = 0; i < table->count; i++) {
		void *place = (char *)config + table->rows[i].offset;
		struct sc_option_numbers *numbers = place;
		struct sc_option_texts *texts = place;

		if (table->rows[i].kind == SC_OPTION_LIST) {
			free(numbers->items);
			*numbers = (struct sc_option_numbers){0};
		} else if (table->rows[i].kind == SC_OPTION_TEXTS) {
			free(texts->items);
			*texts = (struct sc_option_texts){0};
		}
	}
}
