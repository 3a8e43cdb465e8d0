/* SPDX-License-Identifier: MIT */
#include "../base/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/probe.h"

#define US UINT64_C(1000)

/* --- a probe with medians of its rows, all else equal */

struct median {
	const char *key;
	uint64_t ns;
};

static struct sc_probe_row row_of(const struct median *median, uint64_t n)
{
	struct sc_probe_row row = {
		.state = SC_PROBE_OVERWRITE,
		.bytes = 4096,
		.pages = 1,
		.writers = 1,
		.status = SC_MEASURED,
	};
	const char *slash = strrchr(median->key, '/');

	(void)snprintf(row.key, sizeof(row.key), "%s", median->key);
	if (strncmp(median->key, "journal/", 8) == 0) {
		row.group = SC_PROBE_JOURNAL;
		row.journal = median->key + 8;
	}
	for (int i = 0; i < SC_PROBE_METHOD_COUNT_; i++) {
		if (strcmp(slash + 1, sc_probe_method_name((enum sc_probe_method)i)) == 0)
			row.method = (enum sc_probe_method)i;
	}
	row.operation.n = n;
	for (size_t i = 0; i < SC_PROBE_QUANTILES; i++)
		row.operation.ns[i] = median->ns;
	return row;
}

static struct sc_probe probe_of(const struct median *medians, size_t count, uint64_t n)
{
	struct sc_probe probe = {.row_count = count, .rows = calloc(count, sizeof(*probe.rows))};

	assert_non_null(probe.rows);
	probe.target.label = strdup("/data");
	probe.target.filesystem = strdup("ext4");
	for (size_t i = 0; i < count; i++)
		probe.rows[i] = row_of(&medians[i], n);
	return probe;
}

static void judge(struct sc_probe *probe)
{
	struct sc_error error = {0};

	assert_int_equal(sc_probe_judge(probe, &error), 0);
}

static bool has(const struct sc_probe *probe, enum sc_finding_code code)
{
	for (size_t i = 0; i < probe->target.findings.count; i++) {
		if (strcmp(probe->target.findings.items[i].code, sc_finding_name(code)) == 0)
			return true;
	}
	return false;
}

/* --- what figures say */

struct judged {
	const char *name;
	uint64_t synced_us, fsync_us, direct_us, forced_us, flushed_us, n;
	const char *write_cache, *fua, *filesystem;
	bool rotational, virtual;
	enum sc_finding_code code;
	bool is_found;
};

/* clang-format off */
static const struct judged cases[] = {
	{"a flush that adds 9 us to a write back cache is named", 39, 40, 30, 40, 40, 100,
	 "write back", NULL, "ext4", false, false, SC_FINDING_FLUSH_FREE, true},
	{"a flush that adds 11 us is not", 41, 42, 30, 40, 40, 100,
	 "write back", NULL, "ext4", false, false, SC_FINDING_FLUSH_FREE, false},
	{"a flush that has no cache to empty may be free", 39, 40, 30, 40, 40, 100,
	 "write through", NULL, "ext4", false, false, SC_FINDING_FLUSH_FREE, false},
	{"a cache that is not known is no evidence", 39, 40, 30, 40, 40, 100,
	 NULL, NULL, "ext4", false, false, SC_FINDING_FLUSH_FREE, false},
	{"19 samples are too few to say it", 39, 40, 30, 40, 40, 19,
	 "write back", NULL, "ext4", false, false, SC_FINDING_FLUSH_FREE, false},
	{"a turning disk does not answer within 3.9 ms", 3900, 3900, 100, 0, 0, 100,
	 NULL, NULL, "xfs", true, false, SC_FINDING_FASTER_THAN_TURN, true},
	{"it may in 4 ms", 4000, 4000, 100, 0, 0, 100,
	 NULL, NULL, "xfs", true, false, SC_FINDING_FASTER_THAN_TURN, false},
	{"a disk that does not turn may in 3.9 ms", 3900, 3900, 100, 0, 0, 100,
	 NULL, NULL, "xfs", false, false, SC_FINDING_FASTER_THAN_TURN, false},
	{"below 1 ms it is the flag that is doubted", 900, 900, 100, 0, 0, 100,
	 NULL, NULL, "xfs", true, false, SC_FINDING_FASTER_THAN_TURN, false},
	{"and it is", 900, 900, 100, 0, 0, 100,
	 NULL, NULL, "xfs", true, false, SC_FINDING_ROTATIONAL, true},
	{"forced writes at a quarter of a flush are named", 361, 361, 20, 90, 361, 100,
	 "write back", "yes", "xfs", false, false, SC_FINDING_FUA_CHEAP, true},
	{"at a third they are not", 361, 361, 20, 121, 361, 100,
	 "write back", "yes", "xfs", false, false, SC_FINDING_FUA_CHEAP, false},
	{"a disk that takes none cannot answer them from a cache", 361, 361, 20, 90, 361, 100,
	 "write back", "no", "xfs", false, false, SC_FINDING_FUA_CHEAP, false},
	{"fsync at twice fdatasync is named", 50, 100, 10, 0, 0, 100,
	 NULL, NULL, "ext4", false, false, SC_FINDING_FSYNC_DEARER, true},
	{"at 1.9 it is not", 50, 95, 10, 0, 0, 100,
	 NULL, NULL, "ext4", false, false, SC_FINDING_FSYNC_DEARER, false},
	{"nor where both are next to nothing", 5, 20, 1, 0, 0, 100,
	 NULL, NULL, "ext4", false, false, SC_FINDING_FSYNC_DEARER, false},
	{"memory is named, whatever it takes", 1, 1, 1, 1, 1, 100,
	 NULL, NULL, "tmpfs", false, false, SC_FINDING_SYNC_BUYS_NOTHING, true},
	{"and is not judged as a disk", 1, 100, 1, 1, 1, 100,
	 NULL, NULL, "tmpfs", false, false, SC_FINDING_FSYNC_DEARER, false},
};
/* clang-format on */

static void figures_are_judged_by_the_stated_limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		const struct judged *one = &cases[i];
		const struct median medians[] = {
			{"overwrite/4096/fdatasync", one->synced_us * US},
			{"overwrite/4096/fsync", one->fsync_us * US},
			{"overwrite/4096/direct-none", one->direct_us * US},
			{"overwrite/4096/direct-dsync", one->forced_us * US},
			{"overwrite/4096/direct-fdatasync", one->flushed_us * US},
		};
		struct sc_probe probe = probe_of(medians, SC_ARRAY_COUNT(medians), one->n);

		free(probe.target.filesystem);
		probe.target.filesystem = strdup(one->filesystem);
		probe.target.write_cache = one->write_cache ? strdup(one->write_cache) : NULL;
		probe.target.fua = one->fua ? strdup(one->fua) : NULL;
		probe.target.rotational_status = SC_MEASURED;
		probe.target.rotational = one->rotational;
		probe.target.is_virtual = one->virtual;
		judge(&probe);
		if (has(&probe, one->code) != one->is_found)
			fail_msg("%s", one->name);
		sc_probe_fini(&probe);
	}
}

static void two_latencies_are_told_with_both(void **state)
{
	const struct median median = {"overwrite/4096/fdatasync", 100 * US};
	struct sc_probe probe = probe_of(&median, 1, 100);

	(void)state;
	probe.rows[0].has_modes = true;
	probe.rows[0].mode_low_ns = 330 * US;
	probe.rows[0].mode_high_ns = 1350 * US;
	judge(&probe);
	assert_true(has(&probe, SC_FINDING_TWO_LATENCIES));
	for (size_t i = 0; i < probe.target.findings.count; i++) {
		const struct sc_finding *one = &probe.target.findings.items[i];

		if (strcmp(one->code, sc_finding_name(SC_FINDING_TWO_LATENCIES)) != 0)
			continue;
		assert_non_null(strstr(one->text, "330 µs"));
		assert_non_null(strstr(one->text, "1.35 ms"));
	}
	sc_probe_fini(&probe);
}

static void storage_elsewhere_is_named(void **state)
{
	const struct median median = {"overwrite/4096/fdatasync", 100 * US};
	struct sc_probe probe = probe_of(&median, 1, 100);

	(void)state;
	judge(&probe);
	assert_false(has(&probe, SC_FINDING_NETWORK_STORAGE));
	assert_false(has(&probe, SC_FINDING_SYNC_BUYS_NOTHING));
	assert_non_null(sc_probe_cheapest(&probe));

	probe.target.is_network = true;
	probe.target.in_memory = true; /* ext4 in an image on tmpfs, say */
	judge(&probe);
	assert_true(has(&probe, SC_FINDING_NETWORK_STORAGE));
	assert_true(has(&probe, SC_FINDING_SYNC_BUYS_NOTHING));
	assert_null(sc_probe_cheapest(&probe));
	sc_probe_fini(&probe);
}

/* --- what is cheapest, and the ceiling */

static void the_cheapest_is_durable(void **state)
{
	static const struct median medians[] = {
		{"overwrite/4096/fdatasync", 70 * US},
		{"overwrite/4096/direct-dsync", 60 * US},
		{"overwrite/4096/none", 1 * US},
		{"overwrite/4096/direct-none", 20 * US},
		{"overwrite/4096/sync-file-range", 10 * US},
	};
	struct sc_probe probe = probe_of(medians, SC_ARRAY_COUNT(medians), 50);

	(void)state;
	assert_string_equal(sc_probe_cheapest(&probe)->key, "overwrite/4096/direct-dsync");
	probe.rows[1].status = SC_UNSUPPORTED;
	assert_string_equal(sc_probe_cheapest(&probe)->key, "overwrite/4096/fdatasync");
	free(probe.target.filesystem);
	probe.target.filesystem = strdup("tmpfs");
	assert_null(sc_probe_cheapest(&probe));
	sc_probe_fini(&probe);
}

static void a_ceiling_is_one_over_the_median(void **state)
{
	static const struct median medians[] = {{"journal/wal-full", 200 * US},
						{"journal/delete-full", 0}};
	struct sc_probe probe = probe_of(medians, SC_ARRAY_COUNT(medians), 50);

	(void)state;
	assert_true(fabs(sc_probe_ceiling(&probe, "wal-full") - 5000) < 1e-9);
	assert_true(sc_probe_ceiling(&probe, "delete-full") == 0);
	assert_true(sc_probe_ceiling(&probe, "persist-full") == 0);
	probe.rows[0].status = SC_FAILED;
	assert_true(sc_probe_ceiling(&probe, "wal-full") == 0);
	sc_probe_fini(&probe);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("figures are judged by the stated limits",
		     figures_are_judged_by_the_stated_limits),
		CASE("two latencies are told with both", two_latencies_are_told_with_both),
		CASE("storage elsewhere is named", storage_elsewhere_is_named),
		CASE("the cheapest is durable", the_cheapest_is_durable),
		CASE("a ceiling is one over the median", a_ceiling_is_one_over_the_median),
	};

	return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
