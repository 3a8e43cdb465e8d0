/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * JSON trees that are read once and let go as a whole: a cell of a report is some 1,500 nodes, and
 * to allocate and free each of them was a third of the time that reading took.
 */

#include <cjson/cJSON.h>
#include <stddef.h>

struct sc_json_block;

struct sc_json_arena {
	struct sc_json_block *blocks; /* owned; the one in use first */
};

/**
 * sc_json_arena_parse() - all of @text as one value, as cJSON_ParseWithOpts() does
 *
 * The tree belongs to the arena: not for cJSON_Delete(), and gone with the next call of any of
 * these. It sets cJSON's allocator while it runs, so no other thread may use cJSON meanwhile.
 * Return: NULL if it is no JSON, or for lack of memory.
 */
cJSON *sc_json_arena_parse(struct sc_json_arena *arena, const char *text);

/** sc_json_arena_fini() - back to the empty arena. */
void sc_json_arena_fini(struct sc_json_arena *arena);
