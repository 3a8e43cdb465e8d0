/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A growing string. An allocation that fails is remembered: later additions do nothing and
 * sc_buffer_take() reports it, so that a builder checks once, at the end.
 *
 *	SC_CLEANUP(sc_buffer_fini) struct sc_buffer buffer = { 0 };
 *
 *	sc_buffer_printf(&buffer, "%d cells", count);
 *	return sc_buffer_take(&buffer, ret_text, error);
 */

#include <stddef.h>

#include "err.h"

struct sc_buffer {
	char *text;      /* owned; ends with a NUL that length does not count; NULL while empty */
	size_t length;   /* bytes */
	size_t capacity; /* bytes allocated */
	int code;        /* 0, or what went wrong first (< 0) */
};

/** sc_buffer_fini() - back to the empty buffer. */
void sc_buffer_fini(struct sc_buffer *buffer);

/** sc_buffer_add() - append @bytes bytes; they may hold NULs. */
void sc_buffer_add(struct sc_buffer *buffer, const void *data, size_t bytes);

/** sc_buffer_add_text() - append a string. */
void sc_buffer_add_text(struct sc_buffer *buffer, const char *text);

/** sc_buffer_printf() - append formatted text; its arguments may not lie in the buffer. */
void sc_buffer_printf(struct sc_buffer *buffer, const char *format, ...) SC_PRINTF(2, 3);

/** sc_buffer_cut() - drop what follows the first @length bytes; @length: at most its length */
void sc_buffer_cut(struct sc_buffer *buffer, size_t length);

/**
 * sc_buffer_take() - hand over the text and leave the buffer empty
 * @ret_text: never NULL on success, "" for an empty buffer; the caller frees it
 *
 * Return: 0, or -ENOMEM (or -EOVERFLOW: a formatted piece beyond 2 GiB) if an addition failed.
 */
int sc_buffer_take(struct sc_buffer *buffer, char **ret_text, struct sc_error *error);
