/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Text for terminals, tables and CSV. Whatever comes from a report (labels, paths, reasons) goes
 * through one of these on its way out.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "../base/buffer.h"

/** sc_text_columns() - how wide it is on a terminal: characters of UTF-8, each one column */
size_t sc_text_columns(const char *text);

/**
 * sc_text_add_clean() - @text without what could move a cursor: control characters, and bytes
 * that are not UTF-8, become "?"
 * @utf8: otherwise what is not ASCII is spelled in it (µ u, × x, – -, … ...), or is "?"
 */
void sc_text_add_clean(struct sc_buffer *buffer, const char *text, bool utf8);

/** sc_text_add_lines() - the same line by line, each behind @indent */
void sc_text_add_lines(struct sc_buffer *buffer, const char *text, const char *indent, bool utf8);

/** sc_text_add_padded() - the same, filled with spaces to @columns, at the end or the beginning */
void sc_text_add_padded(struct sc_buffer *buffer, const char *text, size_t columns, bool right,
			bool utf8);

/**
 * sc_text_wrap() - print words in lines of @columns at most; a longer word has a line of its own
 * @text: clean
 * @used: columns that are already printed of the first line
 * @indent: spaces at the start of the other lines
 */
void sc_text_wrap(FILE *out, const char *text, size_t used, size_t indent, size_t columns);

/** sc_text_put_csv() - quoted where it must be (RFC 4180), U+FFFD for what is no UTF-8; NULL is an
 * empty field */
void sc_text_put_csv(FILE *out, const char *text);

/** sc_text_add_markdown() - for a table's cell or a sentence: | and the like escaped, one line */
void sc_text_add_markdown(struct sc_buffer *buffer, const char *text);
