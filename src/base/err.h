/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Errors: 0 = done; < 0 = fatal; > 0 = a condition named in the function's header.
 *
 * A fatal error is described once, where it is born, and travels up unchanged. Only cli/ prints it.
 */

#include "attr.h"

enum sc_code {
	/* -1 … -4095 are negated errno values */
	SC_E_SQLITE = -5000,       /* SQLite refused; sqlite_rc says how */
	SC_E_FORMAT = -5001,       /* an input (suite, report, option) is not what it should be */
	SC_E_LIMIT = -5002,        /* more than a stated limit */
	SC_E_USAGE = -5003,        /* the command line is wrong */
	SC_E_UNMEASURABLE = -5004, /* cannot be measured here: exit code 3 */
	SC_E_CHILD = -5005,        /* a sample's process failed */
	SC_E_VERIFY = -5006,       /* a sample's data is not what it should be */
	SC_E_INTERRUPTED = -5007,  /* SIGINT or SIGTERM: exit code 130 */
};

struct sc_error {
	int code;       /* what the function returned, < 0 */
	int os_errno;   /* errno at the origin, 0 if none */
	int sqlite_rc;  /* extended result code, 0 if none */
	char what[400]; /* operation and subject: "fdatasync on '/data/a.db': No space left …" */
	char next[200]; /* what the user can do; may be empty */
};

/**
 * sc_fail() - fill @error and return @code
 * @code: < 0
 *
 * For codes that are negated errno values the text of the error is appended: "open on 'x': No
 * such file or directory". The other codes say all in @format. What does not fit is cut before
 * that text and ends with "…". The next step is emptied. @format's arguments may not lie in @error.
 */
int sc_fail(struct sc_error *error, int code, const char *format, ...) SC_PRINTF(3, 4);

/**
 * sc_fail_sqlite() - the same for a SQLite result
 * @sqlite_rc: extended result code; its text and number are appended
 * Return: SC_E_SQLITE.
 */
int sc_fail_sqlite(struct sc_error *error, int sqlite_rc, const char *format, ...) SC_PRINTF(3, 4);

#ifdef __clang_analyzer__ /* it sees one file at a time: what the contract above says */
#define sc_fail(error, code, ...)                                                                  \
	__extension__({                                                                            \
		int code_ = (code);                                                                \
		__builtin_assume(code_ < 0);                                                       \
		(void)(sc_fail)(error, code_, __VA_ARGS__);                                        \
		code_;                                                                             \
	})
#define sc_fail_sqlite(error, sqlite_rc, ...)                                                      \
	((void)(sc_fail_sqlite)(error, sqlite_rc, __VA_ARGS__), SC_E_SQLITE)
#endif

/** sc_hint() - set the next step of an error; returns error->code. */
int sc_hint(struct sc_error *error, const char *format, ...) SC_PRINTF(2, 3);

/**
 * sc_exit_code() - the one mapping from codes to the exit codes of the manual
 * @code: what a command returned: 0 done, > 0 done and the answer is bad, < 0 an error
 *
 * Negated errno values are 4. Where one is the fault of what the user named (a target that is
 * missing, not permitted, read-only), the command turns it into SC_E_USAGE or SC_E_UNMEASURABLE.
 */
int sc_exit_code(int code);
