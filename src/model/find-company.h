/* SPDX-License-Identifier: MIT */
#pragma once

/* What a cell's own figures say of the clients beside it, and of its schedule. */

#include "report.h"

/** sc_find_company() - findings of @cell from its company and its rate. Return: 0 or -ENOMEM */
int sc_find_company(struct sc_cell *cell);
