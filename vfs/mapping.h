/* SPDX-License-Identifier: MIT */
#pragma once

/* The meter as a file on tmpfs: its life, and what fork() does to it. */

#include <stdint.h>

/** sc_mapping_reopen() - a child's first record: its own meter. Return: generation, or OFF. */
uint32_t sc_mapping_reopen(void);

/** sc_thread_prepare() - once per process, before a thread attaches. Return: 0 or -errno. */
int sc_thread_prepare(void);

/** sc_ledger_database_unlock() - in a child of fork(): nobody else is adding here. */
void sc_ledger_database_unlock(void);
