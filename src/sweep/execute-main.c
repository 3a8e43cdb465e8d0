/* SPDX-License-Identifier: MIT */

/*
 * A sample's process. Whatever happens, the answer is one line on standard output, and the only
 * failure left for the exit status is that there is none.
 */

#include <string.h>

#include "../base/files.h"
#include "execute.h"

#define SPEC_BYTES_MAX (8u << 20)

/* A sample that could not be begun. */
static void fail_sample(struct sc_sample *sample, const struct sc_error *error)
{
	sample->status = SC_FAILED;
	sample->effective = sc_setting_default();
	sample->reason = strdup(error->what);
}

int sc_execute_main(void)
{
	SC_CLEANUP(sc_sample_spec_fini) struct sc_sample_spec spec = {0};
	SC_CLEANUP(sc_sample_fini) struct sc_sample sample = {0};
	SC_CLEANUP(sc_freep) char *text = NULL, *line = NULL;
	struct sc_error error = {0};
	int r;

	r = sc_file_read_all("/dev/stdin", SPEC_BYTES_MAX, &text, NULL, &error);
	if (r == 0)
		r = sc_sample_spec_parse(text, &spec, &error);
	if (r < 0)
		fail_sample(&sample, &error);
	else
		(void)sc_execute(&spec, &sample, &error); /* the sample says so itself */
	if (sc_sample_format(&sample, &line, &error) < 0)
		return sc_exit_code(error.code);
	return puts(line) == EOF || fflush(stdout) == EOF ? 4 : 0;
}
