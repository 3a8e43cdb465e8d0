/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * libc's own functions under the hooks: sc_tap_real_NAME for each call of calls.def. Each starts
 * as sc_tap_raw_NAME, the bare system call, and is libc's once the constructor of hooks.c has run.
 */

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static_assert(sizeof(long) == 8, "arguments of raw system calls are passed as on 64-bit systems");

#define TAP_EXPORT __attribute__((visibility("default")))

#define TAP_OWN(type, name, parameters)                                                            \
	extern type(*sc_tap_real_##name) parameters;                                               \
	type sc_tap_raw_##name parameters;                                                         \
	TAP_EXPORT type name parameters;
#define TAP_FD(type, name, parameters, arguments, raw, op, result, after)                          \
	TAP_OWN(type, name, parameters)
#define TAP_DATA(type, name, parameters, arguments, raw, op, data, offset, after)                  \
	TAP_OWN(type, name, parameters)
#define TAP_PATH(type, name, parameters, arguments, raw, file, op, after)                          \
	TAP_OWN(type, name, parameters)
#include "calls.def"
#undef TAP_OWN
#undef TAP_FD
#undef TAP_DATA
#undef TAP_PATH
