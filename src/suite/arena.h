/* SPDX-License-Identifier: MIT */
#pragma once

/* Memory that grows in blocks and is freed whole. */

#include <stddef.h>

struct sc_arena { /* {0} is empty */
	struct sc_arena_block *blocks;
};

/** sc_arena_take() - @count bytes, not aligned, not cleared. Return: NULL: no memory. */
char *sc_arena_take(struct sc_arena *arena, size_t count);
void sc_arena_fini(struct sc_arena *arena);
