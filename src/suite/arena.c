/* SPDX-License-Identifier: MIT */

/* A list of blocks, the newest first; what does not fit a block gets one of its own size. */

#include "arena.h"

#include <stdlib.h>

#define BLOCK_BYTES 65536u

struct sc_arena_block {
	struct sc_arena_block *next;
	size_t used, size;
	char bytes[];
};

void sc_arena_fini(struct sc_arena *arena)
{
	while (arena->blocks) {
		struct sc_arena_block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
}

char *sc_arena_take(struct sc_arena *arena, size_t count)
{
	struct sc_arena_block *block = arena->blocks;
	char *bytes;

	if (!block || block->size - block->used < count) {
		size_t size = count > BLOCK_BYTES ? count : BLOCK_BYTES;

		block = malloc(sizeof *block + size);
		if (!block)
			return NULL;
		block->next = arena->blocks;
		block->used = 0;
		block->size = size;
		arena->blocks = block;
	}
	bytes = block->bytes + block->used;
	block->used += count;
	return bytes;
}
