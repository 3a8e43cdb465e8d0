/* SPDX-License-Identifier: MIT */

/*
 * Rounds over all rows, in an order that is shuffled for each round, so that a machine that gets
 * slower falls on all rows alike. In a round a row has a block: it is opened, operates until its
 * share of the time or of the samples is used, and is closed. The first operation of a block is
 * dropped where more followed: it pays for what was there before.
 *
 * The first round is completed whatever it takes; later blocks are left out when time is over. So a
 * slow storage has few samples of each row, and n says so.
 *
 * Quantiles are exact, over all samples of a row; the histogram has the buckets of the meter.
 */

#include "probe.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../stats/hist.h"
#include "../stats/modes.h"
#include "../stats/order.h"
#include "probe-kind.h"
#include "probe-place.h"

#define ROUNDS          4u
#define SAMPLES         1000u /* of a row, all rounds together */
#define SAMPLES_MAIN    2000u
#define MODES_RATIO_MIN 1.5
#define BUILD_BYTES     4096u

struct run {
	const struct sc_probe_request *request;
	struct sc_probe *probe;
	struct sc_probe_bench bench;
	struct sc_probe_samples *samples; /* a row each */
	uint64_t begin_ns, block_ns;
	size_t blocks_done;
};

void sc_probe_bench_fill(struct sc_probe_bench *bench, size_t bytes)
{
	for (size_t i = 0; i + sizeof(uint64_t) <= bytes; i += sizeof(uint64_t)) {
		uint64_t bits = sc_random_next(&bench->random);

		memcpy(bench->block + i, &bits, sizeof(bits));
	}
}

int sc_probe_bench_build(struct sc_probe_bench *bench, int fd, uint64_t bytes)
{
	off_t end = lseek(fd, 0, SEEK_END);

	bench->what = "lseek";
	if (end < 0)
		return -errno;
	if ((uint64_t)end >= bytes)
		return 0;
	bench->what = "pwrite";
	for (uint64_t offset = (uint64_t)end; offset < bytes; offset += BUILD_BYTES) {
		ssize_t written;

		sc_probe_bench_fill(bench, BUILD_BYTES);
		written = pwrite(fd, bench->block, BUILD_BYTES, (off_t)offset);
		if (written < 0)
			return -errno;
		if (written != BUILD_BYTES)
			return -ENOSPC;
	}
	bench->what = "fsync";
	return fsync(fd) < 0 ? -errno : 0;
}

bool sc_probe_samples_add(struct sc_probe_samples *samples, const struct sc_probe_sample *sample)
{
	if (samples->count == samples->capacity)
		return false;
	samples->total_ns[samples->count] = (double)sample->total_ns;
	samples->write_ns[samples->count] = (double)sample->write_ns;
	samples->sync_ns[samples->count] = (double)sample->sync_ns;
	samples->is_split = sample->is_split;
	samples->count++;
	return true;
}

static void samples_fini(struct sc_probe_samples *samples)
{
	free(samples->total_ns);
	free(samples->write_ns);
	free(samples->sync_ns);
}

static int samples_init(struct sc_probe_samples *samples, size_t capacity)
{
	samples->capacity = capacity;
	samples->total_ns = calloc(capacity, sizeof(double));
	samples->write_ns = calloc(capacity, sizeof(double));
	samples->sync_ns = calloc(capacity, sizeof(double));
	return samples->total_ns && samples->write_ns && samples->sync_ns ? 0 : -ENOMEM;
}

static const struct sc_probe_kind *kind_of(const struct sc_probe_row *row)
{
	static const struct sc_probe_kind *const kinds[] = {
		[SC_PROBE_METHODS] = &sc_probe_kind_write,
		[SC_PROBE_FILES] = &sc_probe_kind_file,
		[SC_PROBE_PAGES] = &sc_probe_kind_write,
		[SC_PROBE_WRITERS] = &sc_probe_kind_writers,
		[SC_PROBE_PACED] = &sc_probe_kind_write,
		[SC_PROBE_JOURNAL] = &sc_probe_kind_journal,
	};

	static_assert(SC_ARRAY_COUNT(kinds) == SC_PROBE_GROUP_COUNT_, "each group has a kind");
	return kinds[row->group];
}

static bool is_stopped(const struct run *run)
{
	return run->request->should_stop && run->request->should_stop(run->request->self);
}

static uint64_t samples_of(const struct sc_probe_row *row)
{
	return row->is_main ? SAMPLES_MAIN : SAMPLES;
}

/* One at a time. */
static int operate(struct run *run, const struct sc_probe_row *row, void *self,
		   struct sc_probe_samples *samples)
{
	uint64_t quota = samples_of(row) / ROUNDS, operations = 0, begin_ns = sc_monotonic_ns();
	struct sc_probe_sample sample = {0}, first = {0};
	size_t before = samples->count;

	do {
		int r = kind_of(row)->once(&run->bench, row, self, &sample);

		if (r < 0)
			return r;
		if (operations++ == 0)
			first = sample;
		else if (!sample.is_discarded)
			(void)sc_probe_samples_add(samples, &sample);
		samples->wall_ns += sample.total_ns;
		samples->done++;
	} while (samples->count - before < quota && !is_stopped(run) &&
		 sc_monotonic_ns() - begin_ns < run->block_ns);
	if (samples->count == before)
		(void)sc_probe_samples_add(samples, &first); /* there was no time for another */
	return 0;
}

static int run_block(struct run *run, const struct sc_probe_row *row,
		     struct sc_probe_samples *samples)
{
	const struct sc_probe_kind *kind = kind_of(row);
	void *self = NULL;
	int r = kind->open(&run->bench, row, &self);

	if (r == 0 && kind->block)
		r = kind->block(&run->bench, row, self, samples_of(row) / ROUNDS, run->block_ns,
				samples);
	else if (r == 0)
		r = operate(run, row, self, samples);
	kind->close(self);
	return r;
}

/* Whether it says something of a row, and not of the whole place. */
static bool is_of_row(int code, enum sc_status *ret_status)
{
	switch (code) {
	case -EACCES:
	case -EPERM:
		*ret_status = SC_DENIED;
		return true;
	case -EINVAL:
	case -ENOSYS:
	case -EOPNOTSUPP:
		*ret_status = SC_UNSUPPORTED;
		return true;
	case -ENOSPC:
	case -EDQUOT:
	case -ENOENT:
	case -ENOMEM:
	case -EROFS:
	case -ESTALE:
		return false;
	default:
		*ret_status = SC_FAILED;
		return true;
	}
}

/* A row that failed is not measured again. */
static int note_failure(struct run *run, struct sc_probe_row *row, int code, struct sc_error *error)
{
	char text[128];

	if (!is_of_row(code, &row->status))
		return sc_probe_place_fail(run->request->directory, run->bench.what, code, error);
	(void)snprintf(row->reason, sizeof(row->reason), "%s: %s", run->bench.what,
		       strerror_r(-code, text, sizeof(text)));
	return 0;
}

static bool is_out_of_time(const struct run *run, uint32_t round)
{
	return round > 0 && sc_monotonic_ns() - run->begin_ns > run->request->time_ns;
}

static int run_rounds(struct run *run, uint32_t *order, struct sc_error *error)
{
	struct sc_probe *probe = run->probe;

	for (uint32_t round = 0; round < ROUNDS; round++) {
		sc_random_shuffle(&run->bench.random, order, probe->row_count);
		for (size_t i = 0; i < probe->row_count; i++) {
			struct sc_probe_row *row = &probe->rows[order[i]];
			int r = 0;

			if (is_stopped(run) || is_out_of_time(run, round))
				return 0;
			if (row->status == SC_SKIPPED || row->status == SC_MEASURED) {
				r = run_block(run, row, &run->samples[order[i]]);
				row->status = SC_MEASURED;
			}
			if (r < 0)
				r = note_failure(run, row, r, error);
			if (r < 0)
				return r;
			run->blocks_done++;
			if (run->request->progress)
				run->request->progress(run->request->self,
						       (double)run->blocks_done /
							       (double)(ROUNDS * probe->row_count));
		}
	}
	return 0;
}

/* Sorts @ns. */
static void summarise_part(double *ns, size_t count, struct sc_probe_part *part)
{
	double sum = 0;

	sc_sort_doubles(ns, count);
	for (size_t i = 0; i < count; i++)
		sum += ns[i];
	part->n = count;
	part->mean_ns = (uint64_t)(sum / (double)count);
	for (size_t i = 0; i < SC_PROBE_QUANTILES; i++) {
		double value = ns[0];

		if (sc_probe_quantiles[i] > 0)
			(void)sc_quantile(ns, count, sc_probe_quantiles[i], &value);
		part->ns[i] = (uint64_t)value;
	}
}

static void find_modes(const struct sc_probe_samples *samples, struct sc_probe_row *row)
{
	size_t count =
		samples->count < SC_MODES_SAMPLES_MAX ? samples->count : SC_MODES_SAMPLES_MAX;
	struct sc_modes modes;

	row->has_modes = sc_modes_find(samples->total_ns, count, MODES_RATIO_MIN, &modes);
	if (!row->has_modes)
		return;
	row->mode_low_ns = (uint64_t)modes.low_centre;
	row->mode_high_ns = (uint64_t)modes.high_centre;
}

static int summarise_row(struct sc_probe_samples *samples, struct sc_probe_row *row)
{
	if (row->status != SC_MEASURED)
		return 0;
	if (samples->count == 0) { /* stopped in its first block */
		row->status = SC_SKIPPED;
		return 0;
	}
	row->buckets = calloc(SC_HIST_BUCKETS, sizeof(*row->buckets));
	if (!row->buckets)
		return -ENOMEM;
	row->reason[0] = '\0';
	for (size_t i = 0; i < samples->count; i++)
		row->buckets[sc_hist_bucket((uint64_t)samples->total_ns[i])]++;
	if (row->is_main && row->group == SC_PROBE_METHODS)
		find_modes(samples, row);
	summarise_part(samples->total_ns, samples->count, &row->operation);
	if (samples->is_split) {
		summarise_part(samples->write_ns, samples->count, &row->write);
		summarise_part(samples->sync_ns, samples->count, &row->sync);
	}
	if (samples->wall_ns > 0)
		row->ops_per_s = (double)samples->done * 1e9 / (double)samples->wall_ns;
	return 0;
}

static void run_fini(struct run *run)
{
	for (size_t i = 0; run->samples && i < run->probe->row_count; i++)
		samples_fini(&run->samples[i]);
	free(run->samples);
	free(run->bench.block);
	sc_fd_closep(&run->bench.fd);
}

static int prepare(struct run *run, const char *path)
{
	const struct sc_probe *probe = run->probe;

	run->bench.path = path;
	run->bench.random = sc_random_init(run->request->seed);
	run->bench.should_stop = run->request->should_stop;
	run->bench.self = run->request->self;
	run->block_ns = run->request->time_ns / (ROUNDS * probe->row_count);
	run->bench.what = "samples";
	run->bench.block = aligned_alloc(4096, SC_PROBE_BLOCK_BYTES);
	run->samples = calloc(probe->row_count, sizeof(*run->samples));
	if (!run->bench.block || !run->samples)
		return -ENOMEM;
	for (size_t i = 0; i < probe->row_count; i++) {
		if (samples_init(&run->samples[i], samples_of(&probe->rows[i]) + 64) < 0)
			return -ENOMEM;
	}
	run->bench.what = "open";
	run->bench.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return run->bench.fd < 0 ? -errno : 0;
}

static int measure(const struct sc_probe_request *request, const char *path, struct sc_probe *probe,
		   struct sc_error *error)
{
	SC_CLEANUP(run_fini)
	struct run run = {.request = request, .probe = probe, .bench = {.fd = -1}};
	SC_CLEANUP(sc_freep) uint32_t *order = calloc(probe->row_count, sizeof(*order));
	int r = order ? prepare(&run, path) : -ENOMEM;

	if (r < 0)
		return sc_probe_place_fail(request->directory, run.bench.what, r, error);
	for (size_t i = 0; i < probe->row_count; i++)
		order[i] = (uint32_t)i;
	run.begin_ns = sc_monotonic_ns();
	r = run_rounds(&run, order, error);
	if (r < 0)
		return r;
	for (size_t i = 0; i < probe->row_count; i++) {
		if (summarise_row(&run.samples[i], &probe->rows[i]) < 0)
			return sc_fail(error, -ENOMEM, "a row of the probe");
	}
	probe->is_complete = !is_stopped(&run);
	probe->elapsed_ns = sc_monotonic_ns() - run.begin_ns;
	return 0;
}

int sc_probe_run(const struct sc_probe_request *request, struct sc_probe *ret_probe,
		 struct sc_error *error)
{
	SC_CLEANUP(sc_probe_fini) struct sc_probe probe = {.is_quick = request->is_quick};
	SC_CLEANUP(sc_directory_fini) struct sc_directory place = SC_DIRECTORY_NONE;
	struct sc_error ignored = {0};
	int r;

	assert(request->time_ns > 0);
	sc_utc_format(sc_realtime_ns(), probe.started);
	r = sc_probe_plan(request->is_quick, &probe, error);
	if (r == 0)
		r = sc_probe_place_open(request->directory, &place, &probe.target, error);
	if (r < 0)
		return r;
	r = measure(request, place.path, &probe, error);
	if (r < 0) {
		/* What is said is why it ended; what stays behind is removed at the next start. */
		(void)sc_directory_remove_own(&place, &ignored);
		return r;
	}
	r = sc_directory_remove_own(&place, error);
	if (r < 0)
		return r;
	*ret_probe = probe;
	probe = (struct sc_probe){0};
	return 0;
}
