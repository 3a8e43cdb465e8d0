/* SPDX-License-Identifier: MIT */

/*
 * For LD_PRELOAD: memory that is not released. Each call of sqlite3_step() that ends a statement
 * loses LEAK_BYTES bytes, of LEAK_FROM: "malloc" or "sqlite". With LEAK_NOISE, memory in use goes
 * up and down besides, by blocks of up to so many bytes that are kept for a while.
 */

#include <dlfcn.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define KEPT 16

static size_t number(const char *name)
{
	const char *text = getenv(name);

	return text ? (size_t)strtoull(text, NULL, 10) : 0;
}

static void lose(size_t bytes)
{
	static void *volatile lost;
	const char *from = getenv("LEAK_FROM");

	if (bytes > 0)
		lost = from && strcmp(from, "sqlite") == 0 ? sqlite3_malloc64(bytes)
							   : malloc(bytes);
	(void)lost;
}

static void make_noise(size_t most)
{
	static void *kept[KEPT];
	static uint64_t random = 88172645463325252u;
	size_t at;

	if (most == 0)
		return;
	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	at = random % KEPT;
	free(kept[at]);
	kept[at] = malloc(1 + (random >> 8) % most);
}

__attribute__((visibility("default"))) int sqlite3_step(sqlite3_stmt *statement)
{
	static int (*real)(sqlite3_stmt *);
	int rc;

	if (!real) {
		void *symbol = dlsym(RTLD_NEXT, "sqlite3_step");

		memcpy(&real, &symbol, sizeof(real));
	}
	rc = real(statement);
	if (rc == SQLITE_DONE) {
		lose(number("LEAK_BYTES"));
		make_noise(number("LEAK_NOISE"));
	}
	return rc;
}
