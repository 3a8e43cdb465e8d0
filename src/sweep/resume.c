/* SPDX-License-Identifier: MIT */
#include "resume.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "head.h"

struct resume {
	struct sc_drive *drive;
	const struct sc_report_head *head; /* of the report */
	size_t *by_id;                     /* the plan's cells, by their ids; owned */
};

static int fail_other(const struct resume *self, const char *key, const char *was, const char *is,
		      struct sc_error *error)
{
	(void)sc_fail(error, SC_E_USAGE, "--resume: '%s' was measured with %s %s, this is %s",
		      self->drive->folder.path, key, was ? was : "unknown", is ? is : "unknown");
	return sc_hint(error, "a new sweep, with --like %s, can be compared with it",
		       self->drive->folder.path);
}

/* Its options, or its copies of the suites, were changed, or they mean something else by now. */
static int fail_plan(const struct resume *self, const char *cell, struct sc_error *error)
{
	(void)sc_fail(error, SC_E_USAGE,
		      "--resume: '%s': options and suites that it keeps do not make its plan%s%s",
		      self->drive->folder.path, cell ? ", from this cell on: " : "",
		      cell ? cell : "");
	return sc_hint(error, "a new sweep, with --like %s, can be compared with it",
		       self->drive->folder.path);
}

static bool is_same(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

static int check_head(const struct resume *self, struct sc_error *error)
{
	const struct sc_report_head *was = self->head, *is = &self->drive->head;
	const struct {
		const char *key, *was, *is;
	} keys[] = {
		{"SQLite", was->sqlite_source_id, is->sqlite_source_id},
		{"kernel", was->kernel, is->kernel},
		{"processor", was->cpu, is->cpu},
		{"syncost", was->tool_version, is->tool_version},
	};

	if (strcmp(was->kind, "sweep") != 0)
		return sc_fail(error, SC_E_USAGE, "--resume: '%s' is no report of a sweep",
			       self->drive->folder.path);
	for (size_t i = 0; i < SC_ARRAY_COUNT(keys); i++)
		if (!is_same(keys[i].was, keys[i].is))
			return fail_other(self, keys[i].key, keys[i].was, keys[i].is, error);
	return 0;
}

static int check_targets(const struct resume *self, struct sc_error *error)
{
	const struct sc_report_head *was = self->head, *is = &self->drive->head;

	for (size_t i = 0; i < is->target_count; i++) {
		const struct sc_target *now = &is->targets[i];
		const struct sc_target *before = i < was->target_count ? &was->targets[i] : NULL;

		if (!before || !is_same(before->label, now->label))
			return fail_other(self, "the targets", before ? before->label : "none",
					  now->label, error);
		if (!is_same(before->filesystem, now->filesystem))
			return fail_other(self, "the file system", before->filesystem,
					  now->filesystem, error);
		if (!is_same(before->storage, now->storage))
			return fail_other(self, "the storage", before->storage, now->storage,
					  error);
	}
	return 0;
}

static bool is_planned(const struct sc_cell *was, const struct sc_cell *planned)
{
	return is_same(was->id, planned->id) && is_same(was->store, planned->store) &&
	       is_same(was->suite_digest, planned->suite_digest) &&
	       sc_setting_compare(&was->setting, &planned->setting) == 0 &&
	       was->rows == planned->rows && was->seed == planned->seed &&
	       was->clients == planned->clients;
}

static int check_cells(const struct resume *self, struct sc_report_reader *reader,
		       struct sc_error *error)
{
	const struct sc_drive *drive = self->drive;
	size_t count = 0;
	int r;

	for (;; count++) {
		SC_CLEANUP(sc_cell_fini) struct sc_cell cell = {0};

		r = sc_report_next(reader, &cell, error);
		if (r != 0)
			break;
		if (count >= drive->sweep->plan->cell_count ||
		    !is_planned(&cell, &drive->cells[count]))
			return fail_plan(self, cell.id, error);
	}
	if (r < 0)
		return r;
	if (count != drive->sweep->plan->cell_count)
		return fail_plan(self, NULL, error);
	return 0;
}

static int compare_ids(const void *a, const void *b, void *cells)
{
	const size_t *left = a, *right = b;
	const struct sc_plan_cell *planned = cells;

	return strcmp(planned[*left].id, planned[*right].id);
}

static int sort_ids(struct resume *self, struct sc_error *error)
{
	const struct sc_plan *plan = self->drive->sweep->plan;

	self->by_id = calloc(plan->cell_count, sizeof(*self->by_id));
	if (!self->by_id)
		return sc_fail(error, -ENOMEM, "reading the samples");
	for (size_t i = 0; i < plan->cell_count; i++)
		self->by_id[i] = i;
	qsort_r(self->by_id, plan->cell_count, sizeof(*self->by_id), compare_ids, plan->cells);
	return 0;
}

/* Return: the plan's cell of that id, or cell_count: none. */
static size_t find(const struct resume *self, const char *id)
{
	const struct sc_plan *plan = self->drive->sweep->plan;
	size_t low = 0, high = plan->cell_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int r = strcmp(plan->cells[self->by_id[middle]].id, id);

		if (r == 0)
			return self->by_id[middle];
		if (r < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return plan->cell_count;
}

static int fail_line(const struct resume *self, size_t line, const char *what,
		     struct sc_error *error)
{
	return sc_fail(error, SC_E_FORMAT, "'%s/raw/samples.ndjson' line %zu: %s",
		       self->drive->folder.path, line, what);
}

static bool has_turn(const struct sc_record *record, const struct sc_sample *sample)
{
	for (size_t i = 0; i < record->sample_count; i++)
		if (record->samples[i].kind == sample->kind &&
		    record->samples[i].round == sample->round)
			return true;
	return false;
}

/* Whether a line is what this sweep would have written: nobody edits its samples by hand. */
static int check_turn(const struct resume *self, const struct sc_sample *sample, size_t index,
		      size_t line, struct sc_error *error)
{
	const struct sc_record *record = &self->drive->records[index];
	bool is_ledger = sample->kind == SC_SAMPLE_LEDGER;

	if (has_turn(record, sample))
		return fail_line(self, line, "is of a turn that was taken before", error);
	if (is_ledger != (sample->round == 0) || (!is_ledger && record->ledger_count == 0))
		return fail_line(self, line, "is of no round of the sweep", error);
	if (sample->status != SC_MEASURED)
		return 0;
	if (!sample->verified || sample->wall_ns == 0 || sample->operations == 0)
		return fail_line(self, line, "is of a sample that was measured, and is none",
				 error);
	/* several clients do whole commits each, which may be more together */
	if (!is_ledger && self->drive->cells[index].clients == 1 &&
	    sample->operations > record->operations)
		return fail_line(self, line, "has more operations than were asked for", error);
	return 0;
}

static int add_line(const struct resume *self, const char *text, size_t line,
		    struct sc_error *error)
{
	SC_CLEANUP(sc_sample_fini) struct sc_sample sample = {0};
	struct sc_drive *drive = self->drive;
	struct sc_error why = {0};
	size_t index;
	int r;

	r = sc_sample_parse(text, &sample, &why);
	if (r < 0)
		return fail_line(self, line, why.what, error);
	index = sample.cell_id ? find(self, sample.cell_id) : drive->sweep->plan->cell_count;
	if (index >= drive->sweep->plan->cell_count || drive->sweep->plan->cells[index].is_same)
		return fail_line(self, line, "is of no cell of the plan", error);
	r = check_turn(self, &sample, index, line, error);
	if (r < 0)
		return r;
	drive->progress.done++;
	drive->head.rounds = sample.round > drive->head.rounds ? sample.round : drive->head.rounds;
	r = sc_head_note_syncs(&drive->head, &sample.syncs, error);
	return r < 0 ? r
		     : sc_record_add(&drive->records[index], drive->sweep, index, &sample, error);
}

static int add_samples(const struct resume *self, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *text = NULL;
	size_t line = 1;
	int r;

	r = sc_folder_samples(&self->drive->folder, &text, error);
	if (r < 0)
		return r;
	for (char *at = text, *end; (end = strchr(at, '\n')) && r >= 0; at = end + 1, line++) {
		*end = '\0';
		r = add_line(self, at, line, error);
	}
	return r;
}

static int load(struct resume *self, struct sc_report_reader *reader, bool *ret_complete,
		struct sc_error *error)
{
	struct sc_report_head *head = &self->drive->head;
	int r;

	r = check_head(self, error);
	if (r == 0)
		r = check_cells(self, reader, error);
	if (r == 0)
		r = sort_ids(self, error);
	if (r == 0)
		r = add_samples(self, error);
	if (r < 0)
		return r;
	(void)snprintf(head->started, sizeof(head->started), "%s", self->head->started);
	head->resumed = self->head->resumed + !self->head->complete;
	*ret_complete = self->head->complete;
	return 0;
}

static void resume_fini(struct resume *self)
{
	sc_freep(&self->by_id);
}

int sc_resume_load(struct sc_drive *drive, bool *ret_complete, struct sc_error *error)
{
	SC_CLEANUP(sc_report_closep) struct sc_report_reader *reader = NULL;
	SC_CLEANUP(resume_fini) struct resume self = {.drive = drive};
	int r;

	r = sc_report_open(drive->folder.path, &reader, error);
	if (r == -ENOENT)
		return sc_fail(error, SC_E_FORMAT,
			       "'%s' has lost its summary.json; put it back, or start anew with "
			       "--like",
			       drive->folder.path);
	if (r < 0)
		return r;
	self.head = sc_report_reader_head(reader);
	return load(&self, reader, ret_complete, error);
}

int sc_resume_check_targets(struct sc_drive *drive, struct sc_error *error)
{
	SC_CLEANUP(sc_report_closep) struct sc_report_reader *reader = NULL;
	struct resume self = {.drive = drive};
	int r;

	r = sc_report_open(drive->folder.path, &reader, error);
	if (r < 0)
		return r;
	self.head = sc_report_reader_head(reader);
	return check_targets(&self, error);
}
