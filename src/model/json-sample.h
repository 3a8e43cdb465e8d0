/* SPDX-License-Identifier: MIT */
#pragma once

/* The figures that samples and the cells of a report have in common, as JSON. */

#include "company.h"
#include "json-field.h"
#include "sample.h"

/** sc_json_put_latency() - {"n", "p50" … "max", "histogram"}, or why there is none */
bool sc_json_put_latency(cJSON *json, const char *key, const struct sc_latency *latency);

/** sc_json_put_io() - an array with one object for each row */
bool sc_json_put_io(cJSON *json, const char *key, const struct sc_io *io, size_t io_count);

/** sc_json_get_latency() - @latency: holds nothing yet; the caller frees its buckets, also on error
 */
int sc_json_get_latency(const cJSON *json, const char *key, struct sc_json_place place,
			struct sc_latency *latency, struct sc_error *error);

/**
 * sc_json_put_company() - the keys "beside" and "hold", where there is something to say
 * sc_json_get_company() - reads them where they are there; @company: as sc_company_fini() leaves
 * it; the caller finishes it, also on error
 */
bool sc_json_put_company(cJSON *json, const struct sc_company *company);
int sc_json_get_company(const cJSON *json, struct sc_json_place place, struct sc_company *company,
			struct sc_error *error);

/** sc_json_get_io() - *ret_io is untouched where there are no rows, and on error */
int sc_json_get_io(const cJSON *json, const char *key, struct sc_json_place place,
		   struct sc_io **ret_io, size_t *ret_io_count, struct sc_error *error);
