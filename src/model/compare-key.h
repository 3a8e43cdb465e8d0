/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Keys: what tells cells apart, and what must be equal for a comparison to mean something.
 */

#include "compare.h"

#define SC_KEY_TEXT_BYTES 100u

enum sc_key_weight {
	SC_KEY_REFUSED,  /* a gate refuses */
	SC_KEY_PLATFORM, /* the same, but for counts; "platform" names them together */
	SC_KEY_NOTED,    /* worth knowing */
};

/* A value as text, "-" where it is not known. */
struct sc_key_text {
	char text[SC_KEY_TEXT_BYTES];
};

/* Identity: cells match whose texts of all these keys are equal. */
size_t sc_key_identity_count(void);
const char *sc_key_identity_name(size_t index);
struct sc_key_text sc_key_identity_text(const struct sc_digest_cell *cell, size_t index);

/* What must be equal besides: of the whole report, of a target, of a matched cell. */

struct sc_head_key {
	const char *name;
	enum sc_key_weight weight;
	struct sc_key_text (*text)(const struct sc_report_head *head);
};

struct sc_target_key {
	const char *name;
	enum sc_key_weight weight;
	struct sc_key_text (*text)(const struct sc_target *target);
};

struct sc_cell_key {
	const char *name;
	struct sc_key_text (*text)(const struct sc_digest_cell *cell);
};

extern const struct sc_head_key sc_head_keys[];
extern const size_t sc_head_key_count;
extern const struct sc_target_key sc_target_keys[];
extern const size_t sc_target_key_count;
extern const struct sc_cell_key sc_cell_keys[];
extern const size_t sc_cell_key_count;

/* Keys of what is looked at in another way than by comparing texts. */
#define SC_KEY_PLATFORM_NAME "platform"
#define SC_KEY_COMPLETE      "plan.complete"            /* a run that was interrupted */
#define SC_KEY_SYNC_FLOOR    "target.sync_floor_ns_p50" /* noted where it moved */
#define SC_KEY_CELLS         "cells"                    /* a cell that the other does not have */
#define SC_KEY_STATUS        "status"                   /* a cell that failed */
#define SC_KEY_SAMPLES       "samples"                  /* too few timing samples */
#define SC_KEY_COUNTS        "counts"                   /* measured in one of both */
#define SC_KEY_REFERENCE     "reference" /* noted where the machine was at another speed */
#define SC_KEY_WAITING       "waiting"   /* noted where a run had to wait for CPUs */
#define SC_KEY_EFFECTIVE     "effective" /* a setting that SQLite did not take */
