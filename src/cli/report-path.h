/* SPDX-License-Identifier: MIT */
#pragma once

/* Which report is meant. */

#include "../base/err.h"

/**
 * sc_report_newest() - the newest folder under ./syncost-reports that has a summary.json
 * @ret_path: the caller frees it
 *
 * Return: 0; SC_E_USAGE where there is none.
 */
int sc_report_newest(char **ret_path, struct sc_error *error);
