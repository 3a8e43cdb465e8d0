/* SPDX-License-Identifier: MIT */

/*
 * Optimal string alignment distance (Damerau-Levenshtein where no part is edited twice), three rows
 * of the matrix at a time. Words longer than WORD_MAX are too far from any name to matter.
 */

#include "suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define WORD_MAX 63u

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

size_t sc_edit_distance(const char *a, const char *b)
{
	size_t rows[3][WORD_MAX + 1u];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];
	size_t a_length = strlen(a), b_length = strlen(b);

	if (a_length > WORD_MAX || b_length > WORD_MAX)
		return SIZE_MAX;

	for (size_t j = 0; j <= b_length; j++)
		above[j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t *oldest = before;

		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			row[j] = above[j - 1] + !same_letter(a[i - 1], b[j - 1]);
			row[j] = smaller(row[j], smaller(above[j], row[j - 1]) + 1u);
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
			    same_letter(a[i - 2], b[j - 1]))
				row[j] = smaller(row[j], before[j - 2] + 1u);
		}
		before = above;
		above = row;
		row = oldest;
	}
	return above[b_length];
}

const char *sc_suggest(const char *text, const char *(*name)(size_t index, const void *context),
		       const void *context)
{
	const char *best = NULL, *candidate;
	size_t best_distance = SIZE_MAX;

	for (size_t i = 0; (candidate = name(i, context)); i++) {
		size_t distance = sc_edit_distance(text, candidate);

		if (distance < best_distance && distance <= (strlen(candidate) + 2u) / 3u) {
			best = candidate;
			best_distance = distance;
		}
	}
	return best;
}
