/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The recording interface of both instruments: who writes where in the meter.
 *
 *	struct sc_thread *thread = sc_thread_get();
 *
 *	if (!thread)
 *		return ...forward only...;
 *	series = sc_ledger_series(thread, SC_INSTRUMENT_LIBC, database, role, SC_OP_WRITE);
 *	if (series)
 *		sc_ledger_note(series, true, ns, bytes, failed, thread->checkpoint_depth > 0);
 *
 * Nothing here allocates, locks or changes errno, except where said. Recording functions are for
 * the thread whose state they are given.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls.h"
#include "clock.h"
#include "cpu.h"
#include "syncost/meter.h"

/* When to read thread CPU again, per part of the split (see sample.h). */
struct sc_sampler {
	uint32_t countdown; /* calls until the next reading; 0 and 1: this one */
	uint32_t gap;       /* calls from the last reading to the next */
	uint32_t stride;    /* mean of what the gap was drawn from: the weight of that reading */
	uint64_t ns;        /* wall of the calls since the last reading */
	uint64_t limit_ns;  /* beyond it, the gap was drawn for another kind of calls */
};

/*
 * What the tap measured inside the present shim call. The shim clears it on entry, and says whether
 * it wants readings: of cheap syncs it wants one in so many, so that reading does not cost more
 * than the sync. Outside of shim calls (vfs_depth 0) the tap decides alone.
 */
struct sc_below {
	bool is_wanted;        /* read thread CPU around the syncs of this call */
	uint32_t n;            /* intervals around which the tap read thread CPU */
	uint64_t wall_ns;      /* their wall time */
	uint64_t cpu_ns;       /* their thread CPU time */
	uint64_t run_delay_ns; /* their time runnable but not running */
	uint64_t off_cpu_ns;   /* the rest of wall_ns */
	uint64_t own_ns;       /* what the readings themselves took, wall */
};

/* State of one thread; zero until its first call. */
struct sc_thread {
	uint32_t generation; /* of the ledger when it attached; others: attach again */
	uint32_t instance;   /* of the ledger when it took its shard */
	uint32_t shard_index;
	struct sc_shard *shard;
	struct sc_shard_entry *entry; /* of the shard */
	uint32_t tap_depth;           /* > 0: inside the tap, its hooks go straight through */
	uint32_t vfs_depth;           /* > 0: inside a shim call; a shim on a shim counts once */
	uint32_t checkpoint_depth;    /* > 0: inside a checkpoint of any of its connections */
	bool is_tap_absent;           /* the last sync the tap was to read never reached it */
	uint32_t random;              /* state of the sampling generator, never 0 once attached */
	uint64_t part_ns[SC_PART_COUNT_]; /* running sums of wall time in VFS calls, by part */
	uint64_t own_ns;        /* running sum: readings of CPU made between those calls */
	uint64_t wait_sql_ns;   /* running sum: waiting for locks, outside of VFS calls */
	uint64_t checkpoint_ns; /* running sum: checkpoints that ended on this thread */
	uint64_t written_bytes; /* running sum: accepted by xWrite */
	uint64_t syncs;         /* running sum: xSync calls */
	struct sc_below below;
	/*
	 * 1 + database * SC_ROLE_COUNT_ + role of the file that the shim's xOpen is having opened
	 * below it; 0 outside of it. Names of temporary files do not tell the tap their role.
	 */
	uint32_t opening;
	struct sc_sampler samplers[SC_PART_COUNT_];
	int schedstat_fd;                           /* + 1; 0: not opened, -1: cannot be opened */
	uint64_t schedstat_device, schedstat_inode; /* to recognise it before closing */
	struct sc_readings
		readings[SC_PART_COUNT_]; /* since it attached: what those not read are like */
	uint64_t pair_ns;             /* what a pair of readings takes lately; 0: as calibrated */
	uint64_t read_ns;             /* clock at the last reading; 0: none yet */
	struct sc_cpu_mark read_mark; /* and what it read */
	struct sc_calls calls;        /* the shim's own state */
};

/*
 * Initial-exec: no call on access, also in a shared object loaded at start. One that is loaded
 * later may find no room for that, so the loadable extension has another model.
 */
#ifndef SC_TLS_MODEL
#define SC_TLS_MODEL "initial-exec"
#endif
extern __thread struct sc_thread sc_thread_self __attribute__((tls_model(SC_TLS_MODEL)));

/* The process's meter. */
struct sc_ledger {
	struct sc_meter *meter;       /* stays mapped for the life of the process once started */
	_Atomic uint32_t generation;  /* counts starts and resets; see the two values below */
	_Atomic uint32_t instance;    /* counts meters, from 1 */
	_Atomic uint32_t instruments; /* bit per enum sc_instrument that is on */
	_Atomic uint32_t shards_free; /* handed back and not yet taken over */
	_Atomic uint32_t is_cpu_on;   /* syncost_options.cpu */
};

#define SC_LEDGER_OFF    UINT32_MAX       /* not started, or stopped */
#define SC_LEDGER_FORKED (UINT32_MAX - 1) /* a child that has not recorded yet */

extern struct sc_ledger sc_ledger;

/** sc_thread_has_ring() - whether commit records can be kept; takes the memory for them */
bool sc_thread_has_ring(struct sc_thread *thread);

/* Slow path of sc_thread_get(): takes a shard. NULL: the ledger is off, or none is left. */
struct sc_thread *sc_thread_attach(struct sc_thread *thread);

/**
 * sc_thread_get() - the calling thread, ready to record
 *
 * Return: NULL when there is no meter or no shard left; the call was then counted as dropped
 * (only the latter), and the caller forwards without recording. errno is preserved.
 */
static inline struct sc_thread *sc_thread_get(void)
{
	struct sc_thread *thread = &sc_thread_self;

	if (__builtin_expect(thread->generation == atomic_load_explicit(&sc_ledger.generation,
									memory_order_relaxed),
			     1))
		return thread;
	return sc_thread_attach(thread);
}

/* Single-writer addition: a load and a store, no locked instruction. */
static inline void sc_add64(_Atomic uint64_t *value, uint64_t amount)
{
	atomic_store_explicit(value, atomic_load_explicit(value, memory_order_relaxed) + amount,
			      memory_order_relaxed);
}

static inline void sc_add32(_Atomic uint32_t *value, uint32_t amount)
{
	atomic_store_explicit(value, atomic_load_explicit(value, memory_order_relaxed) + amount,
			      memory_order_relaxed);
}

/* Slow path of sc_ledger_series(): takes one from the pool. */
struct sc_series *sc_ledger_series_take(struct sc_thread *thread, uint32_t key);

/**
 * sc_ledger_series() - where this thread counts one operation on one role of one database
 * Return: NULL when the pool is used up; the call was then counted as dropped.
 */
static inline struct sc_series *sc_ledger_series(struct sc_thread *thread,
						 enum sc_instrument instrument, uint32_t database,
						 enum sc_role role, enum sc_op op)
{
	uint32_t key = sc_series_key(instrument, database, role, op);
	uint32_t index = atomic_load_explicit(&thread->shard->series[key], memory_order_relaxed);

	if (__builtin_expect(index != 0, 1))
		return &sc_ledger.meter->series[index - 1];
	return sc_ledger_series_take(thread, key);
}

/**
 * sc_ledger_note() - one call
 * @is_timed: whether @ns was measured; if not, the call is only counted
 * @bytes: accepted by the call
 * @is_failed: counted in failures too
 * @in_checkpoint: booked in checkpoint_* too
 */
static inline void sc_ledger_note(struct sc_series *series, bool is_timed, uint64_t ns,
				  uint64_t bytes, bool is_failed, bool in_checkpoint)
{
	sc_add64(&series->calls, 1);
	if (is_failed)
		sc_add64(&series->failures, 1);
	if (bytes)
		sc_add64(&series->bytes, bytes);
	if (is_timed) {
		sc_add64(&series->timed, 1);
		sc_add64(&series->ns, ns);
		if (ns > atomic_load_explicit(&series->ns_max, memory_order_relaxed))
			atomic_store_explicit(&series->ns_max, ns, memory_order_relaxed);
		sc_add32(&series->buckets[sc_hist_bucket(ns)], 1);
	}
	if (__builtin_expect(in_checkpoint, 0)) {
		sc_add64(&series->checkpoint_calls, 1);
		sc_add64(&series->checkpoint_bytes, bytes);
		sc_add64(&series->checkpoint_ns, ns);
	}
}

/**
 * sc_ledger_note_cpu() - shares of a call that was just noted as timed
 * @weight: how many calls this reading stands for, >= 1
 */
static inline void sc_ledger_note_cpu(struct sc_series *series, uint64_t weight, uint64_t wall_ns,
				      uint64_t cpu_ns, uint64_t run_delay_ns)
{
	sc_add64(&series->cpu_n, 1);
	sc_add64(&series->cpu_wall_ns, weight * wall_ns);
	sc_add64(&series->cpu_ns, weight * cpu_ns);
	sc_add64(&series->run_delay_ns, weight * run_delay_ns);
}

/**
 * sc_ledger_database() - slot of a main database file, found or added
 * @path: full path as SQLite passes it to xOpen
 *
 * Return: 1 … SC_METER_DATABASES - 1; 0 when the table is full or there is no meter. Adding
 * excludes other adders for a moment; those who look things up never wait.
 */
uint32_t sc_ledger_database(const char *path);

/**
 * sc_ledger_database_find() - which database a path belongs to, and as what
 * @path: full path of any file: main file, -wal, -journal, -shm, -snapshot, -mjXXXXXXXXX, or the
 * directory of a known database
 * @ret_role: always set; SC_ROLE_OTHER if no database is known for it
 *
 * Return: the slot, 0 if none is known.
 */
uint32_t sc_ledger_database_find(const char *path, enum sc_role *ret_role);

/**
 * sc_ledger_size() - the one file of @role now has @bytes
 *
 * Published for growth before the call that grows, for shrinking after the call that shrank:
 * the highest moment is never missed. Any thread.
 */
void sc_ledger_size(uint32_t database, enum sc_role role, uint64_t bytes);

/** sc_ledger_size_known() - as last published */
static inline uint64_t sc_ledger_size_known(uint32_t database, enum sc_role role)
{
	return atomic_load_explicit(&sc_ledger.meter->databases[database].size_bytes[role],
				    memory_order_relaxed);
}

/**
 * sc_ledger_size_seen() - a look at the file told @bytes
 * @known_bytes: sc_ledger_size_known() from before the look
 *
 * Published unless the size was published anew meanwhile. Any thread.
 */
void sc_ledger_size_seen(uint32_t database, enum sc_role role, uint64_t known_bytes,
			 uint64_t bytes);

/** sc_ledger_size_change() - one of several files of @role (temporary ones) changed its size. */
void sc_ledger_size_change(uint32_t database, enum sc_role role, uint64_t old_bytes,
			   uint64_t new_bytes);

/**
 * sc_ledger_open() - create the meter and turn the ledger on
 * @directory: tmpfs directory; NULL: $XDG_RUNTIME_DIR, then /dev/shm
 * @is_anonymous: no file
 * @is_cpu_on: whether instruments read thread CPU
 *
 * One thread at a time. Return: 0, or a negative errno value.
 */
int sc_ledger_open(const char *directory, bool is_anonymous, bool is_cpu_on);

/**
 * sc_ledger_keep() - before it is opened: meter files stay when their process ends
 *
 * Whoever named the directory removes them with it. "syncost-meter.PID.N", N from 0.
 */
void sc_ledger_keep(void);

/** sc_ledger_close() - turn it off and remove the file; late writers hit private memory. */
void sc_ledger_close(void);

/** sc_ledger_is_on() - whether there is a meter. */
static inline bool sc_ledger_is_on(void)
{
	return atomic_load_explicit(&sc_ledger.generation, memory_order_acquire) < SC_LEDGER_FORKED;
}

/** sc_ledger_instrument() - an instrument begins or ends counting. */
void sc_ledger_instrument(enum sc_instrument instrument, bool is_on);

/** sc_ledger_reset() - zero everything; exact for threads with no call in flight. */
void sc_ledger_reset(void);

/** sc_ledger_path() - of the meter file, NULL if there is none. */
const char *sc_ledger_path(void);
