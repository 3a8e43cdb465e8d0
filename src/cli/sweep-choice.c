/* SPDX-License-Identifier: MIT */

/*
 * Both command lines are put together as words and parsed once more, so that an option means the
 * same wherever it comes from. Of one that stands in both, the new one counts. Targets are kept by
 * their absolute paths, and suites by their texts: neither moves with the current directory.
 */

#include "sweep-choice.h"

#include <errno.h>
#include <string.h>

#include "../sweep/folder.h"

/* How a run goes and what becomes of it, not what is measured. */
static const char *const passing[] = {
	"help", "resume", "like", "out", "format", "dry-run", "list-suites", "quiet",
};
/* These have lists of their own in a report. */
static const char *const places[] = {"target", "suite", "variant"};
/* What may stand beside --resume. */
static const char *const beside_resume[] = {"resume", "format", "quiet"};
/* The former takes the place of the latter. */
static const char *const rivals[][2] = {
	{"samples", "precision"},
	{"samples", "time"},
	{"precision", "samples"},
	{"time", "samples"},
};

struct given { /* the new command line */
	struct sc_option_word *words;
	size_t count;
};

static void given_fini(struct given *given)
{
	free(given->words);
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool has(const struct given *given, const char *name)
{
	for (size_t i = 0; i < given->count; i++)
		if (strcmp(given->words[i].option->name, name) == 0)
			return true;
	return false;
}

/* Whether the new command line takes the place of option @name of the report. */
static bool is_replaced(const struct given *given, const char *name)
{
	for (size_t i = 0; i < SC_ARRAY_COUNT(rivals); i++)
		if (strcmp(rivals[i][1], name) == 0 && has(given, rivals[i][0]))
			return true;
	return has(given, name);
}

/* Of a single value the last one counts. */
static bool is_overridden(const struct given *given, size_t index)
{
	const struct sc_option *option = given->words[index].option;

	for (size_t i = index + 1; i < given->count; i++)
		if (given->words[i].option == option && option->kind != SC_OPTION_TEXTS)
			return true;
	return false;
}

static int no_memory(struct sc_error *error)
{
	return sc_fail(error, -ENOMEM, "reading the command line");
}

/* Takes @word, which may be NULL: there was no memory. */
static int add(char ***words, size_t *count, char *word, struct sc_error *error)
{
	char **more = word ? reallocarray(*words, *count + 1u, sizeof(*more)) : NULL;

	if (!more) {
		free(word);
		return no_memory(error);
	}
	*words = more;
	more[(*count)++] = word;
	return 0;
}

static char *word_of(const char *name, const char *value)
{
	char *word = NULL;
	int length =
		value ? asprintf(&word, "--%s=%s", name, value) : asprintf(&word, "--%s", name);

	return length < 0 ? NULL : word; /* undefined after a failure */
}

/* "--seed=4" of a report: kept unless the new command line says otherwise. */
static int add_former(const struct given *given, const char *text, struct sc_sweep_choice *choice,
		      struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *name = NULL;

	if (strncmp(text, "--", 2) != 0)
		return sc_fail(error, SC_E_FORMAT, "metadata.json: '%s' is no option", text);
	name = strndup(text + 2, strcspn(text + 2, "="));
	if (!name)
		return no_memory(error);
	if (is_replaced(given, name))
		return 0;
	return add(&choice->words, &choice->word_count, strdup(text), error);
}

/* What is for the record. */
static int add_words(const struct given *given, struct sc_sweep_choice *choice,
		     struct sc_error *error)
{
	int r = 0;

	for (size_t i = 0; i < choice->metadata.option_count && r == 0; i++)
		r = add_former(given, choice->metadata.options[i], choice, error);
	for (size_t i = 0; i < given->count && r == 0; i++) {
		const char *name = given->words[i].option->name;

		if (!is_one_of(name, passing, SC_ARRAY_COUNT(passing)) &&
		    !is_one_of(name, places, SC_ARRAY_COUNT(places)) && !is_overridden(given, i))
			r = add(&choice->words, &choice->word_count,
				word_of(name, given->words[i].value), error);
	}
	return r;
}

static int add_place(struct sc_sweep_choice *choice, const char *name, const char *value,
		     struct sc_error *error)
{
	return add(&choice->all_words, &choice->all_count, word_of(name, value), error);
}

static int add_targets(struct sc_sweep_choice *choice, struct sc_error *error)
{
	const struct sc_metadata *metadata = &choice->metadata;

	for (size_t i = 0; i < metadata->target_count; i++) {
		SC_CLEANUP(sc_freep) char *value = NULL;
		int r;

		if (asprintf(&value, "%s=%s", metadata->labels[i], metadata->paths[i]) < 0) {
			value = NULL; /* undefined after a failure */
			return no_memory(error);
		}
		r = add_place(choice, "target", value, error);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_suites(const char *folder, struct sc_sweep_choice *choice, struct sc_error *error)
{
	for (size_t i = 0; i < choice->metadata.suite_count; i++) {
		SC_CLEANUP(sc_freep) char *value = NULL;
		char name[SC_FOLDER_NAME_BYTES];
		int r;

		sc_folder_suite_name(choice->metadata.suites[i], name, sizeof(name));
		if (asprintf(&value, "%s/%s", folder, name) < 0) {
			value = NULL; /* undefined after a failure */
			return no_memory(error);
		}
		r = add_place(choice, "suite", value, error);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_places(const struct given *given, const char *folder, struct sc_sweep_choice *choice,
		      struct sc_error *error)
{
	int r = 0;

	for (size_t i = 0; i < given->count && r == 0; i++) {
		const struct sc_option_word *word = &given->words[i];

		if (is_one_of(word->option->name, places, SC_ARRAY_COUNT(places)))
			r = add_place(choice, word->option->name, word->value, error);
	}
	if (r == 0 && folder && !has(given, "target"))
		r = add_targets(choice, error);
	if (r == 0 && folder && !has(given, "suite"))
		r = add_suites(folder, choice, error);
	return r;
}

static int check_resume(const struct given *given, struct sc_error *error)
{
	for (size_t i = 0; i < given->count; i++) {
		const char *name = given->words[i].option->name;

		if (is_one_of(name, beside_resume, SC_ARRAY_COUNT(beside_resume)))
			continue;
		(void)sc_fail(error, SC_E_USAGE,
			      "--resume goes on with the plan of its report: --%s cannot be given "
			      "with it",
			      name);
		return sc_hint(error, "--like DIR takes a report's plan for a sweep of its own");
	}
	return 0;
}

static int parse(const struct sc_sweep_config *given, struct sc_sweep_choice *choice,
		 struct sc_error *error)
{
	size_t operand_count = 0;
	int r = 0;

	for (size_t i = 0; i < choice->word_count && r == 0; i++)
		r = add(&choice->all_words, &choice->all_count, strdup(choice->words[i]), error);
	if (r < 0)
		return r;
	choice->operands = calloc(choice->all_count + 1u, sizeof(*choice->operands));
	if (!choice->operands)
		return no_memory(error);
	r = sc_options_parse(&sc_sweep_options, (int)choice->all_count, choice->all_words,
			     &choice->config, choice->operands, &operand_count, error);
	choice->config.resume = given->resume;
	choice->config.like = given->like;
	choice->config.out = given->resume ? given->resume : given->out;
	choice->config.format = given->format;
	choice->config.dry_run = given->dry_run;
	choice->config.list_suites = given->list_suites;
	choice->config.quiet = given->quiet;
	return r;
}

int sc_sweep_choice_make(const struct sc_sweep_config *given, int argc, char *const *argv,
			 struct sc_sweep_choice *choice, struct sc_error *error)
{
	const char *folder = given->resume ? given->resume : given->like;
	SC_CLEANUP(given_fini) struct given words = {0};
	int r;

	r = sc_options_split(&sc_sweep_options, argc, argv, &words.words, &words.count, error);
	if (r == 0 && given->resume)
		r = check_resume(&words, error);
	if (r == 0 && folder)
		r = sc_metadata_read(folder, &choice->metadata, error);
	if (r == 0)
		r = add_words(&words, choice, error);
	if (r == 0)
		r = add_places(&words, folder, choice, error);
	return r < 0 ? r : parse(given, choice, error);
}

static void free_words(char ***words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free((*words)[i]);
	sc_freep(words);
}

void sc_sweep_choice_fini(struct sc_sweep_choice *choice)
{
	sc_options_fini(&sc_sweep_options, &choice->config);
	free_words(&choice->words, choice->word_count);
	free_words(&choice->all_words, choice->all_count);
	sc_freep(&choice->operands);
	sc_metadata_fini(&choice->metadata);
}
