/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <inttypes.h>

#include "run-text.h"
#include "text.h"

void sc_run_print_timeline(const struct sc_run *run, FILE *out)
{
	(void)fputs("at_ns,pid,program,database,commits,checkpoints,syncs,sync_ns,read_bytes,"
		    "written_bytes,"
		    "database_bytes,wal_bytes,journal_bytes\n",
		    out);
	for (size_t i = 0; i < run->sample_count; i++) {
		const struct sc_run_sample *sample = &run->samples[i];
		const struct sc_run_process *process = &run->processes[sample->process];

		(void)fprintf(out, "%" PRIu64 ",%" PRIu32 ",", sample->at_ns, process->pid);
		sc_text_put_csv(out, process->program);
		(void)fputc(',', out);
		sc_text_put_csv(out, run->databases[sample->database].path);
		(void)fprintf(out,
			      ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			      ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
			      sample->commits, sample->checkpoints, sample->syncs, sample->sync_ns,
			      sample->read_bytes, sample->written_bytes, sample->database_bytes,
			      sample->wal_bytes, sample->journal_bytes);
	}
}
