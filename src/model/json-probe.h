/* SPDX-License-Identifier: MIT */
#pragma once

/* What json-probe.c and json-profile.c share. */

#include <cjson/cJSON.h>

#include "probe.h"

/** sc_json_put_probe_target() - facts of the storage, as objects of a target have them */
bool sc_json_put_probe_target(cJSON *json, const struct sc_target *target);

/** sc_json_put_probe_tool() - "tool" and "host" */
bool sc_json_put_probe_tool(cJSON *json, const struct sc_probe_tool *tool);
