/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

static struct sc_cell *add(struct sc_rows *rows, enum sc_cell_kind kind)
{
	struct sc_cell *cells = rows->cells;

	if (rows->is_short)
		return NULL;
	if (rows->cell_count == rows->cell_room) {
		size_t room = rows->cell_room ? 2 * rows->cell_room : 64;

		cells = realloc(cells, room * sizeof(*cells));
		if (!cells) {
			rows->is_short = true;
			return NULL;
		}
		rows->cells = cells;
		rows->cell_room = room;
	}
	cells[rows->cell_count] = (struct sc_cell){.kind = kind};
	return &cells[rows->cell_count++];
}

void sc_rows_null(struct sc_rows *rows)
{
	(void)add(rows, SC_CELL_NULL);
}

void sc_rows_signed(struct sc_rows *rows, int64_t value)
{
	struct sc_cell *cell = add(rows, SC_CELL_INTEGER);

	if (cell)
		cell->integer = value;
}

void sc_rows_integer(struct sc_rows *rows, uint64_t value)
{
	sc_rows_signed(rows, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

void sc_rows_text(struct sc_rows *rows, const char *text)
{
	struct sc_cell *cell = add(rows, text ? SC_CELL_TEXT : SC_CELL_NULL);

	if (!cell || !text)
		return;
	cell->text = strdup(text);
	if (!cell->text) {
		cell->kind = SC_CELL_NULL;
		rows->is_short = true;
	}
}

void sc_rows_fini(struct sc_rows *rows)
{
	for (size_t i = 0; i < rows->cell_count; i++)
		free(rows->cells[i].text);
	free(rows->cells);
	*rows = (struct sc_rows){0};
}
