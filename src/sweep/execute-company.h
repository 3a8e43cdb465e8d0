/* SPDX-License-Identifier: MIT */
#pragma once

/* Clients of other workloads beside a sample's own: their values, and what they did. */

#include "execute-clients.h"
#include "execute-verify.h"

struct sc_companions {
	const struct sc_workload *workloads[SC_BESIDE_MAX]; /* borrowed, of the suite */
	struct sc_stream_set *values[SC_BESIDE_MAX];
	int64_t *sums[SC_BESIDE_MAX]; /* of their parameters */
	size_t count;
};
void sc_companions_fini(struct sc_companions *companions);

/** sc_companions_new() - of those that run beside @workload; @generation is borrowed and stays */
int sc_companions_new(const struct sc_suite *suite, const struct sc_workload *workload,
		      const struct sc_generation *generation, struct sc_companions *ret_companions,
		      struct sc_error *error);

/** sc_companions_join() - into the task of the clients */
void sc_companions_join(const struct sc_companions *companions, struct sc_clients_task *task);

/** sc_companions_count() - add the values that they bound in @part to their sums */
int sc_companions_count(struct sc_companions *companions, const struct sc_timed_part *part,
			struct sc_error *error);

/** sc_companions_expect() - what checks may ask of them */
void sc_companions_expect(const struct sc_companions *companions, const struct sc_timed_part *part,
			  struct sc_expected *expected);

/** sc_companions_tell() - what they did, into the sample; takes their histograms */
void sc_companions_tell(const struct sc_companions *companions, struct sc_timed_part *part,
			struct sc_company *company);
