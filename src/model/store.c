/* SPDX-License-Identifier: MIT */
#include "store.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
	[SC_STORE_SQLITE] = "sqlite",
	[SC_STORE_MEMORY] = "memory",
	[SC_STORE_SNAPSHOT] = "snapshot",
};

static_assert(sizeof(names) / sizeof(*names) == SC_STORE_COUNT_, "a name each");

const char *sc_store_name(enum sc_store store)
{
	assert(store < SC_STORE_COUNT_);
	return names[store];
}

bool sc_store_parse(const char *text, enum sc_store *ret_store)
{
	for (int store = 0; store < SC_STORE_COUNT_; store++) {
		if (strcmp(text, names[store]) != 0)
			continue;
		*ret_store = (enum sc_store)store;
		return true;
	}
	return false;
}

bool sc_store_is(const char *name, enum sc_store store)
{
	return name && strcmp(name, sc_store_name(store)) == 0;
}

/* The pages are what is written; the rest rules files, locks and caches that a snapshot lacks. */
static const char *const snapshot_fields[] = {"synchronous", "page_size", "rows_per_commit"};

bool sc_store_has_field(enum sc_store store, const struct sc_setting_field *field)
{
	if (store != SC_STORE_SNAPSHOT)
		return true;
	for (size_t i = 0; i < sizeof(snapshot_fields) / sizeof(*snapshot_fields); i++) {
		if (strcmp(field->name, snapshot_fields[i]) == 0)
			return true;
	}
	return false;
}

struct sc_setting sc_store_setting(enum sc_store store, const struct sc_setting *setting,
				   const struct sc_setting *base)
{
	struct sc_setting means = *setting;

	if (store != SC_STORE_SNAPSHOT)
		return means;
	for (size_t i = 0; i < sc_setting_field_count; i++) {
		const struct sc_setting_field *field = &sc_setting_fields[i];

		if (!sc_store_has_field(store, field))
			field->set(&means, field->get(base));
	}
	means.journal_mode = SC_JOURNAL_MEMORY;
	if (means.synchronous != SC_SYNCHRONOUS_OFF)
		means.synchronous = SC_SYNCHRONOUS_FULL;
	return means;
}

void sc_store_label(const char *store, const struct sc_setting *setting,
		    const struct sc_setting *base, char *text, size_t text_bytes)
{
	char label[400];

	sc_setting_label(setting, base, label, sizeof(label));
	if (sc_store_is(store, SC_STORE_SNAPSHOT))
		(void)snprintf(text, text_bytes, "%s%s", store, strchr(label, '/'));
	else
		(void)snprintf(text, text_bytes, "%s", label);
}
