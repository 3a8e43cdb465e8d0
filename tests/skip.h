/* SPDX-License-Identifier: MIT */
#pragma once

/* Skipping a case with the reason, which the closing report of tools/check.sh lists. */

/**
 * skip_because() - end the running cmocka case as skipped
 * @format: the reason, one line without '#': "ptrace is not permitted here"
 */
__attribute__((format(printf, 1, 2), noreturn)) void skip_because(const char *format, ...);
