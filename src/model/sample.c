/* SPDX-License-Identifier: MIT */

/* Lifetime and names; the JSON of both structs is in json-sample.c. */

#include "sample.h"

#include <string.h>

void sc_sample_spec_fini(struct sc_sample_spec *spec)
{
	free(spec->cell_id);
	free(spec->suite_text);
	free(spec->workload);
	free(spec->directory);
	free(spec->store);
	free(spec->disk);
	free(spec->disk_reason);
	memset(spec, 0, sizeof *spec);
}

void sc_sample_fini(struct sc_sample *sample)
{
	free(sample->cell_id);
	free(sample->reason);
	free(sample->op_ns.buckets);
	free(sample->commit_ns.buckets);
	free(sample->io);
	sc_company_fini(&sample->company);
	memset(sample, 0, sizeof *sample);
}

double sc_sample_rate(const struct sc_sample *sample)
{
	if (sample->wall_ns == 0)
		return 0.0;
	return (double)sample->operations * 1e9 / (double)sample->wall_ns;
}

const char *sc_sample_kind_name(enum sc_sample_kind kind)
{
	static const char *const names[SC_SAMPLE_KIND_COUNT_] = {
		[SC_SAMPLE_TIMING] = "timing",
		[SC_SAMPLE_LEDGER] = "ledger",
	};

	return names[kind];
}
