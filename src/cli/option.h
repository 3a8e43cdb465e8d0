/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Options as rows: the same rows parse and validate the command line, print --help and are
 * compared with the manual page by a test.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/err.h"

/* What an option's value is, and what stands at its offset. */
enum sc_option_kind {
	SC_OPTION_FLAG,     /* bool */
	SC_OPTION_COUNT,    /* struct sc_option_number; suffixes K, M, G: powers of 1000 */
	SC_OPTION_SIZE,     /* struct sc_option_number, bytes; suffixes K, M, G */
	SC_OPTION_POWER,    /* struct sc_option_number, a size that is a power of two */
	SC_OPTION_PAGES,    /* struct sc_option_number: pages, KiB where negative; no suffix */
	SC_OPTION_DURATION, /* struct sc_option_number, nanoseconds; us, ms, s, m, h */
	SC_OPTION_PERCENT,  /* struct sc_option_number, parts of a million; 5, 5%, 0.5% */
	SC_OPTION_FACTOR,   /* struct sc_option_number, parts of a million; 0.01, 2 */
	SC_OPTION_ENUM,     /* struct sc_option_number, one of .choices */
	SC_OPTION_TEXT,     /* const char *, borrowed from the command line */
	SC_OPTION_PATH,     /* const char *, the same */
	SC_OPTION_LIST,     /* struct sc_option_numbers: comma separated, of .element */
	SC_OPTION_TEXTS,    /* struct sc_option_texts: given again for each value */
	SC_OPTION_KIND_COUNT_,
};

struct sc_option_number {
	int64_t value; /* the default where not given */
	bool given;
};

struct sc_option_numbers { /* owned; empty where not given and without a default */
	int64_t *items;
	size_t count;
	bool given;
};

struct sc_option_texts { /* the array is owned, the texts are borrowed from the command line */
	const char **items;
	size_t count;
};

/* Names of an ENUM's values, which are 0, 1 … */
struct sc_choices {
	const char *(*name)(int value);                  /* that is shown; NULL past the last */
	bool (*parse)(const char *text, int *ret_value); /* synonyms too */
};

struct sc_option {
	const char *name;     /* without the dashes */
	char letter;          /* short form, 0: none */
	uint8_t kind;         /* enum sc_option_kind */
	uint8_t element;      /* of a LIST: enum sc_option_kind */
	size_t offset;        /* in the command's configuration */
	const char *operand;  /* "DIR" in the help; NULL for flags */
	const char *fallback; /* the default, as a user would type it; NULL: none */
	int64_t low, high;    /* range of numbers */
	const struct sc_choices *choices;
	const char *help; /* one or two sentences */
};

struct sc_option_table {
	const struct sc_option *rows;
	size_t count;
};

/**
 * sc_options_parse() - read a command line
 * @table:    rows; borrowed
 * @argc, @argv: the words after the command's name
 * @config:   zeroed; filled with defaults, then with what was given
 * @operands: room for @argc pointers; the words that are no options, in order
 *
 * Unambiguous prefixes of names work, `--name=value` and `--name value`, `-x value` and `-xvalue`;
 * `--` ends the options. Stops at the first error and says which word is wrong.
 * Return: 0, SC_E_USAGE, -ENOMEM. The caller calls sc_options_fini() in each case.
 */
int sc_options_parse(const struct sc_option_table *table, int argc, char *const *argv, void *config,
		     const char **operands, size_t *ret_operand_count, struct sc_error *error);

/**
 * sc_options_parse_head() - the same of a command line that names another command
 *
 * Its first operand ends the options: what follows are that command's words, whatever they look
 * like.
 */
int sc_options_parse_head(const struct sc_option_table *table, int argc, char *const *argv,
			  void *config, const char **operands, size_t *ret_operand_count,
			  struct sc_error *error);

/* An option as it was given: "--seed 4", "--seed=4" and "--se=4" are the same. */
struct sc_option_word {
	const struct sc_option *option;
	const char *value; /* borrowed from the command line; NULL: a flag */
};

/**
 * sc_options_split() - a command line as its options, in order; operands are left out
 * @ret_words: the caller frees the array
 * Return: as sc_options_parse(); values are not looked at.
 */
int sc_options_split(const struct sc_option_table *table, int argc, char *const *argv,
		     struct sc_option_word **ret_words, size_t *ret_count, struct sc_error *error);

/** sc_options_fini() - free the lists in @config. */
void sc_options_fini(const struct sc_option_table *table, void *config);

/** sc_option_store() - read @text into the place of @option in @config; see option-value.c. */
int sc_option_store(const struct sc_option *option, const char *text, bool given, void *config,
		    struct sc_error *error);

/** sc_options_help() - what --help shows of the rows. */
void sc_options_help(const struct sc_option_table *table, FILE *out);
