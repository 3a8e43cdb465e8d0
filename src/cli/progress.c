/* SPDX-License-Identifier: MIT */

/*
 * On a terminal a bar that is rewritten a few times a second; elsewhere a line when a round ends,
 * at most every TELL_EVERY_NS, so that a log stays readable.
 */

#include "progress.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>

#include "../base/clock.h"
#include "../model/format.h"
#include "../report/text.h"
#include "../sweep/crowd.h"
#include "../sweep/schedule.h"

#define REWRITE_EVERY_NS 100000000u
#define TELL_EVERY_NS    10000000000u
#define BAR_CELLS        24u
#define WIDTH_DEFAULT    80u
#define LINE_BYTES       400

void sc_duration_text(uint64_t ns, char *text, size_t text_bytes)
{
	uint64_t seconds = (ns + 999999999u) / 1000000000u;

	if (seconds < 100)
		(void)snprintf(text, text_bytes, "%" PRIu64 " s", seconds);
	else if (seconds < 5400)
		(void)snprintf(text, text_bytes, "%" PRIu64 " min", (seconds + 30) / 60);
	else
		(void)snprintf(text, text_bytes, "%" PRIu64 " h %" PRIu64 " min", seconds / 3600,
			       seconds % 3600 / 60);
}

void sc_sampling_text(const struct sc_sweep *sweep, char *text, size_t text_bytes)
{
	char percent[SC_FORMAT_BYTES], time[48];

	if (sweep->samples) {
		(void)snprintf(text, text_bytes, "%" PRIu32 " sample%s each", sweep->samples,
			       sweep->samples == 1 ? "" : "s");
		return;
	}
	sc_duration_text(sweep->time_ns, time, sizeof(time));
	(void)snprintf(text, text_bytes, "%u samples each, and more until ±%s or %s",
		       SC_SCHEDULE_PILOT,
		       sc_format_percent(sweep->precision, percent, sizeof(percent)), time);
}

void sc_duration_range_text(uint64_t least_ns, uint64_t most_ns, char *text, size_t text_bytes)
{
	char least[48], most[48];

	sc_duration_text(least_ns, least, sizeof(least));
	sc_duration_text(most_ns, most, sizeof(most));
	if (strcmp(least, most) == 0)
		(void)snprintf(text, text_bytes, "%s", least);
	else
		(void)snprintf(text, text_bytes, "%s to %s", least, most);
}

static size_t terminal_width(FILE *err)
{
	struct winsize size;

	if (ioctl(fileno(err), TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return WIDTH_DEFAULT;
	return size.ws_col;
}

/* A sentence as lines: on a terminal broken between words, elsewhere one. */
static void SC_PRINTF(2, 3) tell(const struct sc_progress_view *view, const char *format, ...)
{
	SC_CLEANUP(sc_freep) char *text = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0) {
		text = NULL; /* undefined then; a line on the way is worth no failure */
		return;
	}
	(void)fputs("syncost: ", view->err);
	sc_text_wrap(view->err, text, strlen("syncost: "), strlen("syncost: "),
		     view->is_terminal ? terminal_width(view->err) : SIZE_MAX);
}

static void tell_target(const struct sc_progress_view *view, const struct sc_target *target)
{
	char floor[80] = "";

	if (target->sync_floor_status == SC_MEASURED)
		(void)snprintf(floor, sizeof(floor),
			       "; 4 KiB written and synced in %.3g ms before the run",
			       (double)target->sync_floor_ns_p50 / 1e6);
	tell(view, "target %s, %s: %s on %s%s", target->label, target->path,
	     target->filesystem ? target->filesystem : "unknown file system",
	     target->storage ? target->storage : "unknown storage", floor);
}

static void tell_plan(const struct sc_progress_view *view, const struct sc_report_head *head,
		      const char *time)
{
	uint64_t clients = sc_crowd_clients(view->sweep->plan), cpus = sc_crowd_cpus();
	char sampling[100], same[80] = "";

	if (view->same_count)
		(void)snprintf(same, sizeof(same), ", %zu of them cannot differ from another",
			       view->same_count);
	sc_sampling_text(view->sweep, sampling, sizeof(sampling));
	tell(view, "%zu cell%s%s; %s: about %s", head->cell_count, head->cell_count == 1 ? "" : "s",
	     same, sampling, time);
	if (clients > cpus * SC_CROWD_CLIENTS_PER_CPU)
		tell(view,
		     "%" PRIu64 " clients share %" PRIu64 " CPU%s: a rate says more of the "
		     "scheduler than of SQLite",
		     clients, cpus, cpus == 1 ? "" : "s");
}

static void tell_begin(void *self, const struct sc_report_head *head, const char *folder,
		       uint64_t least_ns, uint64_t most_ns)
{
	struct sc_progress_view *view = self;
	char time[100];

	if (view->quiet)
		return;
	for (size_t i = 0; i < head->target_count; i++)
		tell_target(view, &head->targets[i]);
	tell(view,
	     "works in a directory of its own there (.syncost-…), removed at the end; nothing "
	     "else is touched");
	sc_duration_range_text(least_ns, most_ns, time, sizeof(time));
	tell_plan(view, head, time);
	tell(view, "report goes to %s", folder);
	if (sc_report_was_busy(head))
		tell(view,
		     "other programs are running: a load of %.1f on %" PRIu32 " CPU%s; what is "
		     "measured now is of a busy machine",
		     head->load, head->cpu_count, head->cpu_count == 1 ? "" : "s");
	view->told_ns = sc_monotonic_ns();
}

/* What of @line fits; where it does not, dots say so. */
static void put_cut(FILE *out, const char *line, size_t columns)
{
	if (strlen(line) <= columns || columns < 4)
		(void)fprintf(out, "%.*s", (int)columns, line);
	else
		(void)fprintf(out, "%.*s...", (int)columns - 3, line);
}

static void rewrite_line(struct sc_progress_view *view, const struct sc_sweep_progress *progress)
{
	size_t width = terminal_width(view->err), filled;
	uint64_t total = progress->done + progress->left;
	char bar[BAR_CELLS + 1u], line[LINE_BYTES], time[48];

	filled = total ? (size_t)(progress->done * BAR_CELLS / total) : 0;
	memset(bar, '.', BAR_CELLS);
	memset(bar, '#', filled);
	bar[BAR_CELLS] = '\0';
	sc_duration_text(progress->left_ns, time, sizeof(time));
	(void)snprintf(line, sizeof(line), "[%s] %" PRIu64 "/%" PRIu64 ", %s left  %s", bar,
		       progress->done, total, time, progress->cell_id);
	/* The last column stays free: some terminals break the line there. */
	(void)fputc('\r', view->err);
	put_cut(view->err, line, width - 1);
	(void)fputs("\033[K", view->err);
	(void)fflush(view->err);
	view->line_open = true;
}

static void tell_line(const struct sc_progress_view *view, const struct sc_sweep_progress *progress)
{
	char time[48];

	sc_duration_text(progress->left_ns, time, sizeof(time));
	(void)fprintf(view->err,
		      "syncost: round %" PRIu32 ", %" PRIu64 " of %s%" PRIu64
		      " samples, about %s left\n",
		      progress->round, progress->done, view->sweep->samples ? "" : "about ",
		      progress->done + progress->left, time);
}

static void tell_progress(void *self, const struct sc_sweep_progress *progress)
{
	struct sc_progress_view *view = self;
	uint64_t now_ns = sc_monotonic_ns();
	uint64_t every_ns = view->is_terminal ? REWRITE_EVERY_NS : TELL_EVERY_NS;

	if (view->quiet || (now_ns - view->told_ns < every_ns && progress->left > 0))
		return;
	view->told_ns = now_ns;
	if (view->is_terminal)
		rewrite_line(view, progress);
	else
		tell_line(view, progress);
}

struct sc_progress_view sc_progress_view_init(FILE *err, bool quiet, const struct sc_sweep *sweep)
{
	const char *kind = getenv("TERM");

	return (struct sc_progress_view){
		.err = err,
		.quiet = quiet,
		.is_terminal = isatty(fileno(err)) && !(kind && strcmp(kind, "dumb") == 0),
		.same_count = sweep->plan->cell_count - sweep->plan->run_count,
		.sweep = sweep,
	};
}

struct sc_sweep_observer sc_progress_observer(struct sc_progress_view *view)
{
	return (struct sc_sweep_observer){view, tell_begin, tell_progress};
}

void sc_progress_end(struct sc_progress_view *view)
{
	if (view->line_open)
		(void)fputs("\r\033[K", view->err);
	view->line_open = false;
}
