/* SPDX-License-Identifier: MIT */

/*
 * Keys as tables of names and texts: the same texts match cells, find differences, and are shown.
 */

#include "compare-key.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "format.h"

static struct sc_key_text text_of(const char *text)
{
	struct sc_key_text key;

	(void)snprintf(key.text, sizeof(key.text), "%s", text && text[0] ? text : "-");
	return key;
}

static struct sc_key_text number_of(uint64_t number)
{
	struct sc_key_text key;

	(void)snprintf(key.text, sizeof(key.text), "%" PRIu64, number);
	return key;
}

/* --- identity */

static struct sc_key_text cell_target(const struct sc_digest_cell *cell)
{
	return text_of(cell->target);
}

static struct sc_key_text cell_suite(const struct sc_digest_cell *cell)
{
	return text_of(cell->suite);
}

static struct sc_key_text cell_workload(const struct sc_digest_cell *cell)
{
	return text_of(cell->workload);
}

static struct sc_key_text cell_store(const struct sc_digest_cell *cell)
{
	return text_of(cell->store);
}

static struct sc_key_text cell_clients(const struct sc_digest_cell *cell)
{
	return number_of(cell->clients);
}

static struct sc_key_text cell_device(const struct sc_digest_cell *cell)
{
	return text_of(cell->device);
}

static struct sc_key_text cell_clock(const struct sc_digest_cell *cell)
{
	return text_of(cell->clock);
}

static struct sc_key_text cell_layers(const struct sc_digest_cell *cell)
{
	return text_of(cell->layers);
}

static struct sc_key_text cell_wal_state(const struct sc_digest_cell *cell)
{
	return text_of(cell->uses_wal_state ? sc_wal_state_name(cell->wal_state) : NULL);
}

static struct sc_key_text cell_rate(const struct sc_digest_cell *cell)
{
	return cell->rate ? number_of(cell->rate) : text_of(NULL);
}

static struct sc_key_text cell_rows(const struct sc_digest_cell *cell)
{
	return number_of(cell->rows);
}

static const struct sc_cell_key identity[] = {
	{"target", cell_target}, {"suite", cell_suite},     {"workload", cell_workload},
	{"store", cell_store},   {"clients", cell_clients}, {"device", cell_device},
	{"clock", cell_clock},   {"layers", cell_layers},   {"wal_state", cell_wal_state},
	{"rate", cell_rate},     {"rows", cell_rows},
};

size_t sc_key_identity_count(void)
{
	return SC_ARRAY_COUNT(identity) + sc_setting_field_count;
}

const char *sc_key_identity_name(size_t index)
{
	assert(index < sc_key_identity_count());
	if (index < SC_ARRAY_COUNT(identity))
		return identity[index].name;
	return sc_setting_fields[index - SC_ARRAY_COUNT(identity)].name;
}

static struct sc_key_text setting_text(const struct sc_setting_field *field,
				       const struct sc_setting *setting)
{
	struct sc_key_text key;
	int64_t value = field->get(setting);

	if (field->value_name)
		return text_of(field->value_name(value));
	(void)snprintf(key.text, sizeof(key.text), "%" PRId64, value);
	return key;
}

struct sc_key_text sc_key_identity_text(const struct sc_digest_cell *cell, size_t index)
{
	assert(index < sc_key_identity_count());
	if (index < SC_ARRAY_COUNT(identity))
		return identity[index].text(cell);
	return setting_text(&sc_setting_fields[index - SC_ARRAY_COUNT(identity)], &cell->setting);
}

/* --- what matched cells must have in common */

static struct sc_key_text cell_suite_digest(const struct sc_digest_cell *cell)
{
	return text_of(cell->suite_digest);
}

static struct sc_key_text cell_seed(const struct sc_digest_cell *cell)
{
	return number_of(cell->seed);
}

static struct sc_key_text cell_ledger_ops(const struct sc_digest_cell *cell)
{
	return number_of(cell->ledger_ops);
}

/* Where SQLite did not take what was asked for: the fields and what it took. */
static struct sc_key_text cell_effective(const struct sc_digest_cell *cell)
{
	struct sc_key_text key = {.text = ""};
	size_t used = 0;

	for (size_t i = 0; i < sc_setting_field_count && used < sizeof(key.text); i++) {
		const struct sc_setting_field *field = &sc_setting_fields[i];

		if (field->apply_order == 0 ||
		    field->get(&cell->setting) == field->get(&cell->effective))
			continue;
		used += (size_t)snprintf(key.text + used, sizeof(key.text) - used, "%s%s=%s",
					 used ? " " : "", field->name,
					 setting_text(field, &cell->effective).text);
	}
	return used ? key : text_of("as asked for");
}

const struct sc_cell_key sc_cell_keys[] = {
	{"suite_digest", cell_suite_digest},
	{"seed", cell_seed},
	{"ledger_ops", cell_ledger_ops},
	{SC_KEY_EFFECTIVE, cell_effective},
};

const size_t sc_cell_key_count = SC_ARRAY_COUNT(sc_cell_keys);

/* --- what reports must have in common */

static struct sc_key_text head_kind(const struct sc_report_head *head)
{
	return text_of(head->kind);
}

static struct sc_key_text head_sqlite_version(const struct sc_report_head *head)
{
	return text_of(head->sqlite_version);
}

static struct sc_key_text head_source_id(const struct sc_report_head *head)
{
	return text_of(head->sqlite_source_id);
}

static struct sc_key_text head_tool_version(const struct sc_report_head *head)
{
	return text_of(head->tool_version);
}

static struct sc_key_text head_cpu(const struct sc_report_head *head)
{
	return text_of(head->cpu);
}

static struct sc_key_text head_cpu_count(const struct sc_report_head *head)
{
	return number_of(head->cpu_count);
}

static struct sc_key_text head_kernel(const struct sc_report_head *head)
{
	return text_of(head->kernel);
}

static struct sc_key_text head_memory(const struct sc_report_head *head)
{
	struct sc_key_text key;

	(void)sc_format_size((double)head->memory_bytes, key.text, sizeof(key.text));
	return key;
}

const struct sc_head_key sc_head_keys[] = {
	{"kind", SC_KEY_REFUSED, head_kind},
	{"sqlite.version", SC_KEY_REFUSED, head_sqlite_version},
	{"sqlite.source_id", SC_KEY_NOTED, head_source_id},
	{"tool.version", SC_KEY_NOTED, head_tool_version},
	{"host.cpu", SC_KEY_PLATFORM, head_cpu},
	{"host.cpu_count", SC_KEY_PLATFORM, head_cpu_count},
	{"host.kernel", SC_KEY_NOTED, head_kernel},
	{"host.memory_bytes", SC_KEY_NOTED, head_memory},
};

const size_t sc_head_key_count = SC_ARRAY_COUNT(sc_head_keys);

static struct sc_key_text target_filesystem(const struct sc_target *target)
{
	return text_of(target->filesystem);
}

static struct sc_key_text target_storage(const struct sc_target *target)
{
	return text_of(target->storage);
}

static struct sc_key_text target_rotational(const struct sc_target *target)
{
	if (target->rotational_status != SC_MEASURED)
		return text_of(NULL);
	return text_of(target->rotational ? "rotational" : "not rotational");
}

static struct sc_key_text target_write_cache(const struct sc_target *target)
{
	return text_of(target->write_cache);
}

static struct sc_key_text target_mount_options(const struct sc_target *target)
{
	return text_of(target->mount_options);
}

const struct sc_target_key sc_target_keys[] = {
	{"target.filesystem", SC_KEY_PLATFORM, target_filesystem},
	{"target.storage", SC_KEY_PLATFORM, target_storage},
	{"target.rotational", SC_KEY_PLATFORM, target_rotational},
	{"target.write_cache", SC_KEY_PLATFORM, target_write_cache},
	{"target.mount_options", SC_KEY_NOTED, target_mount_options},
};

const size_t sc_target_key_count = SC_ARRAY_COUNT(sc_target_keys);

/* --- all of their names */

static const char *const other_names[] = {
	SC_KEY_PLATFORM_NAME, SC_KEY_COMPLETE, SC_KEY_CELLS,
	SC_KEY_STATUS,        SC_KEY_SAMPLES,  SC_KEY_COUNTS,
};

const char *sc_compare_key(size_t index)
{
	if (index < SC_ARRAY_COUNT(other_names))
		return other_names[index];
	index -= SC_ARRAY_COUNT(other_names);
	if (index < sc_key_identity_count())
		return sc_key_identity_name(index);
	index -= sc_key_identity_count();
	if (index < sc_cell_key_count)
		return sc_cell_keys[index].name;
	index -= sc_cell_key_count;
	if (index < sc_head_key_count)
		return sc_head_keys[index].name;
	index -= sc_head_key_count;
	return index < sc_target_key_count ? sc_target_keys[index].name : NULL;
}

bool sc_compare_is_key(const char *key)
{
	const char *name;

	for (size_t i = 0; (name = sc_compare_key(i)); i++) {
		if (strcmp(name, key) == 0)
			return true;
	}
	return false;
}
