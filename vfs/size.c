/* SPDX-License-Identifier: MIT */

/*
 * Method. A role of a database that is one file has one size, whatever handle moves it; several
 * threads may look while one writes, so a look never overwrites what was published during it, and
 * a writer publishes again after it wrote. A temporary file's size is its handle's, and the role's
 * is their sum.
 */

#include "size.h"

#include <errno.h>

#include "role.h"

uint64_t sc_size_known(const struct sc_file *file)
{
	return sc_role_is_shared(file->role) ? sc_ledger_size_known(file->database, file->role)
					     : file->size_bytes;
}

void sc_size_set(struct sc_file *file, uint64_t bytes)
{
	if (sc_role_is_shared(file->role)) {
		sc_ledger_size(file->database, file->role, bytes);
		return;
	}
	sc_ledger_size_change(file->database, file->role, file->size_bytes, bytes);
	file->size_bytes = bytes;
}

void sc_size_reach(struct sc_file *file, uint64_t end_bytes)
{
	if (end_bytes > sc_size_known(file))
		sc_size_set(file, end_bytes);
}

void sc_size_seen(struct sc_file *file, uint64_t known_bytes, uint64_t bytes)
{
	if (sc_role_is_shared(file->role))
		sc_ledger_size_seen(file->database, file->role, known_bytes, bytes);
	else
		sc_size_set(file, bytes);
}

void sc_size_ask(struct sc_thread *thread, struct sc_file *file)
{
	uint64_t known_bytes = sc_size_known(file);
	sqlite3_int64 size = 0;
	int saved = errno;

	thread->tap_depth++;
	if (sc_forward_file_size(&file->forward.base, &size) == SQLITE_OK && size >= 0)
		sc_size_seen(file, known_bytes, (uint64_t)size);
	thread->tap_depth--;
	errno = saved;
}

void sc_size_truncated(struct sc_thread *thread, struct sc_file *file, uint64_t bytes)
{
	if (file->chunk_bytes)
		sc_size_ask(thread, file);
	else
		sc_size_set(file, bytes);
}

void sc_size_before_hint(struct sc_file *file, int64_t hint_bytes)
{
	uint64_t chunk = file->chunk_bytes;

	if (chunk && hint_bytes > 0)
		sc_size_reach(file, ((uint64_t)hint_bytes + chunk - 1) / chunk * chunk);
}

void sc_size_closed(struct sc_file *file)
{
	if (!sc_role_is_shared(file->role))
		sc_size_set(file, 0);
}
