/* SPDX-License-Identifier: MIT */
#pragma once

/* What syncost says about itself. */

#include <stdio.h>

/** sc_overview() - one screen: what it is for, the commands, where to begin. Return: 0. */
int sc_overview(FILE *out);

/** sc_version() - "syncost 0.1.0 (commit), SQLite 3.40.1". Return: 0. */
int sc_version(FILE *out);
