/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What clients of a sample had beside them: clients of other workloads, and a reader that held a
 * snapshot, so that no checkpoint could get beyond it until it let go.
 */

#include <stdbool.h>

#include "latency.h"

#define SC_COMPANY_MAX     4u  /* other workloads */
#define SC_HOLD_POINTS_MAX 64u /* of the WAL's growth */

struct sc_company_part {
	char workload[64];
	uint32_t clients;
	uint64_t operations, commits, busy_retries, busy_ns;
	uint64_t wall_ns; /* of the timed part, as long as the workload's own clients ran */
	struct sc_latency op_ns;
};

struct sc_hold_point {
	uint64_t ns; /* since the clients began */
	uint64_t pages;
};

/* A snapshot that was held, and what followed. */
struct sc_hold {
	uint64_t holders;      /* processes; 0: none, and nothing below is said */
	uint64_t page_size;    /* bytes */
	uint64_t commits_held; /* of the workload, until it was released; all, where it never was */
	uint64_t held_ns; /* since the clients began; 0: it was not released before they ended */
	uint64_t pages_first, pages_released, pages_max; /* in the WAL */
	/* the first commit after the release whose checkpoint got further; frames 0: none did */
	uint64_t client;        /* whose it was, from 1 */
	uint64_t commit;        /* which of that client's, from 1 */
	uint64_t after;         /* which of all clients' after the release, from 1 */
	uint64_t frames;        /* of the WAL that its checkpoint dealt with */
	uint64_t ns;            /* that the commit took */
	uint64_t checkpoint_ns; /* of it, the checkpoint */
	uint64_t typical_ns;    /* the median commit of the sample */
	struct sc_hold_point points[SC_HOLD_POINTS_MAX];
	uint64_t point_count;
};

struct sc_company {
	struct sc_company_part parts[SC_COMPANY_MAX]; /* their buckets are owned */
	size_t part_count;
	struct sc_hold hold;
};

void sc_company_fini(struct sc_company *company);

/** sc_company_copy() - deep; @ret_company holds nothing yet. Return: 0 or -ENOMEM */
int sc_company_copy(const struct sc_company *from, struct sc_company *ret_company);

/**
 * sc_company_add() - one more sample of the same cell
 *
 * Counts, times and histograms are added; the first sample in which a commit paid for what the
 * snapshot had held up is the one whose hold stays. Return: 0 or -ENOMEM.
 */
int sc_company_add(struct sc_company *company, const struct sc_company *sample);
