/* SPDX-License-Identifier: MIT */

/*
 * The keys "beside" and "hold" of samples and cells. They are there where they say something: a
 * file of an earlier version has neither, and reads as one of clients without company.
 */

#include <errno.h>
#include <string.h>

#include "json-sample.h"

#define PART(field) offsetof(struct sc_company_part, field)
#define HOLD(field) offsetof(struct sc_hold, field)

/* clang-format off */
static const struct sc_json_field part_fields[] = {
	{"clients",      SC_JSON_U32, PART(clients)},
	{"operations",   SC_JSON_U64, PART(operations)},
	{"commits",      SC_JSON_U64, PART(commits)},
	{"busy_retries", SC_JSON_U64, PART(busy_retries)},
	{"busy_ns",      SC_JSON_U64, PART(busy_ns)},
	{"wall_ns",      SC_JSON_U64, PART(wall_ns)},
};

static const struct sc_json_field hold_fields[] = {
	{"holders",        SC_JSON_U64, HOLD(holders)},
	{"page_size",      SC_JSON_U64, HOLD(page_size)},
	{"commits_held",   SC_JSON_U64, HOLD(commits_held)},
	{"held_ns",        SC_JSON_U64, HOLD(held_ns)},
	{"pages_first",    SC_JSON_U64, HOLD(pages_first)},
	{"pages_released", SC_JSON_U64, HOLD(pages_released)},
	{"pages_max",      SC_JSON_U64, HOLD(pages_max)},
};

/* The commit that paid; null where none did. */
static const struct sc_json_field paid_fields[] = {
	{"client",        SC_JSON_U64, HOLD(client)},
	{"commit",        SC_JSON_U64, HOLD(commit)},
	{"after_release", SC_JSON_U64, HOLD(after)},
	{"frames",        SC_JSON_U64, HOLD(frames)},
	{"ns",            SC_JSON_U64, HOLD(ns)},
	{"checkpoint_ns", SC_JSON_U64, HOLD(checkpoint_ns)},
	{"typical_ns",    SC_JSON_U64, HOLD(typical_ns)},
};
/* clang-format on */

#define PUT(object, table, from) sc_json_put_fields(object, table, SC_ARRAY_COUNT(table), from)
#define GET(object, table, into, place, error)                                                     \
	sc_json_get_fields(object, table, SC_ARRAY_COUNT(table), into, place, error)

/* --- writing */

static bool add_item(cJSON *list, cJSON *item)
{
	if (item && cJSON_AddItemToArray(list, item))
		return true;
	cJSON_Delete(item);
	return false;
}

static bool put_parts(cJSON *json, const struct sc_company *company)
{
	cJSON *list = cJSON_AddArrayToObject(json, "beside");

	for (size_t i = 0; i < company->part_count; i++) {
		const struct sc_company_part *part = &company->parts[i];
		cJSON *item = cJSON_CreateObject();

		if (!add_item(list, item) || !sc_json_put_text(item, "workload", part->workload) ||
		    !PUT(item, part_fields, part) ||
		    !sc_json_put_latency(item, "op_ns", &part->op_ns))
			return false;
	}
	return list != NULL;
}

static bool put_points(cJSON *json, const struct sc_hold *hold)
{
	cJSON *list = cJSON_AddArrayToObject(json, "wal_pages");

	for (uint64_t i = 0; i < hold->point_count; i++) {
		const double pair[2] = {(double)hold->points[i].ns, (double)hold->points[i].pages};

		if (!add_item(list, cJSON_CreateDoubleArray(pair, 2)))
			return false;
	}
	return list != NULL;
}

static bool put_hold(cJSON *json, const struct sc_hold *hold)
{
	cJSON *child = cJSON_AddObjectToObject(json, "hold");

	if (!PUT(child, hold_fields, hold))
		return false;
	if (hold->frames == 0 ? !cJSON_AddNullToObject(child, "paid")
			      : !PUT(cJSON_AddObjectToObject(child, "paid"), paid_fields, hold))
		return false;
	return put_points(child, hold);
}

bool sc_json_put_company(cJSON *json, const struct sc_company *company)
{
	if (company->part_count > 0 && !put_parts(json, company))
		return false;
	return company->hold.holders == 0 || put_hold(json, &company->hold);
}

/* --- reading */

static int get_part(const cJSON *item, struct sc_json_place place, struct sc_company_part *part,
		    struct sc_error *error)
{
	const cJSON *name = cJSON_GetObjectItemCaseSensitive(item, "workload");
	int r;

	if (!cJSON_IsString(name) || strlen(name->valuestring) >= sizeof(part->workload))
		return sc_json_fail(place, "workload", "must be the name of a workload", error);
	memcpy(part->workload, name->valuestring, strlen(name->valuestring) + 1);
	r = GET(item, part_fields, part, place, error);
	return r < 0 ? r : sc_json_get_latency(item, "op_ns", place, &part->op_ns, error);
}

static int get_parts(const cJSON *list, struct sc_json_place place, struct sc_company *company,
		     struct sc_error *error)
{
	const cJSON *item;

	if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > (int)SC_COMPANY_MAX)
		return sc_json_fail(place, "beside", "must be an array of at most 4", error);
	place.path = "beside";
	cJSON_ArrayForEach(item, list)
	{
		int r = get_part(item, place, &company->parts[company->part_count++], error);

		if (r < 0)
			return r;
	}
	return 0;
}

static int get_points(const cJSON *json, struct sc_json_place place, struct sc_hold *hold,
		      struct sc_error *error)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, "wal_pages");
	const cJSON *item;

	if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > (int)SC_HOLD_POINTS_MAX)
		return sc_json_fail(place, "wal_pages", "must be an array of at most 64", error);
	cJSON_ArrayForEach(item, list)
	{
		struct sc_hold_point *point = &hold->points[hold->point_count++];

		if (sc_json_u64_value(cJSON_GetArrayItem(item, 0), &point->ns) ||
		    sc_json_u64_value(cJSON_GetArrayItem(item, 1), &point->pages))
			return sc_json_fail(place, "wal_pages", "must hold pairs of integers",
					    error);
	}
	return 0;
}

static int get_hold(const cJSON *json, struct sc_json_place place, struct sc_hold *hold,
		    struct sc_error *error)
{
	const cJSON *paid = cJSON_GetObjectItemCaseSensitive(json, "paid");
	int r;

	place.path = "hold";
	r = GET(json, hold_fields, hold, place, error);
	if (r == 0 && !cJSON_IsNull(paid))
		r = GET(paid, paid_fields, hold, place, error);
	return r < 0 ? r : get_points(json, place, hold, error);
}

int sc_json_get_company(const cJSON *json, struct sc_json_place place, struct sc_company *company,
			struct sc_error *error)
{
	const cJSON *parts = cJSON_GetObjectItemCaseSensitive(json, "beside");
	const cJSON *hold = cJSON_GetObjectItemCaseSensitive(json, "hold");
	int r = 0;

	if (parts)
		r = get_parts(parts, place, company, error);
	if (r == 0 && hold)
		r = get_hold(hold, place, &company->hold, error);
	return r;
}
