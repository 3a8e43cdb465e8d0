/* SPDX-License-Identifier: MIT */

/*
 * Method. Values are taken as SQLite takes them: what it does not know as a journal or locking mode
 * is a question, not a setting, and any unknown word for synchronous is 1.
 */

#include "setting.h"

#include <stdlib.h>
#include <strings.h>

static const struct {
	const char *name;
	bool is_wide;
} settings_known[SC_SETTING_COUNT_] = {
	[SC_SETTING_JOURNAL_MODE] = {"journal_mode", true},
	[SC_SETTING_SYNCHRONOUS] = {"synchronous", false},
	[SC_SETTING_LOCKING_MODE] = {"locking_mode", true},
	[SC_SETTING_PAGE_SIZE] = {"page_size", false},
	[SC_SETTING_CACHE_SIZE] = {"cache_size", false},
	[SC_SETTING_WAL_AUTOCHECKPOINT] = {"wal_autocheckpoint", true},
	[SC_SETTING_MMAP_SIZE] = {"mmap_size", true},
};

static const char *const journals[SC_JOURNAL_COUNT_] = {
	[SC_JOURNAL_DELETE] = "delete",   [SC_JOURNAL_TRUNCATE] = "truncate",
	[SC_JOURNAL_PERSIST] = "persist", [SC_JOURNAL_MEMORY] = "memory",
	[SC_JOURNAL_OFF] = "off",         [SC_JOURNAL_WAL] = "wal",
};

static const char *const lockings[] = {"normal", "exclusive"};

const char *sc_setting_name(enum sc_setting setting)
{
	return (uint32_t)setting < SC_SETTING_COUNT_ ? settings_known[setting].name : NULL;
}

const char *sc_setting_word(enum sc_setting setting, int64_t value)
{
	if (setting == SC_SETTING_JOURNAL_MODE && value >= 0 && value < SC_JOURNAL_COUNT_)
		return journals[value];
	if (setting == SC_SETTING_LOCKING_MODE && value >= 0 && value < 2)
		return lockings[value];
	return NULL;
}

bool sc_setting_is_wide(enum sc_setting setting)
{
	return settings_known[setting].is_wide;
}

void sc_setting_put(struct sc_settings *settings, enum sc_setting setting, int64_t value,
		    enum sc_setting_source source)
{
	atomic_store_explicit(&settings->values[setting], value, memory_order_relaxed);
	atomic_store_explicit(&settings->sources[setting], source, memory_order_release);
}

void sc_setting_clear(struct sc_settings *settings)
{
	for (int i = 0; i < SC_SETTING_COUNT_; i++)
		sc_setting_put(settings, (enum sc_setting)i, 0, SC_SETTING_UNSEEN);
}

/* --- words */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool find_word(const char *const *words, size_t count, const char *text, int64_t *ret_value)
{
	for (size_t i = 0; i < count; i++) {
		if (strcasecmp(words[i], text) == 0) {
			*ret_value = (int64_t)i;
			return true;
		}
	}
	return false;
}

/* A level of 4 and more wraps round; 0 then becomes 1 less than OFF, which SQLite takes for OFF. */
static int64_t synchronous_of(const char *text)
{
	static const struct {
		const char *word;
		int64_t level;
	} words[] = {
		{"off", 0}, {"no", 0},   {"false", 0}, {"on", 1},
		{"yes", 1}, {"true", 1}, {"full", 2},  {"extra", 3},
	};

	if (is_digit(*text)) {
		int64_t level = ((strtol(text, NULL, 10) & 0xff) + 1) & 7;

		return level == 0 ? 0 : level - 1;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasecmp(words[i].word, text) == 0)
			return words[i].level;
	}
	return 1;
}

bool sc_setting_parse(const char *name, const char *text, enum sc_setting *ret_setting,
		      int64_t *ret_value)
{
	size_t i = 0;

	if (!text)
		return false;
	while (i < SC_SETTING_COUNT_ && strcasecmp(settings_known[i].name, name) != 0)
		i++;
	if (i == SC_SETTING_COUNT_)
		return false;
	*ret_setting = (enum sc_setting)i;
	switch ((int)i) {
	case SC_SETTING_JOURNAL_MODE:
		return find_word(journals, SC_JOURNAL_COUNT_, text, ret_value);
	case SC_SETTING_LOCKING_MODE:
		return find_word(lockings, 2, text, ret_value);
	case SC_SETTING_SYNCHRONOUS:
		*ret_value = synchronous_of(text);
		return true;
	case SC_SETTING_CACHE_SIZE:
	case SC_SETTING_WAL_AUTOCHECKPOINT:
		*ret_value = strtol(text, NULL, 10);
		if (i == SC_SETTING_WAL_AUTOCHECKPOINT && *ret_value < 0)
			*ret_value = 0;
		return true;
	default:
		return false; /* page size and mmap size are seen where they take effect */
	}
}
