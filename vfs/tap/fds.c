/* SPDX-License-Identifier: MIT */

/*
 * Method. One word a descriptor, read and written whole, so no lock is needed: what a thread does
 * with a descriptor while another closes it is that program's error, and costs at worst one call
 * ascribed to the wrong file.
 *
 *	bit 31      known; else the kernel is asked when the descriptor is first used
 *	bit 30      ours: the low bits are database and role
 *	bits 10-25  instance of the meter that the slot numbers belong to
 *	bits 0-5    of a stranger: how many databases were known when it was found to be one
 *
 * A stranger is asked about again once another database has been named, for it may have been
 * opened before its name was. Numbers that libc closes behind our back (pclose, closedir and
 * their like never hold files of SQLite) keep an entry that the next open of that number
 * replaces. Descriptors past the table are asked about at each call: right, only slower.
 */

#include "file.h"

#include <stdatomic.h>

#include "../ledger.h"
#include "watch.h"

#define TABLE_FDS      65536u
#define KNOWN          (1u << 31)
#define INSTANCE_SHIFT 10u
#define INSTANCE_MASK  (0xffffu << INSTANCE_SHIFT)
#define COUNT_MASK     (SC_METER_DATABASES - 1u)
#define FILE_MASK      (SC_TAP_OURS | ((1u << INSTANCE_SHIFT) - 1u))

static_assert((SC_METER_DATABASES & COUNT_MASK) == 0, "a count is a mask");
static_assert(SC_TAP_ROLE_BITS + SC_TAP_DATABASE_BITS == INSTANCE_SHIFT, "fields do not overlap");

static _Atomic uint32_t table[TABLE_FDS];
static _Atomic uint32_t used; /* entries ever written, counted from the front */

static uint32_t instance_bits(void)
{
	uint32_t instance = atomic_load_explicit(&sc_ledger.instance, memory_order_relaxed);

	return instance << INSTANCE_SHIFT & INSTANCE_MASK;
}

/* Whether databases beyond the first @count have been named; slots are given out in order. */
static bool has_more_databases(uint32_t count)
{
	return count + 1u < SC_METER_DATABASES &&
	       atomic_load_explicit(&sc_ledger.meter->databases[count + 1u].used,
				    memory_order_relaxed);
}

static uint32_t count_databases(void)
{
	uint32_t count = 0;

	while (has_more_databases(count))
		count++;
	return count;
}

static void raise_used(uint32_t count)
{
	uint32_t seen = atomic_load_explicit(&used, memory_order_relaxed);

	while (seen < count &&
	       !atomic_compare_exchange_weak_explicit(&used, &seen, count, memory_order_relaxed,
						      memory_order_relaxed))
		;
}

static void store(int fd, sc_tap_file file)
{
	uint32_t low = file != SC_TAP_STRANGER ? file : count_databases();

	if ((uint32_t)fd >= TABLE_FDS)
		return;
	raise_used((uint32_t)fd + 1);
	atomic_store_explicit(&table[fd], KNOWN | instance_bits() | low, memory_order_relaxed);
}

/* Whether the table knows @fd; then @ret_file is set. */
static bool look_up(int fd, sc_tap_file *ret_file)
{
	uint32_t entry;

	if ((uint32_t)fd >= TABLE_FDS)
		return false;
	entry = atomic_load_explicit(&table[fd], memory_order_relaxed);
	if ((entry & (KNOWN | INSTANCE_MASK)) != (KNOWN | instance_bits()))
		return false;
	if (!(entry & SC_TAP_OURS)) {
		*ret_file = SC_TAP_STRANGER;
		return !has_more_databases(entry & COUNT_MASK);
	}
	*ret_file = entry & FILE_MASK;
	return true;
}

sc_tap_file sc_tap_fd_file(int fd)
{
	sc_tap_file file;

	if (__builtin_expect(look_up(fd, &file), 1))
		return file;
	if (fd < 0 || !sc_ledger_is_on())
		return SC_TAP_STRANGER;
	file = sc_tap_path_fd(fd);
	store(fd, file);
	return file;
}

sc_tap_file sc_tap_fd_known(int fd)
{
	sc_tap_file file;

	return look_up(fd, &file) ? file : SC_TAP_STRANGER;
}

void sc_tap_fd_set(int fd, sc_tap_file file)
{
	if (file == SC_TAP_STRANGER)
		sc_tap_fd_forget(fd);
	else
		store(fd, file);
}

void sc_tap_fd_forget(int fd)
{
	sc_tap_watch_forget(fd);
	if ((uint32_t)fd < TABLE_FDS && atomic_load_explicit(&table[fd], memory_order_relaxed))
		atomic_store_explicit(&table[fd], 0, memory_order_relaxed);
}

void sc_tap_fd_forget_range(uint32_t first, uint32_t last)
{
	uint32_t count = atomic_load_explicit(&used, memory_order_relaxed);

	for (uint32_t fd = first; fd < count && fd <= last; fd++)
		sc_tap_fd_forget((int)fd);
	sc_tap_watch_forget_range(first, last);
}
