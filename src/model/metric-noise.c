/* SPDX-License-Identifier: MIT */

/*
 * Extremes over a cell's timing samples. Where no sample has the figure, the reason of one of them
 * says why; where some have it, the others do not take part.
 */

#include "metric-noise.h"

typedef struct sc_metric_value (*sample_value)(const struct sc_cell_sample *sample);

static struct sc_metric_value absent(enum sc_status status, const char *reason)
{
	return (struct sc_metric_value){.status = status, .reason = reason};
}

static struct sc_metric_value share_of(enum sc_status status, uint64_t ns,
				       const struct sc_cell_sample *sample)
{
	if (status != SC_MEASURED)
		return absent(status, "the kernel does not say");
	return (struct sc_metric_value){.status = SC_MEASURED,
					.number = (double)ns / (double)sample->wall_ns};
}

static struct sc_metric_value steal_of(const struct sc_cell_sample *sample)
{
	return share_of(sample->steal_status, sample->steal_ns, sample);
}

static struct sc_metric_value run_delay_of(const struct sc_cell_sample *sample)
{
	return share_of(sample->run_delay_status, sample->run_delay_ns, sample);
}

static struct sc_metric_value other_io_of(const struct sc_cell_sample *sample)
{
	if (sample->other_io_status != SC_MEASURED)
		return absent(sample->other_io_status, sample->other_io_reason);
	return (struct sc_metric_value){.status = SC_MEASURED,
					.number = (double)sample->other_io_bytes};
}

static struct sc_metric_value reference_of(const struct sc_cell_sample *sample)
{
	if (sample->reference_ns == 0)
		return absent(SC_SKIPPED, "it was not measured");
	return (struct sc_metric_value){.status = SC_MEASURED,
					.number = (double)sample->reference_ns};
}

/* @sign: 1 for the largest, -1 for the smallest */
static struct sc_metric_value extreme(const struct sc_cell *cell, double sign, sample_value read)
{
	struct sc_metric_value found = absent(SC_SKIPPED, "there is no timing sample");
	uint64_t n = 0;

	if (cell->ops_per_s.status != SC_MEASURED)
		return absent(cell->ops_per_s.status, cell->ops_per_s.reason);
	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct sc_cell_sample *sample = &cell->samples[i];
		struct sc_metric_value value;

		if (sample->kind != SC_SAMPLE_TIMING || sample->wall_ns == 0)
			continue;
		value = read(sample);
		if (value.status == SC_MEASURED)
			n++;
		if (found.status != SC_MEASURED ||
		    (value.status == SC_MEASURED && sign * value.number > sign * found.number))
			found = value;
	}
	found.n = n;
	return found;
}

struct sc_metric_value sc_noise_steal(const struct sc_cell *cell)
{
	return extreme(cell, 1, steal_of);
}

/* Of the time that all clients had together. */
struct sc_metric_value sc_noise_run_delay(const struct sc_cell *cell)
{
	struct sc_metric_value value = extreme(cell, 1, run_delay_of);

	if (value.status == SC_MEASURED && cell->clients > 1)
		value.number /= cell->clients;
	return value;
}

struct sc_metric_value sc_noise_other_io_max(const struct sc_cell *cell)
{
	return extreme(cell, 1, other_io_of);
}

struct sc_metric_value sc_noise_other_io_min(const struct sc_cell *cell)
{
	return extreme(cell, -1, other_io_of);
}

struct sc_metric_value sc_noise_reference_max(const struct sc_cell *cell)
{
	return extreme(cell, 1, reference_of);
}

struct sc_metric_value sc_noise_reference_min(const struct sc_cell *cell)
{
	return extreme(cell, -1, reference_of);
}
