/* SPDX-License-Identifier: MIT */
#pragma once

/* Work and memory of samples and of cells, as JSON. Files of earlier versions do not have them. */

#include "json-field.h"
#include "sample.h"

bool sc_json_put_work(cJSON *json, const struct sc_work *work);
bool sc_json_put_memory(cJSON *json, const struct sc_memory *memory);

/** sc_json_get_work(), sc_json_get_memory() - skipped where the key is not there */
int sc_json_get_work(const cJSON *json, struct sc_json_place place, struct sc_work *work,
		     struct sc_error *error);
int sc_json_get_memory(const cJSON *json, struct sc_json_place place, struct sc_memory *memory,
		       struct sc_error *error);
