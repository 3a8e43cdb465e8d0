/* SPDX-License-Identifier: MIT */
#pragma once

/* "did you mean": the nearest of several names. */

#include <stddef.h>

/** sc_edit_distance() - insertions, deletions, changes and swaps of neighbours; case ignored. */
size_t sc_edit_distance(const char *a, const char *b);

/**
 * sc_suggest() - the name nearest to @text
 * @name: the name at an index, NULL past the last; @context is handed through
 * Return: NULL where none is near: more than a third of its letters would have to change.
 */
const char *sc_suggest(const char *text, const char *(*name)(size_t index, const void *context),
		       const void *context);
