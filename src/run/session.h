/* SPDX-License-Identifier: MIT */
#pragma once

/* One run from its start to its report. */

#include "../model/run.h"

struct sc_session {
	const char *path; /* of the program */
	char *const *argv;
	const char *library; /* to preload */
	const char *tool_version, *tool_commit;
	bool tool_dirty;
	size_t top;      /* how many of the slowest commits and of the statements are kept */
	const char *set; /* PRAGMA lines for each connection; NULL: none */
	const char *sql; /* "shape", "full", "none" */
};

/**
 * sc_session_run() - run the program and read what its processes counted
 * @ret_exec_errno: why it could not be executed; 0: it was
 * @ret_run: end with sc_run_fini()
 */
int sc_session_run(const struct sc_session *session, int *ret_exec_errno, struct sc_run *ret_run,
		   struct sc_error *error);
