/* SPDX-License-Identifier: MIT */

/*
 * Method. A shard is taken with one compare-and-swap and handed back by a destructor of the
 * thread, counters intact, so that the next new thread goes on with it. Which meter and which
 * reset a thread's state belongs to is one number, the generation; where it differs, the thread
 * comes here:
 *
 *   - after a reset it zeroes its own shard. Readers skip shards of an older epoch meanwhile, so
 *     the reset is exact although nobody but the owner ever writes a counter;
 *   - after a stop and start, or in a child of fork(), it takes a shard of the new meter.
 *
 * A child of fork() starts its meter when it first records, not in fork() itself: most children
 * only call exec.
 */

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ledger.h"
#include "mapping.h"

__thread struct sc_thread sc_thread_self __attribute__((tls_model(SC_TLS_MODEL)));

static pthread_key_t key;
static _Atomic bool has_key;

static void release_shard(struct sc_thread *thread)
{
	if (thread->shard &&
	    thread->instance == atomic_load_explicit(&sc_ledger.instance, memory_order_relaxed)) {
		atomic_store_explicit(&thread->entry->state, SC_SHARD_FREE, memory_order_release);
		(void)atomic_fetch_add_explicit(&sc_ledger.shards_free, 1, memory_order_release);
	}
	thread->shard = NULL;
	thread->generation = 0;
	sc_cpu_release(thread);
}

static void thread_ends(void *state)
{
	release_shard(state);
}

int sc_thread_prepare(void)
{
	int r;

	if (atomic_load(&has_key))
		return 0;
	r = pthread_key_create(&key, thread_ends);
	if (r == 0)
		atomic_store(&has_key, true);
	return -r;
}

static void clear_words(_Atomic uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		atomic_store_explicit(&words[i], 0, memory_order_relaxed);
}

static void clear_series(struct sc_series *series)
{
	clear_words(&series->calls,
		    (offsetof(struct sc_series, buckets) - offsetof(struct sc_series, calls)) /
			    sizeof(uint64_t));
	for (uint32_t i = 0; i < SC_HIST_BUCKETS; i++)
		atomic_store_explicit(&series->buckets[i], 0, memory_order_relaxed);
}

/* By its owner only. The ring keeps its old records; commit_count says that none is valid. */
static void clear_shard(struct sc_thread *thread, uint32_t epoch)
{
	struct sc_meter *meter = sc_ledger.meter;
	struct sc_shard *shard = thread->shard;
	uint32_t used = atomic_load_explicit(&meter->series_used, memory_order_relaxed);

	for (uint32_t i = 0; i < used && i < SC_METER_SERIES; i++) {
		const struct sc_series_entry *entry = &meter->series_entries[i];

		if (atomic_load_explicit(&entry->key, memory_order_acquire) &&
		    atomic_load_explicit(&entry->shard, memory_order_relaxed) ==
			    thread->shard_index)
			clear_series(&meter->series[i]);
	}
	clear_words(&shard->calls,
		    (offsetof(struct sc_shard, series) - offsetof(struct sc_shard, calls)) /
			    sizeof(uint64_t));
	atomic_store_explicit(&thread->entry->epoch, epoch, memory_order_release);
}

static bool take_over(uint32_t *ret_index)
{
	struct sc_meter *meter = sc_ledger.meter;

	if (!atomic_load_explicit(&sc_ledger.shards_free, memory_order_acquire))
		return false;
	for (uint32_t i = 0; i < SC_METER_SHARDS; i++) {
		uint32_t state = SC_SHARD_FREE;

		if (atomic_compare_exchange_strong_explicit(&meter->shard_entries[i].state, &state,
							    SC_SHARD_OWNED, memory_order_acquire,
							    memory_order_relaxed)) {
			(void)atomic_fetch_sub_explicit(&sc_ledger.shards_free, 1,
							memory_order_relaxed);
			*ret_index = i;
			return true;
		}
	}
	return false;
}

static bool take_shard(uint32_t *ret_index)
{
	struct sc_meter *meter = sc_ledger.meter;
	uint32_t index;

	if (take_over(ret_index))
		return true;
	if (atomic_load_explicit(&meter->shards_used, memory_order_relaxed) >= SC_METER_SHARDS)
		return false;
	index = atomic_fetch_add_explicit(&meter->shards_used, 1, memory_order_relaxed);
	if (index >= SC_METER_SHARDS ||
	    !sc_mapping_back(&meter->shards[index], offsetof(struct sc_shard, commits)))
		return false;
	atomic_store_explicit(&meter->shard_entries[index].state, SC_SHARD_OWNED,
			      memory_order_release);
	*ret_index = index;
	return true;
}

bool sc_thread_has_ring(struct sc_thread *thread)
{
	_Atomic uint32_t *has_ring = &thread->entry->has_ring;

	if (atomic_load_explicit(has_ring, memory_order_relaxed))
		return true;
	if (!sc_mapping_back(thread->shard->commits, sizeof(thread->shard->commits)))
		return false;
	atomic_store_explicit(has_ring, 1, memory_order_release);
	return true;
}

static bool attach_shard(struct sc_thread *thread)
{
	struct sc_meter *meter = sc_ledger.meter;
	uint32_t index;

	if (!take_shard(&index)) {
		(void)atomic_fetch_add_explicit(&meter->calls_dropped, 1, memory_order_relaxed);
		return false;
	}
	thread->shard = &meter->shards[index];
	thread->entry = &meter->shard_entries[index];
	thread->shard_index = index;
	atomic_store_explicit(&thread->entry->thread, (uint32_t)syscall(SYS_gettid),
			      memory_order_relaxed);
	thread->random = 2463534242u ^ ((index + 1u) * 2654435761u);
	if (!thread->random)
		thread->random = 1;
	sc_cpu_release(thread); /* an inherited descriptor shows the parent's thread */
	if (pthread_setspecific(key, thread) != 0)
		(void)0; /* without the destructor the shard stays this thread's for good */
	return true;
}

struct sc_thread *sc_thread_attach(struct sc_thread *thread)
{
	uint32_t generation = atomic_load_explicit(&sc_ledger.generation, memory_order_acquire);
	uint32_t instance, epoch;
	int saved = errno;

	if (generation == SC_LEDGER_FORKED)
		generation = sc_mapping_reopen();
	if (generation >= SC_LEDGER_FORKED)
		return NULL;

	instance = atomic_load_explicit(&sc_ledger.instance, memory_order_relaxed);
	if (!thread->shard || thread->instance != instance) {
		if (!attach_shard(thread)) {
			errno = saved;
			return NULL;
		}
		thread->instance = instance;
	}

	epoch = atomic_load_explicit(&sc_ledger.meter->epoch, memory_order_acquire);
	if (atomic_load_explicit(&thread->entry->epoch, memory_order_relaxed) != epoch)
		clear_shard(thread, epoch);
	/* Nothing in progress is known any more; the first call of each part is read. */
	memset(&thread->calls, 0, sizeof(thread->calls));
	memset(thread->samplers, 0, sizeof(thread->samplers));
	memset(thread->readings, 0, sizeof(thread->readings));
	thread->checkpoint_depth = 0;
	thread->generation = generation;
	errno = saved;
	return thread;
}
