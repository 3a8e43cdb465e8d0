/* SPDX-License-Identifier: MIT */

/* syncost report: a stored result, without measuring. */

#include <errno.h>

#include "command.h"
#include "formats.h"
#include "report-path.h"

struct report_config {
	struct sc_common_config common;
	struct sc_option_number format;
};

/* clang-format off */
static const struct sc_option rows[] = {
	SC_OPTION_HELP_ROW,
	{ "format", 'f', SC_OPTION_ENUM, 0, offsetof(struct report_config, format), "FORMAT", "table",
	  0, 0, &sc_choices_format, "What is printed." },
};
/* clang-format on */

static int run(const struct sc_invocation *invocation, struct sc_error *error)
{
	const struct report_config *config = invocation->config;
	SC_CLEANUP(sc_freep) char *newest = NULL;
	const char *path;
	int r;

	if (invocation->operand_count > 0) {
		path = invocation->operands[0];
	} else {
		r = sc_report_newest(&newest, error);
		if (r < 0)
			return r;
		path = newest;
	}
	r = sc_format_print(path, (int)config->format.value, invocation->out, error);
	/* An input that cannot be read is for the user to mend, whatever kept it from being read.
	 */
	return r < 0 && r != -ENOMEM ? SC_E_FORMAT : r;
}

static const struct sc_option_table options = {rows, SC_ARRAY_COUNT(rows)};

const struct sc_command sc_command_report = {
	.name = "report",
	.operands = "[DIR|FILE]",
	.operands_max = 1,
	.summary = "show a stored result again, in any format",
	.description = "Render a report folder, or its summary.json, without measuring. Without an "
		       "operand,\n"
		       "the newest under ./syncost-reports.",
	.options = &options,
	.config_bytes = sizeof(struct report_config),
	.run = run,
};
