/* SPDX-License-Identifier: MIT */

/* What is not known is left out here; summary.json says why it is not. */

#include "about.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../model/format.h"
#include "../model/judge.h"

void sc_about_add_run(struct sc_buffer *buffer, const struct sc_report_head *head)
{
	sc_buffer_printf(buffer, "syncost %s %s, SQLite %s, %s, %" PRIu32 " round%s",
			 head->tool_version, head->kind, head->sqlite_version, head->started,
			 head->rounds, head->rounds == 1 ? "" : "s");
	if (head->resumed > 0)
		sc_buffer_printf(buffer, ", resumed %" PRIu32 " time%s", head->resumed,
				 head->resumed == 1 ? "" : "s");
	if (!head->complete)
		sc_buffer_add_text(buffer, ", not complete");
}

static void add_rule(struct sc_buffer *buffer, const struct sc_report_head *head, bool out_of_time)
{
	const struct sc_sampling *sampling = &head->sampling;
	const struct sc_stop_rule *rule = &sampling->rule;
	char percent[SC_FORMAT_BYTES];

	/* rounded down: it is a promise */
	sc_buffer_printf(buffer,
			 "precision: ±%s asked for; allowed were %" PRIu32 " to %" PRIu32
			 " samples a cell and %.4g s in all%s; under that rule intervals hold the "
			 "median with %.1f %% (exact)",
			 sc_format_percent(head->precision, percent, sizeof(percent)),
			 sampling->pilot, rule->looks[rule->look_count - 1].samples,
			 (double)sampling->time_ns / 1e9,
			 out_of_time && head->rounds <= sampling->pilot
				 ? " (the fewest alone took all of that)"
				 : "",
			 floor(1000 * rule->coverage) / 10);
	if (sampling->simulated.draws > 0)
		sc_buffer_printf(buffer,
				 ", and did in %.1f %% or more of the %" PRIu32
				 " runs of each of %zu simulations",
				 floor(1000 * sampling->simulated.lowest) / 10,
				 sampling->simulated.draws, SC_STOP_TRIALS);
	sc_buffer_add_text(buffer, ".");
}

void sc_about_add_sampling(struct sc_buffer *buffer, const struct sc_report_head *head,
			   bool out_of_time)
{
	const struct sc_sampling *sampling = &head->sampling;

	if (sampling->samples > 0)
		sc_buffer_printf(buffer,
				 "precision: %" PRIu32
				 " sample%s of each cell asked for; each interval "
				 "is the exact one of its number of samples.",
				 sampling->samples, sampling->samples == 1 ? "" : "s");
	else if (sampling->rule.look_count > 0)
		add_rule(buffer, head, out_of_time);
}

void sc_about_add_host(struct sc_buffer *buffer, const struct sc_report_head *head)
{
	char memory[SC_FORMAT_BYTES];

	sc_buffer_printf(buffer, "%s, %s, %" PRIu32 " x %s",
			 head->host_label ? head->host_label : "unnamed host",
			 head->kernel ? head->kernel : "unknown kernel", head->cpu_count,
			 head->cpu ? head->cpu : "unknown CPU");
	if (head->memory_bytes > 0)
		sc_buffer_printf(
			buffer, ", %s of memory",
			sc_format_size((double)head->memory_bytes, memory, sizeof(memory)));
}

void sc_about_add_target(struct sc_buffer *buffer, const struct sc_target *target)
{
	char floor[SC_FORMAT_BYTES];

	sc_buffer_printf(buffer, "%s: %s on %s", target->label,
			 target->filesystem ? target->filesystem : "unknown file system",
			 target->storage ? target->storage : "unknown storage");
	if (target->write_cache)
		sc_buffer_printf(buffer, ", %s cache", target->write_cache);
	if (target->sync_floor_status == SC_MEASURED)
		sc_buffer_printf(
			buffer, ", write and sync of 4 KiB %s at best",
			sc_format_ns((double)target->sync_floor_ns_p50, floor, sizeof(floor)));
}

void sc_about_add_group(struct sc_buffer *buffer, const struct sc_cell *cell, bool with_batch,
			bool with_rows)
{
	sc_buffer_printf(buffer, "%s on %s, suite %s", cell->workload, cell->target, cell->suite);
	if (with_rows)
		sc_buffer_printf(buffer, ", %" PRIu64 " row%s", cell->rows,
				 cell->rows == 1 ? "" : "s");
	if (with_batch && cell->setting.rows_per_commit > 0)
		sc_buffer_printf(buffer, ", %" PRIu32 " operation%s a commit",
				 cell->setting.rows_per_commit,
				 cell->setting.rows_per_commit == 1 ? "" : "s");
	if (cell->clients != 1)
		sc_buffer_printf(buffer, ", %" PRIu32 " clients", cell->clients);
	if (cell->rate > 0)
		sc_buffer_printf(buffer, ", %" PRIu64 " due a second", cell->rate);
	if (strcmp(cell->device, "none") != 0)
		sc_buffer_printf(buffer, ", device %s", cell->device);
	if (strcmp(cell->clock, "real") != 0)
		sc_buffer_printf(buffer, ", %s clock", cell->clock);
}

const char *sc_about_loss(enum sc_loss loss)
{
	static const char *const headings[] = {
		[SC_LOSS_NONE] = "nothing lost",
		[SC_LOSS_LAST] = "at most the last commit lost",
		[SC_LOSS_SUFFIX] = "commits since the last checkpoint lost",
		[SC_LOSS_ANY] = "anything lost",
		[SC_LOSS_ALL] = "everything lost",
	};

	assert(loss < SC_LOSS_COUNT_);
	return headings[loss];
}

void sc_about_add_loss_legend(struct sc_buffer *buffer, const struct sc_report_head *head)
{
	bool has_memory = false;

	for (size_t i = 0; i < head->target_count; i++)
		has_memory = has_memory || sc_target_is_memory(&head->targets[i]);
	sc_buffer_add_text(buffer, "loss: the commits that a power cut can take: none, the last, "
				   "those since the last checkpoint (ckpt), any");
	if (has_memory)
		sc_buffer_add_text(buffer, ", all (in memory)");
	sc_buffer_add_text(buffer, "; ! it can corrupt the database, ? at rare moments.");
}
