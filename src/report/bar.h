/* SPDX-License-Identifier: MIT */
#pragma once

/* The bar of the split: where the time inside SQLite went, as so many characters. */

#include "../base/buffer.h"
#include "writer.h"

/** sc_bar_add() - @columns characters; spaces where there is no split */
void sc_bar_add(struct sc_buffer *buffer, const struct sc_cell *cell, size_t columns,
		const struct sc_render_options *options);

/** sc_bar_add_legend() - what each character stands for, in lines no wider than the terminal */
void sc_bar_add_legend(struct sc_buffer *buffer, const struct sc_render_options *options);
