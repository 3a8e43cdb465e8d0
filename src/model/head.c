/* SPDX-License-Identifier: MIT */

/* The head of a report: what it owns. */

#include "report.h"

void sc_target_fini(struct sc_target *target)
{
	free(target->label);
	free(target->path);
	free(target->filesystem);
	free(target->mount_options);
	free(target->storage);
	free(target->write_cache);
	free(target->model);
	free(target->fua);
	free(target->scheduler);
	free(target->discard);
	free(target->disk);
	free(target->disk_reason);
	free(target->sync_floor_reason);
	free(target->uring_floor_reason);
	sc_findings_fini(&target->findings);
	*target = (struct sc_target){0};
}

void sc_recommendation_fini(struct sc_recommendation *recommendation)
{
	free(recommendation->target);
	free(recommendation->workload);
	free(recommendation->label);
	free(recommendation->pragmas);
	free(recommendation->sentence);
	*recommendation = (struct sc_recommendation){0};
}

void sc_report_head_fini(struct sc_report_head *head)
{
	free(head->host_label);
	free(head->kernel);
	free(head->cpu);
	free(head->sqlite_source_id);
	free(head->sync_call);
	for (size_t i = 0; i < head->compile_option_count; i++)
		free(head->compile_options[i]);
	free(head->compile_options);
	free(head->order);
	for (size_t i = 0; i < head->target_count; i++)
		sc_target_fini(&head->targets[i]);
	free(head->targets);
	for (size_t i = 0; i < head->recommendation_count; i++)
		sc_recommendation_fini(&head->recommendations[i]);
	free(head->recommendations);
	sc_findings_fini(&head->findings);
	*head = (struct sc_report_head){0};
}
