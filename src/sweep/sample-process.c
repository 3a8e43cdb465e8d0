/* SPDX-License-Identifier: MIT */

/*
 * A process that answers is believed, whatever its exit status: a failed sample says why better
 * than a status does. One that does not answer is described by its end and by the last line that
 * it wrote to its standard error.
 */

#include "sample-process.h"

#include <errno.h>
#include <string.h>

#include "child.h"

#define REASON_BYTES 512

static void copy_last_line(const char *text, char *line, size_t line_bytes)
{
	size_t end = strlen(text), begin;

	while (end > 0 && (text[end - 1] == '\n' || text[end - 1] == ' '))
		end--;
	begin = end;
	while (begin > 0 && text[begin - 1] != '\n')
		begin--;
	(void)snprintf(line, line_bytes, "%.*s", (int)(end - begin), text + begin);
}

static int fail_sample(const struct sc_sample_spec *spec, const struct sc_child_result *result,
		       const char *doubt, struct sc_sample *ret_sample, struct sc_error *error)
{
	struct sc_sample sample = {.kind = spec->kind, .round = spec->round, .status = SC_FAILED};
	char end[96], line[256];

	sc_child_reason(result, end, sizeof(end));
	copy_last_line(result->messages, line, sizeof(line));
	sample.cell_id = strdup(spec->cell_id);
	if (!sample.cell_id ||
	    asprintf(&sample.reason, "sample of %s %s%s%s%s%s", spec->cell_id, end,
		     doubt[0] ? "; " : "", doubt, line[0] ? ": " : "", line) < 0) {
		free(sample.cell_id);
		return sc_fail(error, -ENOMEM, "describing a failed sample");
	}
	*ret_sample = sample;
	return 0;
}

/* Reads the answer, or describes why there is none. */
static int read_answer(const struct sc_sample_spec *spec, const struct sc_child_result *result,
		       struct sc_sample *ret_sample, struct sc_error *error)
{
	struct sc_error parse_error = {0};
	struct sc_sample sample = {0};

	if (result->end != SC_CHILD_EXITED || result->output[0] == '\0')
		return fail_sample(spec, result, "", ret_sample, error);
	if (sc_sample_parse(result->output, &sample, &parse_error) < 0)
		return fail_sample(spec, result, parse_error.what, ret_sample, error);
	if (sample.kind != spec->kind || sample.round != spec->round || !sample.cell_id ||
	    strcmp(sample.cell_id, spec->cell_id) != 0) {
		sc_sample_fini(&sample);
		return fail_sample(spec, result, "it answered for another sample", ret_sample,
				   error);
	}
	*ret_sample = sample;
	return 0;
}

int sc_sample_process_run(const struct sc_sample_process *process,
			  const struct sc_sample_spec *spec, struct sc_sample *ret_sample,
			  struct sc_error *error)
{
	SC_CLEANUP(sc_child_result_fini) struct sc_child_result result = {0};
	SC_CLEANUP(sc_freep) char *text = NULL;
	char name[] = "syncost", command[] = "__sample";
	char *const argv[] = {name, command, NULL};
	struct sc_child_request request = {
		.program = process->program,
		.argv = argv,
		.time_limit_ns = process->time_limit_ns,
		.interrupt_fd = process->interrupt_fd,
	};
	int r;

	r = sc_sample_spec_format(spec, &text, error);
	if (r < 0)
		return r;
	request.input = text;
	r = sc_child_run(&request, &result, error);
	if (r < 0)
		return r;
	if (result.end == SC_CHILD_INTERRUPTED)
		return sc_fail(error, SC_E_INTERRUPTED, "interrupted in a sample of %s",
			       spec->cell_id);
	return read_answer(spec, &result, ret_sample, error);
}
