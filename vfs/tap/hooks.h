/* SPDX-License-Identifier: MIT */
#pragma once

/* The list of interposed calls as data: what is exported, and what it forwards to. */

#include <stddef.h>

typedef void (*sc_tap_function)(void);

struct sc_tap_hook {
	const char *name;     /* the symbol in libc */
	sc_tap_function hook; /* what this program exports under that name */
	void *real;           /* address of the pointer to libc's function, itself a pointer */
};

extern const struct sc_tap_hook sc_tap_hooks[];
extern const size_t sc_tap_hook_count;

/** sc_tap_hook_real() - what @hook forwards to at present. */
sc_tap_function sc_tap_hook_real(const struct sc_tap_hook *hook);
