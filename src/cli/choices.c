/* SPDX-License-Identifier: MIT */
#include "choices.h"

#include <strings.h>

#include "../model/store.h"

static const char *journal_mode_name(int value)
{
	return value < SC_JOURNAL_COUNT_ ? sc_journal_mode_name((enum sc_journal_mode)value) : NULL;
}

static bool journal_mode_parse(const char *text, int *ret_value)
{
	enum sc_journal_mode mode;

	if (!sc_journal_mode_parse(text, &mode))
		return false;
	*ret_value = (int)mode;
	return true;
}

static const char *synchronous_name(int value)
{
	return value < SC_SYNCHRONOUS_COUNT_ ? sc_synchronous_name((enum sc_synchronous)value)
					     : NULL;
}

static bool synchronous_parse(const char *text, int *ret_value)
{
	enum sc_synchronous synchronous;

	if (!sc_synchronous_parse(text, &synchronous))
		return false;
	*ret_value = (int)synchronous;
	return true;
}

static const char *locking_mode_name(int value)
{
	return value < SC_LOCKING_COUNT_ ? sc_locking_mode_name((enum sc_locking_mode)value) : NULL;
}

static bool locking_mode_parse(const char *text, int *ret_value)
{
	enum sc_locking_mode mode;

	if (!sc_locking_mode_parse(text, &mode))
		return false;
	*ret_value = (int)mode;
	return true;
}

static const char *wal_state_name(int value)
{
	return value < SC_WAL_STATE_COUNT_ ? sc_wal_state_name((enum sc_wal_state)value) : NULL;
}

static bool wal_state_parse(const char *text, int *ret_value)
{
	enum sc_wal_state state;

	if (!sc_wal_state_parse(text, &state))
		return false;
	*ret_value = (int)state;
	return true;
}

/* Memory is a suite's to choose. */
static const char *store_name(int value)
{
	return value < SC_STORE_MEMORY ? sc_store_name((enum sc_store)value) : NULL;
}

static bool store_parse(const char *text, int *ret_value)
{
	enum sc_store store;

	if (!sc_store_parse(text, &store) || store == SC_STORE_MEMORY)
		return false;
	*ret_value = (int)store;
	return true;
}

static const char *switch_name(int value)
{
	static const char *const names[] = {"off", "on", NULL};

	return names[value];
}

static bool switch_parse(const char *text, int *ret_value)
{
	static const char *const words[] = {"off", "on", "false", "true", "no", "yes", "0", "1"};

	for (size_t i = 0; i < SC_ARRAY_COUNT(words); i++) {
		if (strcasecmp(words[i], text) == 0) {
			*ret_value = (int)(i & 1u);
			return true;
		}
	}
	return false;
}

const struct sc_choices sc_choices_journal_mode = {journal_mode_name, journal_mode_parse};
const struct sc_choices sc_choices_synchronous = {synchronous_name, synchronous_parse};
const struct sc_choices sc_choices_locking_mode = {locking_mode_name, locking_mode_parse};
const struct sc_choices sc_choices_switch = {switch_name, switch_parse};
const struct sc_choices sc_choices_store = {store_name, store_parse};
const struct sc_choices sc_choices_wal_state = {wal_state_name, wal_state_parse};
