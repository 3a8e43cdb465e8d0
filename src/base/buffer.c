/* SPDX-License-Identifier: MIT */
#include "buffer.h"

/* Capacity doubles, so that n additions cost O(n) copies. */

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_MIN 128

void sc_buffer_fini(struct sc_buffer *buffer)
{
	free(buffer->text);
	*buffer = (struct sc_buffer){0};
}

/* Makes room for @bytes more and the NUL. */
static bool reserve(struct sc_buffer *buffer, size_t bytes)
{
	size_t needed, capacity;
	char *text;

	if (buffer->code < 0)
		return false;
	if (bytes >= SIZE_MAX / 2 - buffer->length) {
		buffer->code = -ENOMEM;
		return false;
	}
	needed = buffer->length + bytes + 1;
	if (needed <= buffer->capacity)
		return true;

	capacity = buffer->capacity ? buffer->capacity : CAPACITY_MIN;
	while (capacity < needed)
		capacity *= 2;
	text = realloc(buffer->text, capacity);
	if (!text) {
		buffer->code = -ENOMEM;
		return false;
	}
	buffer->text = text;
	buffer->capacity = capacity;
	return true;
}

void sc_buffer_add(struct sc_buffer *buffer, const void *data, size_t bytes)
{
	if (!reserve(buffer, bytes))
		return;
	if (bytes > 0)
		memcpy(buffer->text + buffer->length, data, bytes);
	buffer->length += bytes;
	buffer->text[buffer->length] = '\0';
}

void sc_buffer_add_text(struct sc_buffer *buffer, const char *text)
{
	sc_buffer_add(buffer, text, strlen(text));
}

void sc_buffer_printf(struct sc_buffer *buffer, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (length < 0) {
		if (buffer->code == 0)
			buffer->code = -EOVERFLOW;
		return;
	}
	if (!reserve(buffer, (size_t)length))
		return;

	va_start(arguments, format);
	(void)vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, arguments);
	va_end(arguments);
	buffer->length += (size_t)length;
}

void sc_buffer_cut(struct sc_buffer *buffer, size_t length)
{
	assert(length <= buffer->length);
	buffer->length = length;
	if (buffer->text)
		buffer->text[length] = '\0';
}

int sc_buffer_take(struct sc_buffer *buffer, char **ret_text, struct sc_error *error)
{
	if (reserve(buffer, 0)) /* an empty buffer has no text yet */
		buffer->text[buffer->length] = '\0';
	if (buffer->code < 0)
		return sc_fail(error, buffer->code, "building a text of %zu bytes", buffer->length);

	*ret_text = SC_TAKE(buffer->text);
	sc_buffer_fini(buffer);
	return 0;
}
