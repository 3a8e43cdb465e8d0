/* SPDX-License-Identifier: MIT */

/* What --help shows of a row: its forms, its sentences wrapped, its choices and its default. */

#include <string.h>

#include "option.h"

#define HELP_COLUMN 8
#define HELP_WIDTH  88

struct wrap {
	FILE *out;
	size_t column; /* where the next word begins */
};

static void wrap_word(struct wrap *wrap, const char *word, size_t length)
{
	if (wrap->column + 1u + length > HELP_WIDTH) {
		(void)fputs("\n", wrap->out);
		wrap->column = 0;
	}
	if (wrap->column == 0) {
		(void)fprintf(wrap->out, "%*s", HELP_COLUMN, "");
		wrap->column = HELP_COLUMN;
	} else {
		(void)fputs(" ", wrap->out);
		wrap->column++;
	}
	(void)fwrite(word, 1, length, wrap->out);
	wrap->column += length;
}

static void wrap_text(struct wrap *wrap, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, " ");

		wrap_word(wrap, text, length);
		text += length;
		text += strspn(text, " ");
	}
}

static void wrap_choices(struct wrap *wrap, const struct sc_choices *choices)
{
	const char *name;

	wrap_text(wrap, "One of");
	for (int i = 0; (name = choices->name(i)); i++) {
		char word[64];

		(void)snprintf(word, sizeof(word), "%s%s", name, choices->name(i + 1) ? "," : ".");
		wrap_word(wrap, word, strlen(word));
	}
}

static void print_forms(const struct sc_option *row, FILE *out)
{
	if (row->letter)
		(void)fprintf(out, "  -%c, --%s", row->letter, row->name);
	else
		(void)fprintf(out, "      --%s", row->name);
	(void)fprintf(out, "%s%s\n", row->operand ? " " : "", row->operand ? row->operand : "");
}

void sc_options_help(const struct sc_option_table *table, FILE *out)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct sc_option *row = &table->rows[i];
		struct wrap wrap = {.out = out};

		print_forms(row, out);
		wrap_text(&wrap, row->help);
		if (row->choices)
			wrap_choices(&wrap, row->choices);
		if (row->fallback) {
			char word[96];

			(void)snprintf(word, sizeof(word), "Default: %s.", row->fallback);
			wrap_text(&wrap, word);
		}
		(void)fputs("\n", out);
	}
}
