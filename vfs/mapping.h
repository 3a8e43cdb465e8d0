/* SPDX-License-Identifier: MIT */
#pragma once

/* The meter as a file on tmpfs: its life, and what fork() does to it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** sc_mapping_reopen() - a child's first record: its own meter. Return: generation, or OFF. */
uint32_t sc_mapping_reopen(void);

/**
 * sc_mapping_back() - have memory behind a part of the meter before it is used
 *
 * A tmpfs that is full answers the first touch of a page with SIGBUS; asked beforehand, it says no.
 * Kernels before 5.14 cannot be asked. errno is preserved.
 *
 * Return: false: do not touch it.
 */
bool sc_mapping_back(const void *start, size_t bytes);

/** sc_thread_prepare() - once per process, before a thread attaches. Return: 0 or -errno. */
int sc_thread_prepare(void);

/** sc_ledger_database_unlock() - in a child of fork(): nobody else is adding here. */
void sc_ledger_database_unlock(void);
