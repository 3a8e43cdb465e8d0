/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Reading a report, inside: values by key, the head, a cell. All return 0, SC_E_FORMAT with the
 * place, or -ENOMEM; what they filled until then belongs to the caller.
 */

#include "json-report.h"

int sc_report_get_number(const cJSON *json, const char *key, struct sc_json_place place,
			 double *ret_value, struct sc_error *error); /* finite */
int sc_report_get_bool(const cJSON *json, const char *key, struct sc_json_place place,
		       bool *ret_value, struct sc_error *error);
int sc_report_get_fields(const cJSON *json, const struct sc_json_fields *fields,
			 struct sc_json_place place, void *into, struct sc_error *error);

/** sc_report_get_text() - a text; *ret_text is untouched where it is null or absent */
int sc_report_get_text(const cJSON *json, const char *key, struct sc_json_place place,
		       char **ret_text, struct sc_error *error);
/** sc_report_get_short_text() - the same into an array; too long a text is an error */
int sc_report_get_short_text(const cJSON *json, const char *key, struct sc_json_place place,
			     char *text, size_t text_bytes, struct sc_error *error);

/** sc_report_get_u64() - an integer, or its absence and then *ret_value is untouched */
int sc_report_get_u64(const cJSON *json, const char *key, struct sc_json_place place,
		      uint64_t *ret_value, enum sc_status *ret_status, struct sc_error *error);
/** sc_report_get_u64_plain() - the same where its absence follows from another key */
int sc_report_get_u64_plain(const cJSON *json, const char *key, struct sc_json_place place,
			    uint64_t *ret_value, struct sc_error *error);

int sc_report_get_array(const cJSON *json, const char *key, struct sc_json_place place,
			const cJSON **ret_list, struct sc_error *error);
/** sc_report_get_name() - the index of a text among the @count names of @name_of */
int sc_report_get_name(const cJSON *json, const char *key, struct sc_json_place place,
		       const char *(*name_of)(int index), int count, int *ret_index,
		       struct sc_error *error);
/** sc_report_get_findings() - the array "findings" of @json, added to @findings */
int sc_report_get_findings(const cJSON *json, struct sc_json_place place,
			   struct sc_findings *findings, struct sc_error *error);

int sc_report_get_head(const cJSON *json, struct sc_json_place place, struct sc_report_head *head,
		       struct sc_error *error);
/** sc_report_get_cell() - @cell: as sc_cell_init() left it */
int sc_report_get_cell(const cJSON *json, struct sc_json_place place, struct sc_cell *cell,
		       struct sc_error *error);
