/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Failing calls of libc, one after the other. The tests that use it are linked with --wrap for
 * each name in fault_names of meson.build; calls from libc to itself are not reached.
 *
 *	for (unsigned nth = 1;; nth++) {
 *		fault_begin(nth, ENOSPC);
 *		r = operation();
 *		if (!fault_end())
 *			break;          // it has fewer than nth calls: it ran undisturbed
 *		... r is an error, and nothing is left behind ...
 *	}
 */

#include <stdbool.h>

/** fault_begin() - the @nth call from now on (1 = the next) fails with @error. */
void fault_begin(unsigned nth, int error);

/** fault_begin_at() - the same, counting only calls of @name: "fsync" */
void fault_begin_at(const char *name, unsigned nth, int error);

/** fault_end() - back to normal; whether a call was failed. */
bool fault_end(void);

/** fault_name() - of the call that was failed last, or NULL. */
const char *fault_name(void);

/** fault_calls() - how many calls of @name there were since the last begin; NULL: of all. */
unsigned fault_calls(const char *name);
