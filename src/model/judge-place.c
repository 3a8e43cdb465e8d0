/* SPDX-License-Identifier: MIT */

/*
 * Findings about what lies underneath: the storage of a target, and the SQLite that was measured.
 *
 * The limits for `rotational` are mechanical: at 15,000 turns a minute, the most that were built,
 * half a turn takes 2 ms; so a sync under 1 ms was not answered by a platter. And flash that takes
 * longer than a full turn at 7,200 (8.3 ms) behaves as a turning disk would.
 */

#include <inttypes.h>
#include <string.h>

#include "format.h"
#include "judge.h"
#include "store.h"

#define PLATTER_NS_MIN  1000000u
#define PLATTER_NS_TURN 8300000u

static bool is_memory_name(const char *filesystem)
{
	static const char *const names[] = {"tmpfs", "ramfs", "devtmpfs", "hugetlbfs"};

	for (size_t i = 0; filesystem && i < SC_ARRAY_COUNT(names); i++) {
		if (strcmp(filesystem, names[i]) == 0)
			return true;
	}
	return false;
}

bool sc_target_is_memory(const struct sc_target *target)
{
	return target->in_memory || is_memory_name(target->filesystem);
}

bool sc_cell_on_memory(const struct sc_report_head *head, const struct sc_cell *cell)
{
	const struct sc_target *target = sc_head_target(head, cell->target);

	return target && sc_target_is_memory(target);
}

bool sc_cell_in_memory(const struct sc_report_head *head, const struct sc_cell *cell)
{
	return sc_store_is(cell->store, SC_STORE_MEMORY) || sc_cell_on_memory(head, cell);
}

static int judge_rotational(struct sc_target *target)
{
	const char *flag, *why;
	char floor[SC_FORMAT_BYTES], n[SC_FORMAT_BYTES];

	if (target->rotational_status != SC_MEASURED || target->sync_floor_status != SC_MEASURED ||
	    sc_target_is_memory(target))
		return 0;
	if (target->rotational && target->sync_floor_ns_p50 < PLATTER_NS_MIN) {
		flag = "a rotational disk";
		why = target->is_virtual
			      ? "the disk is virtual, and the flag is not of what is underneath"
			      : "no disk turns that fast, so a cache answers or the flag is wrong";
	} else if (!target->rotational && target->sync_floor_ns_p50 > PLATTER_NS_TURN) {
		flag = "not a rotational disk";
		why = "as slow as a disk that does";
	} else {
		return 0;
	}
	(void)snprintf(n, sizeof(n), "%" PRIu64, target->sync_floor_n);
	return sc_findings_add(
		&target->findings, SC_FINDING_ROTATIONAL, target->label, flag,
		sc_format_ns((double)target->sync_floor_ns_p50, floor, sizeof(floor)), n, why);
}

/* Whether @option stands in a comma separated list. */
static bool has_option(const char *list, const char *option)
{
	size_t length = strlen(option);

	while (list && *list) {
		size_t n = strcspn(list, ",");

		if (n == length && strncmp(list, option, n) == 0)
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

static int judge_flush(struct sc_target *target)
{
	static const char *const options[] = {"nobarrier", "barrier=0"};

	for (size_t i = 0; i < SC_ARRAY_COUNT(options); i++) {
		if (has_option(target->mount_options, options[i]))
			return sc_findings_add(&target->findings, SC_FINDING_FLUSH_DISABLED,
					       target->label, options[i]);
	}
	/* Under an overlay, or an option that only this file system has. */
	if (target->flush_disabled)
		return sc_findings_add(&target->findings, SC_FINDING_FLUSH_DISABLED, target->label,
				       "an option that keeps flushes from it");
	return 0;
}

static int judge_memory(struct sc_target *target)
{
	char place[300];

	if (!sc_target_is_memory(target))
		return 0;
	if (is_memory_name(target->filesystem))
		(void)snprintf(place, sizeof(place), "%s, in memory", target->filesystem);
	else
		(void)snprintf(place, sizeof(place), "%s on %s, which is in memory",
			       target->filesystem ? target->filesystem : "a file system",
			       target->storage ? target->storage : "storage");
	return sc_findings_add(&target->findings, SC_FINDING_SYNC_BUYS_NOTHING, target->label,
			       place);
}

static int judge_network(struct sc_target *target)
{
	if (!target->is_network)
		return 0;
	return sc_findings_add(&target->findings, SC_FINDING_NETWORK_STORAGE, target->label,
			       target->storage      ? target->storage
			       : target->filesystem ? target->filesystem
						    : "as the kernel says");
}

int sc_judge_target(struct sc_target *target)
{
	int r = judge_memory(target);

	if (r == 0)
		r = judge_network(target);
	if (r == 0)
		r = judge_flush(target);
	if (r == 0)
		r = judge_rotational(target);
	return r;
}

/* --- the build of SQLite */

static int judge_sync_call(struct sc_report_head *head)
{
	const char *meaning;

	if (!head->sync_call)
		return 0;
	if (strcmp(head->sync_call, "fdatasync") == 0)
		meaning = "which leaves out a file's times; builds without HAVE_FDATASYNC call "
			  "fsync, "
			  "which is dearer on most storage";
	else
		meaning = "which writes a file's times too; builds with HAVE_FDATASYNC call "
			  "fdatasync, which is cheaper on most storage";
	return sc_findings_add(&head->findings, SC_FINDING_SYNC_CALL, head->sync_call, meaning);
}

/* The value of a compile option "NAME=value"; NULL where it is not listed. */
static const char *compile_option(const struct sc_report_head *head, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < head->compile_option_count; i++) {
		const char *option = head->compile_options[i];

		if (strncmp(option, name, length) == 0 && option[length] == '=')
			return option + length + 1;
	}
	return NULL;
}

static int judge_default(struct sc_report_head *head)
{
	const char *text = compile_option(head, "DEFAULT_SYNCHRONOUS");
	const char *wal_text = compile_option(head, "DEFAULT_WAL_SYNCHRONOUS");
	enum sc_synchronous level, wal_level;

	if (!text || !sc_synchronous_parse(text, &level))
		return 0;
	if (!wal_text || !sc_synchronous_parse(wal_text, &wal_level))
		wal_level = level; /* SQLite's rule where it is not set */
	return sc_findings_add(&head->findings, SC_FINDING_DEFAULT_SYNCHRONOUS,
			       sc_synchronous_name(level), sc_synchronous_name(wal_level));
}

static unsigned int version_number(unsigned int major, unsigned int minor, unsigned int patch)
{
	return 1000000 * major + 1000 * minor + patch;
}

bool sc_version_has_wal_reset_bug(const char *version)
{
	unsigned long parts[3] = {0}; /* major, minor, patch */
	unsigned int number, major, minor, patch;
	size_t count = 0;

	for (const char *at = version; count < SC_ARRAY_COUNT(parts); count++) {
		char *end = NULL;

		parts[count] = strtoul(at, &end, 10);
		if (end == at || parts[count] > 999)
			break;
		at = end + (*end == '.');
	}
	if (count < 2)
		return false;
	major = (unsigned int)parts[0];
	minor = (unsigned int)parts[1];
	patch = (unsigned int)parts[2];
	number = version_number(major, minor, patch);
	if (number < version_number(3, 7, 0) || number >= version_number(3, 51, 3))
		return false;
	if (major == 3 && minor == 50 && patch >= 7)
		return false;
	return !(major == 3 && minor == 44 && patch >= 6);
}

int sc_judge_build(struct sc_report_head *head, const struct sc_cell *cells, size_t cell_count)
{
	bool has_wal = false;
	int r;

	for (size_t i = 0; i < cell_count; i++)
		has_wal = has_wal || (cells[i].setting.journal_mode == SC_JOURNAL_WAL &&
				      !sc_store_is(cells[i].store, SC_STORE_MEMORY));
	r = judge_sync_call(head);
	if (r == 0)
		r = judge_default(head);
	if (r == 0 && has_wal && sc_version_has_wal_reset_bug(head->sqlite_version))
		r = sc_findings_add(&head->findings, SC_FINDING_WAL_RESET_BUG,
				    head->sqlite_version);
	return r;
}
