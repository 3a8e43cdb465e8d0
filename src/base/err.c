/* SPDX-License-Identifier: MIT */
#include "err.h"

/*
 * Text that does not fit is cut at its end with "…", never the reason that follows it: a long path
 * must not hide "No space left on device".
 */

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

/* Only callers need to be told what these return. */
#undef sc_fail
#undef sc_fail_sqlite

#define ERRNO_MAX 4095

static const char ellipsis[] = "…"; /* three bytes and the NUL */

static bool is_errno(int code)
{
	return code < 0 && code >= -ERRNO_MAX;
}

/* Where to end @text so that @bytes of it stay and no UTF-8 character is split. */
static size_t cut_at(const char *text, size_t bytes)
{
	while (bytes > 0 && ((unsigned char)text[bytes] & 0xc0) == 0x80)
		bytes--;
	return bytes;
}

/* Formats into @text; if that does not fit it keeps the head and ends it with an ellipsis. */
static void format_cut(char *text, size_t text_bytes, size_t reserved_bytes, const char *format,
		       va_list arguments)
{
	size_t room = text_bytes - reserved_bytes;
	int needed;

	assert(reserved_bytes + sizeof(ellipsis) < text_bytes);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): the callers start it */
	needed = vsnprintf(text, text_bytes, format, arguments);
	if (needed < 0)
		text[0] = '\0'; /* only an unencodable wide character gets here; the code remains */
	else if ((size_t)needed >= room)
		memcpy(text + cut_at(text, room - sizeof(ellipsis)), ellipsis, sizeof(ellipsis));
}

/* Fills @error; @reason, where there is one, follows the formatted text after ": ". */
static int fill(struct sc_error *error, int code, const char *reason, const char *format,
		va_list arguments)
{
	char tail[160] = "";
	size_t tail_bytes;

	assert(code < 0);
	if (reason)
		(void)snprintf(tail, sizeof(tail), ": %s", reason); /* libraries' texts are short */
	tail_bytes = strlen(tail);

	error->code = code;
	error->os_errno = is_errno(code) ? -code : 0;
	error->sqlite_rc = 0;
	error->next[0] = '\0';
	format_cut(error->what, sizeof(error->what), tail_bytes, format, arguments);
	memcpy(error->what + strlen(error->what), tail, tail_bytes + 1);
	return code;
}

int sc_fail(struct sc_error *error, int code, const char *format, ...)
{
	char buffer[128];
	const char *reason = NULL;
	va_list arguments;

	if (is_errno(code))
		reason = strerror_r(-code, buffer, sizeof(buffer));
	va_start(arguments, format);
	fill(error, code, reason, format, arguments);
	va_end(arguments);
	return code;
}

int sc_fail_sqlite(struct sc_error *error, int sqlite_rc, const char *format, ...)
{
	char reason[128];
	va_list arguments;

	/* The number too: one text stands for all extended codes of a primary one. */
	(void)snprintf(reason, sizeof(reason), "%s (SQLite result %d)", sqlite3_errstr(sqlite_rc),
		       sqlite_rc);
	va_start(arguments, format);
	fill(error, SC_E_SQLITE, reason, format, arguments);
	va_end(arguments);
	error->sqlite_rc = sqlite_rc;
	return SC_E_SQLITE;
}

int sc_hint(struct sc_error *error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	format_cut(error->next, sizeof(error->next), 0, format, arguments);
	va_end(arguments);
	return error->code;
}

int sc_exit_code(int code)
{
	if (code == 0)
		return 0;
	if (code > 0)
		return 1; /* done, and the answer is bad */

	switch (code) {
	case SC_E_FORMAT:
	case SC_E_USAGE:
		return 2;
	case SC_E_UNMEASURABLE:
		return 3;
	case SC_E_INTERRUPTED:
		return 130;
	default:
		return 4;
	}
}
