/* SPDX-License-Identifier: MIT */
/*
 * cmocka 1.1.5 prints a skipped case as "not ok 2 # SKIP name": in TAP that is a failure, and the
 * reason has no place. libcmocka prints through its exported print_message(), so the definition
 * here, linked into each test program, stands before the library's and turns that one line into
 * "ok 2 - name # SKIP reason". Everything else passes unchanged.
 *
 * The reason is what skip_because() was given, or "no reason given" after a bare skip().
 */
#include "skip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char reason[256];

void skip_because(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(reason, sizeof(reason), format, arguments); /* cut where too long */
	va_end(arguments);
	reason[strcspn(reason, "\n")] = '\0';
	skip();
	abort(); /* skip() jumps back into cmocka */
}

__attribute__((visibility("default"))) void print_message(const char *const format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (strstr(format, "ok %u # SKIP %s")) {
		unsigned int number = va_arg(arguments, unsigned int);
		const char *name = va_arg(arguments, const char *);

		(void)printf("ok %u - %s # SKIP %s\n", number, name,
			     reason[0] ? reason : "no reason given");
		reason[0] = '\0';
	} else {
		(void)vprintf(format, arguments);
	}
	va_end(arguments);
	(void)fflush(stdout); /* a case that crashes next leaves the lines before it */
}
