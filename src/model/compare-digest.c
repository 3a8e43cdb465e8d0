/* SPDX-License-Identifier: MIT */

/*
 * Reading a report for comparison: each cell is parsed, reduced to its names, its setting and some
 * figures (1 KiB), and let go. Names that cells share are kept once. 10,000 cells take 11 MiB.
 */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "../stats/order.h"
#include "compare-digest.h"

#define WAITING_MAX 0.99 /* several threads can wait longer than the time that passes */

void sc_digest_fini(struct sc_digest *digest)
{
	for (size_t i = 0; i < digest->cell_count; i++) {
		free(digest->cells[i].id);
		free(digest->cells[i].reason);
		free(digest->cells[i].same_as);
	}
	free(digest->cells);
	for (size_t i = 0; i < digest->text_room; i++)
		free(digest->texts[i]);
	free(digest->texts);
	free(digest->path);
	sc_report_closep(&digest->reader);
	*digest = (struct sc_digest){0};
}

/* Where @text is or would be: slots are taken one after another from that of its hash (FNV-1a). */
static char **find_slot(char **texts, size_t room, const char *text)
{
	uint64_t hash = 0xcbf29ce484222325u;
	size_t slot;

	for (const char *c = text; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	for (slot = hash & (room - 1); texts[slot]; slot = (slot + 1) & (room - 1)) {
		if (strcmp(texts[slot], text) == 0)
			break;
	}
	return &texts[slot];
}

/* At most half of the slots are ever taken. Return: false where memory is short. */
static bool make_room(struct sc_digest *digest)
{
	size_t room = digest->text_room ? 2 * digest->text_room : 64;
	char **texts;

	if (2 * (digest->text_count + 1) <= digest->text_room)
		return true;
	texts = calloc(room, sizeof(*texts));
	if (!texts)
		return false;
	for (size_t i = 0; i < digest->text_room; i++) {
		if (digest->texts[i])
			*find_slot(texts, room, digest->texts[i]) = digest->texts[i];
	}
	free(digest->texts);
	digest->texts = texts;
	digest->text_room = room;
	return true;
}

/* The digest's own copy of @text, the same pointer for the same text. NULL: no memory. */
static const char *share(struct sc_digest *digest, const char *text)
{
	char **slot;

	if (!make_room(digest))
		return NULL;
	slot = find_slot(digest->texts, digest->text_room, text);
	if (!*slot) {
		*slot = strdup(text);
		digest->text_count += *slot != NULL;
	}
	return *slot;
}

static bool share_names(struct sc_digest *digest, struct sc_digest_cell *into,
			const struct sc_cell *cell)
{
	const struct {
		const char **into;
		const char *text;
	} names[] = {
		{&into->target, cell->target},
		{&into->suite, cell->suite},
		{&into->suite_digest, cell->suite_digest},
		{&into->workload, cell->workload},
		{&into->unit, cell->unit},
		{&into->store, cell->store},
		{&into->device, cell->device},
		{&into->clock, cell->clock},
		{&into->layers, cell->layers},
	};

	for (size_t i = 0; i < SC_ARRAY_COUNT(names); i++) {
		*names[i].into = share(digest, names[i].text);
		if (!*names[i].into)
			return false;
	}
	return true;
}

static struct sc_digest_figure figure_of(size_t index, const struct sc_cell *cell)
{
	struct sc_compare_metric row = sc_compare_metric(index);
	struct sc_metric_value value = row.metric.read(cell);

	if (value.status != SC_MEASURED)
		return (struct sc_digest_figure){.status = value.status};
	if (!isfinite(value.number) || !isfinite(value.low) || !isfinite(value.high))
		return (struct sc_digest_figure){.status = SC_FAILED};
	return (struct sc_digest_figure){
		.status = SC_MEASURED,
		.n = value.has_interval ? (uint32_t)value.n : 0,
		.number = value.number,
		.low = value.low,
		.high = value.high,
	};
}

static double run_delay_of(const struct sc_cell_sample *sample)
{
	return sample->run_delay_status == SC_MEASURED ? (double)sample->run_delay_ns : 0;
}

static double steal_of(const struct sc_cell_sample *sample)
{
	return sample->steal_status == SC_MEASURED ? (double)sample->steal_ns : 0;
}

/* Of the time that all clients had together: the medians over the timing samples. */
static void read_waiting(const struct sc_cell *cell, double *room, struct sc_digest_cell *into)
{
	double clients = cell->clients > 1 ? cell->clients : 1;
	double *medians[] = {&into->waiting, &into->stolen};

	for (size_t i = 0; i < SC_ARRAY_COUNT(medians); i++) {
		size_t count = 0;

		for (size_t j = 0; j < cell->sample_count; j++) {
			const struct sc_cell_sample *sample = &cell->samples[j];
			double waiting_ns = steal_of(sample);

			if (sample->kind != SC_SAMPLE_TIMING || sample->wall_ns == 0)
				continue;
			if (medians[i] == &into->waiting)
				waiting_ns += run_delay_of(sample) / clients;
			room[count++] = fmin(waiting_ns / (double)sample->wall_ns, WAITING_MAX);
		}
		sc_sort_doubles(room, count);
		(void)sc_median(room, count, medians[i]);
	}
}

/* Median and its narrowest interval of 95 %, as of rates. @room: values, sorted here */
static struct sc_digest_figure median_of(double *room, size_t count)
{
	struct sc_digest_figure figure = {.status = SC_MEASURED, .n = (uint32_t)count};
	size_t low = 0, high = 0;
	double coverage = 0;

	sc_sort_doubles(room, count);
	if (!sc_median(room, count, &figure.number))
		return (struct sc_digest_figure){.status = SC_SKIPPED};
	(void)sc_median_ranks(count, 0.95, &low, &high, &coverage);
	figure.low = room[low - 1];
	figure.high = room[high - 1];
	return figure;
}

static bool has_reference(const struct sc_cell *cell)
{
	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct sc_cell_sample *sample = &cell->samples[i];

		if (sample->kind == SC_SAMPLE_TIMING &&
		    (sample->reference_ns == 0 || sample->operations == 0))
			return false;
	}
	return true;
}

static void read_reference(const struct sc_cell *cell, double *room, struct sc_digest_cell *into)
{
	size_t count = 0;

	into->references_per_op.status = SC_SKIPPED;
	if (!has_reference(cell))
		return;
	for (size_t i = 0; i < cell->sample_count; i++)
		if (cell->samples[i].kind == SC_SAMPLE_TIMING)
			room[count++] = (double)cell->samples[i].reference_ns;
	sc_sort_doubles(room, count);
	if (!sc_median(room, count, &into->reference_ns) || cell->clients > 1)
		return;
	count = 0;
	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct sc_cell_sample *sample = &cell->samples[i];

		if (sample->kind == SC_SAMPLE_TIMING)
			room[count++] = fmax((double)sample->wall_ns - run_delay_of(sample), 1) /
					(double)sample->operations / (double)sample->reference_ns;
	}
	into->references_per_op = median_of(room, count);
}

/* Takes the texts of @cell that it keeps. Return: false where memory is short. */
static bool digest_cell(struct sc_digest *digest, struct sc_cell *cell, struct sc_digest_cell *into)
{
	SC_CLEANUP(sc_freep) double *room = calloc(cell->sample_count + 1, sizeof(*room));
	bool is_timed = cell->ops_per_s.status == SC_MEASURED;

	if (!room)
		return false;
	*into = (struct sc_digest_cell){
		.clients = cell->clients,
		.wal_state = cell->wal_state,
		.uses_wal_state = cell->uses_wal_state,
		.status = cell->status,
		.setting = cell->setting,
		.effective = cell->effective,
		.rows = cell->rows,
		.seed = cell->seed,
		.rate = cell->rate,
		.ledger_ops = cell->ledger_ops,
		.timing_samples = is_timed ? cell->ops_per_s.n : 0,
		.coverage = is_timed ? cell->ops_per_s.coverage : 0,
	};
	read_waiting(cell, room, into);
	if (is_timed)
		read_reference(cell, room, into);
	for (size_t i = 0; i < SC_COMPARE_METRICS; i++)
		into->figures[i] = figure_of(i, cell);
	if (!share_names(digest, into, cell))
		return false;
	into->id = SC_TAKE(cell->id);
	into->reason = SC_TAKE(cell->reason);
	into->same_as = SC_TAKE(cell->same_as);
	return true;
}

static int read_cells(struct sc_digest *digest, struct sc_error *error)
{
	size_t room = 0;

	for (;;) {
		SC_CLEANUP(sc_cell_fini) struct sc_cell cell = {0};
		int r;

		r = sc_report_next(digest->reader, &cell, error);
		if (r != 0)
			return r < 0 ? r : 0;
		if (digest->cell_count == room) {
			struct sc_digest_cell *cells;

			room = room ? room + room / 2 : 64;
			cells = reallocarray(digest->cells, room, sizeof(*cells));
			if (!cells)
				return sc_fail(error, -ENOMEM, "reading '%s'", digest->path);
			digest->cells = cells;
		}
		if (!digest_cell(digest, &cell, &digest->cells[digest->cell_count]))
			return sc_fail(error, -ENOMEM, "reading '%s'", digest->path);
		digest->cell_count++;
	}
}

int sc_digest_load(const char *path, struct sc_digest *ret_digest, struct sc_error *error)
{
	SC_CLEANUP(sc_digest_fini) struct sc_digest digest = {0};
	int r;

	digest.path = strdup(path);
	if (!digest.path)
		return sc_fail(error, -ENOMEM, "reading '%s'", path);
	r = sc_report_open(path, &digest.reader, error);
	if (r == 0)
		r = read_cells(&digest, error);
	if (r < 0)
		return r;
	digest.head = sc_report_reader_head(digest.reader);
	*ret_digest = digest;
	digest = (struct sc_digest){0};
	return 0;
}

bool sc_digest_is_starved(const struct sc_digest *digest, const struct sc_digest_cell *cell)
{
	return cell->waiting > SC_DIGEST_WAITING_MAX && cell->clients <= digest->head->cpu_count;
}

uint64_t sc_digest_floor(const struct sc_digest *digest, const struct sc_digest_cell *cell)
{
	for (size_t i = 0; i < digest->head->target_count; i++) {
		const struct sc_target *target = &digest->head->targets[i];

		if (target->label && strcmp(target->label, cell->target) == 0)
			return target->sync_floor_status == SC_MEASURED ? target->sync_floor_ns_p50
									: 0;
	}
	return 0;
}

/* A cell of its own memory has pointers that may be written through; these are only read. */
static char *borrow(const char *text)
{
	union {
		const char *from;
		char *to;
	} pointer = {.from = text};

	return pointer.to;
}

struct sc_cell sc_digest_view(const struct sc_digest_cell *cell)
{
	return (struct sc_cell){
		.id = cell->id,
		.target = borrow(cell->target),
		.suite = borrow(cell->suite),
		.workload = borrow(cell->workload),
		.unit = borrow(cell->unit),
		.store = borrow(cell->store),
		.clients = cell->clients,
		.device = borrow(cell->device),
		.clock = borrow(cell->clock),
		.layers = borrow(cell->layers),
		.wal_state = cell->wal_state,
		.uses_wal_state = cell->uses_wal_state,
		.setting = cell->setting,
		.effective = cell->effective,
		.same_as = cell->same_as,
		.rows = cell->rows,
		.seed = cell->seed,
		.rate = cell->rate,
		.status = cell->status,
		.reason = cell->reason,
	};
}
