/* SPDX-License-Identifier: MIT */

/*
 * A device profile: quantiles of what each class of event took. syncost-probe(1) has the format.
 * Classes are parts of rows: an event is what a model has to answer with a time, so calls that sync
 * and calls that do not are apart. Of several ways to sync only those that SQLite uses are in it.
 */

#include "json-probe.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "json-field.h"

#define NAME_BYTES 80u

static bool put_event(cJSON *events, const char *name, const struct sc_probe_part *part)
{
	cJSON *event, *list;

	if (part->n == 0)
		return true;
	event = cJSON_AddObjectToObject(events, name);
	if (!event || !sc_json_put_u64(event, "n", part->n))
		return false;
	list = cJSON_AddArrayToObject(event, "ns");
	for (size_t i = 0; list && i < SC_PROBE_QUANTILES; i++) {
		cJSON *number = cJSON_CreateNumber((double)part->ns[i]);

		if (!cJSON_AddItemToArray(list, number)) {
			cJSON_Delete(number);
			return false;
		}
	}
	return list != NULL;
}

/* "write/…", "sync/…": the two parts of a row. */
static bool put_parts(cJSON *events, const char *write, const char *sync,
		      const struct sc_probe_row *row)
{
	return put_event(events, write, &row->write) && put_event(events, sync, &row->sync);
}

static bool put_method(cJSON *events, const struct sc_probe_row *row)
{
	char write[NAME_BYTES], sync[NAME_BYTES];

	if (row->method != SC_PROBE_FDATASYNC)
		return true;
	(void)snprintf(write, sizeof(write), "write/%s/%" PRIu64, sc_probe_state_name(row->state),
		       row->bytes);
	(void)snprintf(sync, sizeof(sync), "sync/%s/%" PRIu64, sc_probe_state_name(row->state),
		       row->bytes);
	return put_parts(events, write, sync, row);
}

static bool put_file(cJSON *events, const struct sc_probe_row *row)
{
	switch ((int)row->state) {
	case SC_PROBE_CREATE:
		return put_parts(events, "create", "sync/create-and-directory", row);
	case SC_PROBE_TRUNCATE:
		return put_parts(events, "truncate", "sync/truncate", row);
	case SC_PROBE_UNLINK:
		return put_parts(events, "unlink", "sync/directory-unlink", row);
	case SC_PROBE_CLEAN:
		return put_event(events, "sync/clean", &row->operation);
	default:
		return put_event(events, "sync/directory-clean", &row->operation);
	}
}

static bool put_row(cJSON *events, const struct sc_probe_row *row)
{
	char write[NAME_BYTES], sync[NAME_BYTES];

	if (row->status != SC_MEASURED)
		return true;
	switch ((int)row->group) {
	case SC_PROBE_METHODS:
		return put_method(events, row);
	case SC_PROBE_FILES:
		return put_file(events, row);
	case SC_PROBE_PAGES:
	case SC_PROBE_JOURNAL:
		(void)snprintf(write, sizeof(write), "write/%s", row->key);
		(void)snprintf(sync, sizeof(sync), "sync/%s", row->key);
		return put_parts(events, write, sync, row) &&
		       (row->group != SC_PROBE_JOURNAL ||
			put_event(events, row->key, &row->operation));
	default:
		return true; /* several writers, pauses: not of one call */
	}
}

static bool put_quantiles(cJSON *json)
{
	cJSON *list = cJSON_CreateDoubleArray(sc_probe_quantiles, SC_PROBE_QUANTILES);

	if (list && cJSON_AddItemToObject(json, "quantiles", list))
		return true;
	cJSON_Delete(list);
	return false;
}

static bool build(cJSON *json, const struct sc_probe *probe, const struct sc_probe_tool *tool)
{
	cJSON *storage, *events;

	if (!sc_json_put_text(json, "format", "syncost-device-1") ||
	    !sc_json_put_text(json, "kind", "empirical") ||
	    !sc_json_put_text(json, "name", probe->target.label) ||
	    !sc_json_put_text(json, "date", probe->started) ||
	    !sc_json_put_text(json, "source", "syncost probe") ||
	    !sc_json_put_probe_tool(json, tool))
		return false;
	storage = cJSON_AddObjectToObject(json, "storage");
	if (!storage || !sc_json_put_probe_target(storage, &probe->target) || !put_quantiles(json))
		return false;
	events = cJSON_AddObjectToObject(json, "events");
	for (size_t i = 0; events && i < probe->row_count; i++) {
		if (!put_row(events, &probe->rows[i]))
			return false;
	}
	return events != NULL;
}

int sc_probe_format_profile(const struct sc_probe *probe, const struct sc_probe_tool *tool,
			    char **ret_text, struct sc_error *error)
{
	SC_CLEANUP(sc_json_freep) cJSON *json = cJSON_CreateObject();
	SC_CLEANUP(sc_freep) char *text = NULL;

	if (json && build(json, probe, tool))
		text = cJSON_Print(json);
	if (!text || asprintf(ret_text, "%s\n", text) < 0)
		return sc_fail(error, -ENOMEM, "writing a device profile");
	return 0;
}
