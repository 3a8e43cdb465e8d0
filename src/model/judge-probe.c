/* SPDX-License-Identifier: MIT */

/*
 * What a probe's figures say of the storage, besides what it costs. All of it is evidence and none
 * of it proof: a flush that is ignored and a cache that outlives a power cut look alike.
 *
 *	flush free      a write and a sync cost at most 10 us more than a direct write alone,
 *	                although the kernel believes in a write cache that a flush must empty
 *	a turn          4 ms, of 15,000 turns a minute, the most that were built: who overwrites one
 *	                place again waits for a whole turn. Below 1 ms it is the flag that is
 *doubted, by sc_judge_target() forced writes   less than a quarter of write and flush, where the
 *disk takes them fsync           twice fdatasync and 20 us more
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "format.h"
#include "judge.h"
#include "probe.h"

#define N_MIN         20u /* of a median that is held against another */
#define FLUSH_NS_MIN  10000u
#define TURN_NS       4000000u
#define FLAG_NS       1000000u
#define FUA_SHARE     4u
#define FSYNC_FACTOR  2u
#define FSYNC_NS_MORE 20000u

static uint64_t median(const struct sc_probe *probe, const char *key)
{
	const struct sc_probe_row *row = sc_probe_find(probe, key);

	return row && row->operation.n >= N_MIN ? row->operation.ns[SC_PROBE_P50] : 0;
}

static const char *ns_text(uint64_t ns, char *text)
{
	return sc_format_ns((double)ns, text, SC_FORMAT_BYTES);
}

static int judge_flush(struct sc_probe *probe, uint64_t synced_ns)
{
	struct sc_target *target = &probe->target;
	uint64_t direct_ns = median(probe, "overwrite/4096/direct-none");
	char synced[SC_FORMAT_BYTES], direct[SC_FORMAT_BYTES];

	if (!target->write_cache || strcmp(target->write_cache, "write back") != 0 ||
	    direct_ns == 0 || synced_ns > direct_ns + FLUSH_NS_MIN)
		return 0;
	return sc_findings_add(&target->findings, SC_FINDING_FLUSH_FREE, target->label,
			       ns_text(synced_ns, synced), ns_text(direct_ns, direct));
}

static int judge_turn(struct sc_probe *probe, uint64_t synced_ns, uint64_t n)
{
	struct sc_target *target = &probe->target;
	char synced[SC_FORMAT_BYTES], count[SC_FORMAT_BYTES];

	if (target->rotational_status != SC_MEASURED || !target->rotational || target->is_virtual ||
	    synced_ns < FLAG_NS || synced_ns >= TURN_NS)
		return 0;
	(void)snprintf(count, sizeof(count), "%" PRIu64, n);
	return sc_findings_add(&target->findings, SC_FINDING_FASTER_THAN_TURN, target->label,
			       ns_text(synced_ns, synced), count);
}

static int judge_fua(struct sc_probe *probe)
{
	struct sc_target *target = &probe->target;
	uint64_t forced_ns = median(probe, "overwrite/4096/direct-dsync");
	uint64_t flushed_ns = median(probe, "overwrite/4096/direct-fdatasync");
	char forced[SC_FORMAT_BYTES], flushed[SC_FORMAT_BYTES];

	if (!target->fua || strcmp(target->fua, "yes") != 0 || forced_ns == 0 ||
	    forced_ns > flushed_ns / FUA_SHARE)
		return 0;
	return sc_findings_add(&target->findings, SC_FINDING_FUA_CHEAP, target->label,
			       ns_text(forced_ns, forced), ns_text(flushed_ns, flushed));
}

static int judge_fsync(struct sc_probe *probe, uint64_t synced_ns)
{
	struct sc_target *target = &probe->target;
	uint64_t fsync_ns = median(probe, "overwrite/4096/fsync");
	char dear[SC_FORMAT_BYTES], cheap[SC_FORMAT_BYTES];

	if (fsync_ns < synced_ns * FSYNC_FACTOR || fsync_ns < synced_ns + FSYNC_NS_MORE)
		return 0;
	return sc_findings_add(&target->findings, SC_FINDING_FSYNC_DEARER, target->label,
			       ns_text(fsync_ns, dear), ns_text(synced_ns, cheap));
}

static int judge_modes(struct sc_probe *probe, const struct sc_probe_row *row)
{
	struct sc_target *target = &probe->target;
	char low[SC_FORMAT_BYTES], high[SC_FORMAT_BYTES];

	if (!row->has_modes)
		return 0;
	return sc_findings_add(&target->findings, SC_FINDING_TWO_LATENCIES, target->label,
			       sc_probe_method_title(row->method), ns_text(row->mode_low_ns, low),
			       ns_text(row->mode_high_ns, high));
}

/* The floor that a report's target has, from the probe. */
static void set_floor(struct sc_target *target, const struct sc_probe_row *row)
{
	target->sync_floor_status = SC_MEASURED;
	target->sync_floor_ns_p50 = row->operation.ns[SC_PROBE_P50];
	target->sync_floor_n = row->operation.n;
}

int sc_probe_judge(struct sc_probe *probe, struct sc_error *error)
{
	const struct sc_probe_row *row = sc_probe_find(probe, "overwrite/4096/fdatasync");
	uint64_t synced_ns = median(probe, "overwrite/4096/fdatasync");
	int r;

	if (row)
		set_floor(&probe->target, row);
	r = sc_judge_target(&probe->target);
	if (r == 0 && row && synced_ns > 0 && !sc_target_is_memory(&probe->target)) {
		r = judge_flush(probe, synced_ns);
		if (r == 0)
			r = judge_turn(probe, synced_ns, row->operation.n);
		if (r == 0)
			r = judge_fua(probe);
		if (r == 0)
			r = judge_fsync(probe, synced_ns);
		if (r == 0)
			r = judge_modes(probe, row);
	}
	if (r < 0)
		return sc_fail(error, r, "judging '%s'", probe->target.label);
	sc_findings_sort(&probe->target.findings);
	return 0;
}
