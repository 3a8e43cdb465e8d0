/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The scene of a case: an empty directory, a meter, the shim "shim" over the VFS of under.h, and
 * what a case needs to work with them. Whatever fails fails the case.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdbool.h>

#include "syncost.h"
#include "under.h"

#define SHIM_NAME "shim"

#define CASE(sentence, function)                                                                   \
	{                                                                                          \
		.name = (sentence), .test_func = (function), .setup_func = scene_setup,            \
		.teardown_func = scene_teardown                                                    \
	}
#define CASE_CPU(sentence, function)                                                               \
	{                                                                                          \
		.name = (sentence), .test_func = (function), .setup_func = scene_setup_cpu,        \
		.teardown_func = scene_teardown                                                    \
	}
/* With the directory on tmpfs, if there is one: where the storage's own moods would disturb. */
#define CASE_QUICK(sentence, function)                                                             \
	{                                                                                          \
		.name = (sentence), .test_func = (function), .setup_func = scene_setup_quick,      \
		.teardown_func = scene_teardown                                                    \
	}
#define CASE_BARE(sentence, function)                                                              \
	{                                                                                          \
		.name = (sentence), .test_func = (function)                                        \
	}

/** scene_setup() - the meter without, _cpu and _quick - with readings of thread CPU. */
int scene_setup(void **state);
int scene_setup_cpu(void **state);
int scene_setup_quick(void **state);
int scene_teardown(void **state);

/** scene_path() - "@name" in the directory; valid until eight calls later. */
const char *scene_path(const char *name);

/** scene_size() - of a file in the directory; 0 if it is not there. */
uint64_t scene_size(const char *name);

/** scene_open() - a connection through the shim; busy timeout 5 s. */
sqlite3 *scene_open(const char *name);
void scene_close(sqlite3 *db);

/** run() - SQL text, printf-like; must succeed. */
void run(sqlite3 *db, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** run_marked() - the same as one bracketed call. */
void run_marked(sqlite3 *db, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** run_code() - its result code. */
int run_code(sqlite3 *db, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** ask() - the integer in the first column of the first row. */
int64_t ask(sqlite3 *db, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** take() - a snapshot; freed by the next call of take() and at the end of the case. */
const struct syncost_snapshot *take(void);

/** slot_of() - of a database in the directory, in a snapshot; must be there. */
uint32_t slot_of(const struct syncost_snapshot *snapshot, const char *name);

/** database_of() - its entry. */
const struct syncost_database *database_of(const struct syncost_snapshot *snapshot,
					   const char *name);

/** row_of() - NULL if there is none; always of the shim. */
const struct syncost_row *row_of(const struct syncost_snapshot *snapshot, uint32_t slot,
				 enum sc_role role, enum sc_op op);

/** calls_of(), bytes_of() - 0 if there is no row; over all slots. */
uint64_t calls_of(const struct syncost_snapshot *snapshot, enum sc_role role, enum sc_op op);
uint64_t bytes_of(const struct syncost_snapshot *snapshot, enum sc_role role, enum sc_op op);

/** clock_ns() - CLOCK_MONOTONIC. */
uint64_t clock_ns(void);

/** rest_ms() - sleeps. */
void rest_ms(uint32_t ms);

/** assert_near() - @value within @percent of @expected. */
void assert_near(double value, double expected, double percent, const char *what);
