/* SPDX-License-Identifier: MIT */
#pragma once

/* What disturbed the timing samples of a cell: rows of the catalogue in metric.c. */

#include "metric.h"

/** sc_noise_steal(), sc_noise_run_delay() - shares of the wall time of the worst timing sample */
struct sc_metric_value sc_noise_steal(const struct sc_cell *cell);
struct sc_metric_value sc_noise_run_delay(const struct sc_cell *cell);

/** sc_noise_reference_max(), sc_noise_reference_min() - of the slowest sample, and the fastest */
struct sc_metric_value sc_noise_reference_max(const struct sc_cell *cell);
struct sc_metric_value sc_noise_reference_min(const struct sc_cell *cell);

/** sc_noise_other_io_max(), sc_noise_other_io_min() - of the sample with the most, and the least */
struct sc_metric_value sc_noise_other_io_max(const struct sc_cell *cell);
struct sc_metric_value sc_noise_other_io_min(const struct sc_cell *cell);
