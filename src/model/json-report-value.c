/* SPDX-License-Identifier: MIT */

/* Reading the values of a report: each knows its key and says what it must be. */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "json-report-read.h"

int sc_report_get_number(const cJSON *json, const char *key, struct sc_json_place place,
			 double *ret_value, struct sc_error *error)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);

	if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
		return sc_json_fail(place, key, "must be a number", error);
	*ret_value = item->valuedouble;
	return 0;
}

int sc_report_get_bool(const cJSON *json, const char *key, struct sc_json_place place,
		       bool *ret_value, struct sc_error *error)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);

	if (!cJSON_IsBool(item))
		return sc_json_fail(place, key, "must be true or false", error);
	*ret_value = cJSON_IsTrue(item);
	return 0;
}

int sc_report_get_fields(const cJSON *json, const struct sc_json_fields *fields,
			 struct sc_json_place place, void *into, struct sc_error *error)
{
	return sc_json_get_fields(json, fields->rows, fields->count, into, place, error);
}

/* A text, or its absence: then *ret_text stays NULL. */
int sc_report_get_text(const cJSON *json, const char *key, struct sc_json_place place,
		       char **ret_text, struct sc_error *error)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
	char reason[SC_REASON_BYTES];
	enum sc_status status;

	if (cJSON_IsNull(item) || sc_json_is_absent(item, &status, reason, sizeof(reason)))
		return 0;
	if (!cJSON_IsString(item))
		return sc_json_fail(place, key, "must be a text", error);
	free(*ret_text);
	*ret_text = strdup(item->valuestring);
	return *ret_text ? 0 : sc_fail(error, -ENOMEM, "reading %s", place.subject);
}

/* The same into an array; too long a text is an error, so that nothing is lost unsaid. */
int sc_report_get_short_text(const cJSON *json, const char *key, struct sc_json_place place,
			     char *text, size_t text_bytes, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *whole = NULL;
	int r;

	r = sc_report_get_text(json, key, place, &whole, error);
	if (r < 0 || !whole)
		return r;
	if (strlen(whole) >= text_bytes)
		return sc_json_fail(place, key, "is too long", error);
	strcpy(text, whole);
	return 0;
}

/* An integer, or its absence. */
int sc_report_get_u64(const cJSON *json, const char *key, struct sc_json_place place,
		      uint64_t *ret_value, enum sc_status *ret_status, struct sc_error *error)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
	char reason[SC_REASON_BYTES];

	*ret_status = SC_MEASURED;
	if (sc_json_is_absent(item, ret_status, reason, sizeof(reason)))
		return 0;
	if (sc_json_u64_value(item, ret_value))
		return sc_json_fail(place, key, "must be an integer from 0", error);
	return 0;
}

/* The same where its absence follows from another key. */
int sc_report_get_u64_plain(const cJSON *json, const char *key, struct sc_json_place place,
			    uint64_t *ret_value, struct sc_error *error)
{
	enum sc_status status;

	return sc_report_get_u64(json, key, place, ret_value, &status, error);
}

int sc_report_get_array(const cJSON *json, const char *key, struct sc_json_place place,
			const cJSON **ret_list, struct sc_error *error)
{
	*ret_list = cJSON_GetObjectItemCaseSensitive(json, key);
	if (!cJSON_IsArray(*ret_list))
		return sc_json_fail(place, key, "must be an array", error);
	return 0;
}

/* The index of a text in a list of names; 1 where it is not one of them. */
static int find_name(const cJSON *item, const char *(*name_of)(int index), int count,
		     int *ret_index)
{
	for (int i = 0; cJSON_IsString(item) && i < count; i++) {
		if (strcmp(item->valuestring, name_of(i)) == 0) {
			*ret_index = i;
			return 0;
		}
	}
	return 1;
}

int sc_report_get_name(const cJSON *json, const char *key, struct sc_json_place place,
		       const char *(*name_of)(int index), int count, int *ret_index,
		       struct sc_error *error)
{
	if (find_name(cJSON_GetObjectItemCaseSensitive(json, key), name_of, count, ret_index))
		return sc_json_fail(place, key, "is not one of the names it can be", error);
	return 0;
}

static const char *severity_name(int index)
{
	return sc_severity_name((enum sc_severity)index);
}

static int get_finding(const cJSON *item, struct sc_json_place place, struct sc_findings *findings,
		       struct sc_error *error)
{
	struct sc_finding finding = {0};
	int severity = 0;
	int r;

	r = sc_report_get_short_text(item, "code", place, finding.code, sizeof(finding.code),
				     error);
	if (r == 0)
		r = sc_report_get_name(item, "severity", place, severity_name, SC_SEVERITY_COUNT_,
				       &severity, error);
	if (r == 0)
		r = sc_report_get_short_text(item, "text", place, finding.text,
					     sizeof(finding.text), error);
	if (r == 0)
		r = sc_report_get_short_text(item, "next", place, finding.next,
					     sizeof(finding.next), error);
	if (r < 0)
		return r;
	finding.severity = (enum sc_severity)severity;
	r = sc_findings_copy(findings, &finding);
	return r < 0 ? sc_fail(error, r, "reading %s", place.subject) : 0;
}

int sc_report_get_findings(const cJSON *json, struct sc_json_place place,
			   struct sc_findings *findings, struct sc_error *error)
{
	const cJSON *list = NULL, *item;
	int r;

	r = sc_report_get_array(json, "findings", place, &list, error);
	if (r < 0)
		return r;
	place.path = "findings";
	cJSON_ArrayForEach(item, list)
	{
		r = get_finding(item, place, findings, error);
		if (r < 0)
			return r;
	}
	return 0;
}
