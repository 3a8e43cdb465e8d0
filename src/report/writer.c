/* SPDX-License-Identifier: MIT */

/* The one list of writers, in the order of help. */

#include "writer.h"

#include <string.h>

#include "writers.h"

const struct sc_writer *const sc_writers[] = {
	&sc_writer_table, &sc_writer_markdown, &sc_writer_csv, &sc_writer_samples, &sc_writer_json,
};

const size_t sc_writer_count = SC_ARRAY_COUNT(sc_writers);

const struct sc_writer *sc_writer_find(const char *name)
{
	for (size_t i = 0; i < sc_writer_count; i++) {
		if (strcmp(sc_writers[i]->name, name) == 0)
			return sc_writers[i];
	}
	return NULL;
}
