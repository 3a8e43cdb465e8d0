/* SPDX-License-Identifier: MIT */

/*
 * Settings. The fields stand in one table, in the order of result files; everything that walks a
 * setting (order, labels, PRAGMA lines, JSON, CSV) walks that table.
 *
 * Which settings cannot differ follows SQLite's pager (3.40, pager.c):
 *  - sqlite3PagerSetFlags() turns fullfsync and checkpoint_fullfsync into SQLITE_SYNC_FULL or
 *    SQLITE_SYNC_NORMAL, and os_unix.c ignores the difference except on macOS;
 *  - with synchronous OFF (noSync) there is no sync to give a flag to;
 *  - extraSync is read in one place: where the journal is deleted, which locking EXCLUSIVE, as
 *    TRUNCATE and PERSIST, never does between transactions;
 *  - fullSync matters for journals on disk and for the WAL alone; with journals MEMORY and OFF
 *    one sync of the database is left, which every level but OFF makes.
 * What a trace of system calls tells apart is never merged; a test holds that against the table.
 */

#include "setting.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const journal_names[] = {
	[SC_JOURNAL_DELETE] = "delete",   [SC_JOURNAL_TRUNCATE] = "truncate",
	[SC_JOURNAL_PERSIST] = "persist", [SC_JOURNAL_MEMORY] = "memory",
	[SC_JOURNAL_WAL] = "wal",         [SC_JOURNAL_OFF] = "off",
};

static const char *const synchronous_names[] = {
	[SC_SYNCHRONOUS_OFF] = "off",
	[SC_SYNCHRONOUS_NORMAL] = "normal",
	[SC_SYNCHRONOUS_FULL] = "full",
	[SC_SYNCHRONOUS_EXTRA] = "extra",
};

static const char *const locking_names[] = {
	[SC_LOCKING_NORMAL] = "normal",
	[SC_LOCKING_EXCLUSIVE] = "exclusive",
};

static const char *const wal_state_names[] = {
	[SC_WAL_FRESH] = "fresh",
	[SC_WAL_RECYCLED] = "recycled",
};

static_assert(sizeof(journal_names) / sizeof(*journal_names) == SC_JOURNAL_COUNT_, "a name each");
static_assert(sizeof(synchronous_names) / sizeof(*synchronous_names) == SC_SYNCHRONOUS_COUNT_,
	      "a name each");
static_assert(sizeof(locking_names) / sizeof(*locking_names) == SC_LOCKING_COUNT_, "a name each");
static_assert(sizeof(wal_state_names) / sizeof(*wal_state_names) == SC_WAL_STATE_COUNT_,
	      "a name each");

const char *sc_journal_mode_name(enum sc_journal_mode mode)
{
	assert(mode < SC_JOURNAL_COUNT_);
	return journal_names[mode];
}

const char *sc_synchronous_name(enum sc_synchronous synchronous)
{
	assert(synchronous < SC_SYNCHRONOUS_COUNT_);
	return synchronous_names[synchronous];
}

const char *sc_locking_mode_name(enum sc_locking_mode mode)
{
	assert(mode < SC_LOCKING_COUNT_);
	return locking_names[mode];
}

const char *sc_wal_state_name(enum sc_wal_state state)
{
	assert(state < SC_WAL_STATE_COUNT_);
	return wal_state_names[state];
}

static bool find_name(const char *const *names, size_t count, const char *text, size_t *ret_index)
{
	for (size_t i = 0; i < count; i++) {
		if (strcasecmp(names[i], text) == 0) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

bool sc_journal_mode_parse(const char *text, enum sc_journal_mode *ret_mode)
{
	size_t index;

	if (!find_name(journal_names, SC_JOURNAL_COUNT_, text, &index))
		return false;
	*ret_mode = (enum sc_journal_mode)index;
	return true;
}

bool sc_synchronous_parse(const char *text, enum sc_synchronous *ret_synchronous)
{
	size_t index;

	if (text[0] >= '0' && text[0] < '0' + SC_SYNCHRONOUS_COUNT_ && text[1] == '\0')
		index = (size_t)(text[0] - '0');
	else if (!find_name(synchronous_names, SC_SYNCHRONOUS_COUNT_, text, &index))
		return false;
	*ret_synchronous = (enum sc_synchronous)index;
	return true;
}

bool sc_locking_mode_parse(const char *text, enum sc_locking_mode *ret_mode)
{
	size_t index;

	if (!find_name(locking_names, SC_LOCKING_COUNT_, text, &index))
		return false;
	*ret_mode = (enum sc_locking_mode)index;
	return true;
}

bool sc_wal_state_parse(const char *text, enum sc_wal_state *ret_state)
{
	size_t index;

	if (!find_name(wal_state_names, SC_WAL_STATE_COUNT_, text, &index))
		return false;
	*ret_state = (enum sc_wal_state)index;
	return true;
}

struct sc_setting sc_setting_default(void)
{
	return (struct sc_setting){
		.journal_mode = SC_JOURNAL_DELETE,
		.synchronous = SC_SYNCHRONOUS_FULL,
		.page_size = 4096,
		.cache_size = -2000,
		.wal_autocheckpoint = 1000,
		.locking_mode = SC_LOCKING_NORMAL,
	};
}

#define FIELD_ACCESS(field, type)                                                                  \
	static int64_t get_##field(const struct sc_setting *setting)                               \
	{                                                                                          \
		return (int64_t)setting->field;                                                    \
	}                                                                                          \
	static void set_##field(struct sc_setting *setting, int64_t value)                         \
	{                                                                                          \
		setting->field = (type)value;                                                      \
	}

FIELD_ACCESS(journal_mode, enum sc_journal_mode)
FIELD_ACCESS(synchronous, enum sc_synchronous)
FIELD_ACCESS(fullfsync, bool)
FIELD_ACCESS(checkpoint_fullfsync, bool)
FIELD_ACCESS(page_size, uint32_t)
FIELD_ACCESS(cache_size, int64_t)
FIELD_ACCESS(wal_autocheckpoint, uint32_t)
FIELD_ACCESS(locking_mode, enum sc_locking_mode)
FIELD_ACCESS(mmap_size, uint64_t)
FIELD_ACCESS(rows_per_commit, uint32_t)

static const char *journal_value(int64_t value)
{
	return sc_journal_mode_name((enum sc_journal_mode)value);
}

static const char *synchronous_value(int64_t value)
{
	return sc_synchronous_name((enum sc_synchronous)value);
}

static const char *locking_value(int64_t value)
{
	return sc_locking_mode_name((enum sc_locking_mode)value);
}

#define FIELD(field)  #field
#define ACCESS(field) get_##field, set_##field

/* clang-format off */
const struct sc_setting_field sc_setting_fields[] = {
	{ FIELD(journal_mode),         3, ACCESS(journal_mode),         0, SC_JOURNAL_COUNT_ - 1,     journal_value,     false },
	{ FIELD(synchronous),          4, ACCESS(synchronous),          0, SC_SYNCHRONOUS_COUNT_ - 1, synchronous_value, false },
	{ FIELD(fullfsync),            5, ACCESS(fullfsync),            0, 1,                         NULL,              true },
	{ FIELD(checkpoint_fullfsync), 6, ACCESS(checkpoint_fullfsync), 0, 1,                         NULL,              true },
	{ FIELD(page_size),            1, ACCESS(page_size),            512, 65536,                   NULL,              false },
	{ FIELD(cache_size),           7, ACCESS(cache_size),           INT32_MIN, INT32_MAX,         NULL,              false },
	{ FIELD(wal_autocheckpoint),   8, ACCESS(wal_autocheckpoint),   0, INT32_MAX,                 NULL,              false },
	{ FIELD(locking_mode),         2, ACCESS(locking_mode),         0, SC_LOCKING_COUNT_ - 1,     locking_value,     false },
	{ FIELD(mmap_size),            9, ACCESS(mmap_size),            0, INT64_MAX,                 NULL,              false },
	{ FIELD(rows_per_commit),      0, ACCESS(rows_per_commit),      0, UINT32_MAX,                NULL,              false },
};
/* clang-format on */

const size_t sc_setting_field_count = sizeof(sc_setting_fields) / sizeof(*sc_setting_fields);

static const char reason_fullfsync[] =
	"fullfsync changes only the flag given to xSync, which Linux ignores";
static const char reason_checkpoint_fullfsync[] =
	"checkpoint_fullfsync changes only the flag given to xSync, which Linux ignores";
static const char reason_fullfsync_off[] =
	"with synchronous OFF nothing is synced, so the sync flags mean nothing";
static const char reason_checkpoint_outside_wal[] =
	"checkpoint_fullfsync means nothing outside WAL: there are no checkpoints";
static const char reason_checkpoint_implied[] =
	"fullfsync covers checkpoints too, so checkpoint_fullfsync adds nothing";
static const char reason_extra[] =
	"EXTRA differs from FULL only where a journal is deleted: DELETE with locking NORMAL";
static const char reason_no_journal[] =
	"journals MEMORY and OFF leave one sync, of the database: NORMAL, FULL and EXTRA are equal";
static const char reason_autocheckpoint[] =
	"wal_autocheckpoint means nothing outside WAL: there are no checkpoints";

static const char *first(const char *reason, const char *next)
{
	return reason ? reason : next;
}

/* Which flag xSync gets; the rule depends on whether anything underneath looks at it. */
static const char *drop_sync_flags(struct sc_setting *s, bool device_tells_full_sync)
{
	bool off = s->synchronous == SC_SYNCHRONOUS_OFF;
	const char *reason = NULL;

	if (s->fullfsync && (off || !device_tells_full_sync)) {
		reason = off ? reason_fullfsync_off : reason_fullfsync;
		s->fullfsync = false;
	}
	if (!s->checkpoint_fullfsync)
		return reason;
	if (s->journal_mode != SC_JOURNAL_WAL)
		reason = first(reason, reason_checkpoint_outside_wal);
	else if (off)
		reason = first(reason, reason_fullfsync_off);
	else if (!device_tells_full_sync)
		reason = first(reason, reason_checkpoint_fullfsync);
	else if (s->fullfsync)
		reason = reason_checkpoint_implied;
	else
		return NULL;
	s->checkpoint_fullfsync = false;
	return reason;
}

static bool is_journal_on_disk(enum sc_journal_mode mode)
{
	return mode != SC_JOURNAL_MEMORY && mode != SC_JOURNAL_OFF;
}

static const char *lower_synchronous(struct sc_setting *s)
{
	if (!is_journal_on_disk(s->journal_mode)) {
		if (s->synchronous == SC_SYNCHRONOUS_OFF || s->synchronous == SC_SYNCHRONOUS_FULL)
			return NULL;
		s->synchronous = SC_SYNCHRONOUS_FULL;
		return reason_no_journal;
	}
	if (s->synchronous != SC_SYNCHRONOUS_EXTRA)
		return NULL;
	if (s->journal_mode == SC_JOURNAL_DELETE && s->locking_mode == SC_LOCKING_NORMAL)
		return NULL;
	s->synchronous = SC_SYNCHRONOUS_FULL;
	return reason_extra;
}

static const char *drop_autocheckpoint(struct sc_setting *s)
{
	uint32_t pages = sc_setting_default().wal_autocheckpoint;

	if (s->journal_mode == SC_JOURNAL_WAL || s->wal_autocheckpoint == pages)
		return NULL;
	s->wal_autocheckpoint = pages;
	return reason_autocheckpoint;
}

struct sc_setting sc_setting_canonical(const struct sc_setting *setting,
				       bool device_tells_full_sync, const char **ret_reason)
{
	struct sc_setting canonical = *setting;
	const char *reason;

	reason = drop_sync_flags(&canonical, device_tells_full_sync);
	reason = first(reason, lower_synchronous(&canonical));
	reason = first(reason, drop_autocheckpoint(&canonical));
	if (ret_reason)
		*ret_reason = reason;
	return canonical;
}

/* Why a canonical setting with one field changed is still the same; NULL where it is not. */
static const char *field_reason(const struct sc_setting *canonical, bool device_tells_full_sync,
				const struct sc_setting_field *field, int64_t value)
{
	struct sc_setting changed = *canonical;
	const char *reason;

	field->set(&changed, value);
	(void)sc_setting_canonical(&changed, device_tells_full_sync, &reason);
	return reason;
}

const char *sc_setting_same_reason(const struct sc_setting *setting,
				   const struct sc_setting *source, bool device_tells_full_sync)
{
	struct sc_setting canonical, other;
	const char *reason = NULL;

	canonical = sc_setting_canonical(setting, device_tells_full_sync, NULL);
	other = sc_setting_canonical(source, device_tells_full_sync, NULL);
	if (sc_setting_compare(&canonical, &other) != 0)
		return NULL;

	/* The first field in which they differ has the rule that makes it not matter. */
	for (size_t i = 0; i < sc_setting_field_count && !reason; i++) {
		const struct sc_setting_field *field = &sc_setting_fields[i];

		if (field->get(setting) == field->get(source))
			continue;
		reason = field_reason(&canonical, device_tells_full_sync, field,
				      field->get(setting));
		if (!reason)
			reason = field_reason(&canonical, device_tells_full_sync, field,
					      field->get(source));
	}
	return reason ? reason : "the settings are equal";
}

int sc_setting_compare(const struct sc_setting *a, const struct sc_setting *b)
{
	for (size_t i = 0; i < sc_setting_field_count; i++) {
		int64_t left = sc_setting_fields[i].get(a);
		int64_t right = sc_setting_fields[i].get(b);

		if (left != right)
			return left < right ? -1 : 1;
	}
	return 0;
}

/* Appends as snprintf does, and stops quietly at the end of @text. */
__attribute__((format(printf, 4, 5))) static void append(char *text, size_t text_bytes,
							 size_t *used, const char *format, ...)
{
	va_list arguments;
	int n;

	if (*used >= text_bytes)
		return;
	va_start(arguments, format);
	n = vsnprintf(text + *used, text_bytes - *used, format, arguments);
	va_end(arguments);
	if (n > 0)
		*used += (size_t)n;
}

static void append_value(char *text, size_t text_bytes, size_t *used,
			 const struct sc_setting_field *field, const struct sc_setting *setting)
{
	int64_t value = field->get(setting);

	if (field->value_name)
		append(text, text_bytes, used, "%s", field->value_name(value));
	else
		append(text, text_bytes, used, "%" PRId64, value);
}

void sc_setting_label(const struct sc_setting *setting, const struct sc_setting *base, char *text,
		      size_t text_bytes)
{
	size_t used = 0;

	append(text, text_bytes, &used, "%s/%s", sc_journal_mode_name(setting->journal_mode),
	       sc_synchronous_name(setting->synchronous));
	for (size_t i = 0; i < sc_setting_field_count; i++) {
		const struct sc_setting_field *field = &sc_setting_fields[i];

		if (field->get == get_journal_mode || field->get == get_synchronous)
			continue;
		if (field->get(setting) == field->get(base))
			continue;
		append(text, text_bytes, &used, " %s=", field->name);
		append_value(text, text_bytes, &used, field, setting);
	}
}

static const struct sc_setting_field *field_applied(unsigned int order)
{
	for (size_t i = 0; i < sc_setting_field_count; i++) {
		if (sc_setting_fields[i].apply_order == order)
			return &sc_setting_fields[i];
	}
	return NULL;
}

void sc_setting_pragmas(const struct sc_setting *setting, const struct sc_setting *base, char *text,
			size_t text_bytes)
{
	const struct sc_setting_field *field;
	size_t used = 0;

	if (text_bytes)
		text[0] = '\0';
	for (unsigned int order = 1; (field = field_applied(order)); order++) {
		/* Journal mode and synchronous are the answer itself, and a build may default to
		 * anything. */
		if (field->get(setting) == field->get(base) && field->get != get_journal_mode &&
		    field->get != get_synchronous)
			continue;
		append(text, text_bytes, &used, "PRAGMA %s = ", field->name);
		append_value(text, text_bytes, &used, field, setting);
		append(text, text_bytes, &used, ";\n");
	}
}
