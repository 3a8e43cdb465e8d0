/* SPDX-License-Identifier: MIT */
#pragma once

/* Readers of the metrics of work and memory; rows of the catalogue. */

#include "metric.h"

struct sc_metric_value sc_work_vm_steps(const struct sc_cell *cell);
struct sc_metric_value sc_work_pages(const struct sc_cell *cell);
struct sc_metric_value sc_work_page_misses(const struct sc_cell *cell);
struct sc_metric_value sc_memory_heap(const struct sc_cell *cell);
struct sc_metric_value sc_memory_heap_r2(const struct sc_cell *cell);
struct sc_metric_value sc_memory_sqlite(const struct sc_cell *cell);
