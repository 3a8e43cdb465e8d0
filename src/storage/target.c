/* SPDX-License-Identifier: MIT */
#include "target.h"

#include "facts.h"

/* Moves the text of a fact; NULL where it is not known. */
static char *take(struct sc_fact *fact)
{
	return SC_TAKE(fact->value);
}

int sc_target_read(const char *directory, struct sc_target *target, struct sc_error *error)
{
	SC_CLEANUP(sc_storage_facts_fini) struct sc_storage_facts facts = {0};
	int r;

	r = sc_storage_facts_read(directory, &facts, error);
	if (r < 0)
		return r;
	target->filesystem = take(&facts.filesystem);
	target->mount_options = take(&facts.mount_options);
	target->storage = take(&facts.storage);
	if (!target->storage)
		target->storage = take(&facts.source);
	target->write_cache = take(&facts.write_cache);
	target->disk = take(&facts.disk);
	target->disk_reason = SC_TAKE(facts.disk.reason);
	target->rotational_status = facts.rotational_status;
	target->rotational = facts.rotational;
	target->flush_disabled = facts.flush_disabled;
	target->model = take(&facts.model);
	target->fua = take(&facts.fua);
	target->scheduler = take(&facts.scheduler);
	target->discard = take(&facts.discard);
	target->in_memory = facts.in_memory;
	target->is_network = facts.is_network;
	target->is_virtual = facts.is_virtual;
	return 0;
}
