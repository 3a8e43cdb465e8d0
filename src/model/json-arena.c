/* SPDX-License-Identifier: MIT */
#include "json-arena.h"

/* Blocks that are filled from their beginning; the largest is kept for the next tree. */

#include <stdalign.h>
#include <stdbool.h>
#include <stdlib.h>

#define BLOCK_BYTES_MIN 65536u

struct sc_json_block {
	struct sc_json_block *next;
	size_t size, used; /* bytes of data */
	alignas(max_align_t) char data[];
};

static struct sc_json_arena *current; /* cJSON's hooks have no context */

static bool add_block(struct sc_json_arena *arena, size_t bytes)
{
	size_t size = arena->blocks ? 2 * arena->blocks->size : BLOCK_BYTES_MIN;
	struct sc_json_block *block;

	if (size < bytes)
		size = bytes;
	block = malloc(sizeof(*block) + size);
	if (!block)
		return false;
	*block = (struct sc_json_block){.next = arena->blocks, .size = size};
	arena->blocks = block;
	return true;
}

static void *take(size_t bytes)
{
	struct sc_json_block *block = current->blocks;
	void *taken;

	bytes = (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
	if (!block || block->size - block->used < bytes) {
		if (!add_block(current, bytes))
			return NULL;
		block = current->blocks;
	}
	taken = block->data + block->used;
	block->used += bytes;
	return taken;
}

static void leave(void *pointer)
{
	(void)pointer; /* it goes with its block */
}

static void free_blocks(struct sc_json_block *block)
{
	while (block) {
		struct sc_json_block *next = block->next;

		free(block);
		block = next;
	}
}

cJSON *sc_json_arena_parse(struct sc_json_arena *arena, const char *text)
{
	cJSON_Hooks hooks = {.malloc_fn = take, .free_fn = leave};
	const char *end = NULL;
	cJSON *json;

	if (arena->blocks) {
		free_blocks(arena->blocks->next);
		arena->blocks->next = NULL;
		arena->blocks->used = 0;
	}
	current = arena;
	cJSON_InitHooks(&hooks);
	json = cJSON_ParseWithOpts(text, &end, true);
	cJSON_InitHooks(NULL);
	current = NULL;
	return json;
}

void sc_json_arena_fini(struct sc_json_arena *arena)
{
	free_blocks(arena->blocks);
	arena->blocks = NULL;
}
