/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "fault.h"
#include "scratch.h"
#include "skip.h"
#include "storage/floor.h"

#define US       UINT64_C(1000)
#define NO_LIMIT UINT64_MAX

/* NOLINTBEGIN(bugprone-reserved-identifier, cert-dcl*): the names are the linker's */

/* --- a clock that only syncs advance; off: the real one */

static struct {
	bool is_on;
	uint64_t (*duration_ns)(unsigned nth); /* of the nth fdatasync, from 1 */
} fake;

uint64_t __real_sc_monotonic_ns(void);
uint64_t __wrap_sc_monotonic_ns(void);

uint64_t __wrap_sc_monotonic_ns(void)
{
	uint64_t now_ns = 1000;

	if (!fake.is_on)
		return __real_sc_monotonic_ns();
	for (unsigned nth = 1; nth <= fault_calls("fdatasync"); nth++)
		now_ns += fake.duration_ns(nth);
	return now_ns;
}

/* --- an io_uring that refuses */

static int ring_refusal;
static unsigned interruptions;

#ifdef HAVE_URING
struct io_uring;
int __real_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
int __wrap_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
int __real_io_uring_submit_and_wait(struct io_uring *ring, unsigned count);
int __wrap_io_uring_submit_and_wait(struct io_uring *ring, unsigned count);

int __wrap_io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags)
{
	return ring_refusal ? ring_refusal : __real_io_uring_queue_init(entries, ring, flags);
}

int __wrap_io_uring_submit_and_wait(struct io_uring *ring, unsigned count)
{
	if (interruptions > 0) {
		interruptions--;
		return -EINTR;
	}
	return __real_io_uring_submit_and_wait(ring, count);
}
#endif

/* NOLINTEND(bugprone-reserved-identifier, cert-dcl*) */

/* --- the cases */

static struct sc_floor measure(const struct scratch *scratch, uint32_t samples, uint64_t limit_ns,
			       uint64_t (*duration_ns)(unsigned))
{
	struct sc_floor floor;

	fake.is_on = true;
	fake.duration_ns = duration_ns;
	fault_begin(0, 0); /* counts alone */
	sc_sync_floor(scratch->path, samples, limit_ns, &floor);
	assert_false(fault_end());
	fake.is_on = false;
	return floor;
}

static uint64_t constant(unsigned nth)
{
	(void)nth;
	return 250 * US;
}

/* 1, 2, … 100 us, not in order. */
static uint64_t permuted(unsigned nth)
{
	return (nth * 37 % 101) * US;
}

static void each_sample_is_a_write_and_a_sync(void **state)
{
	struct sc_floor floor = measure(*state, 40, NO_LIMIT, constant);

	assert_int_equal(floor.status, SC_MEASURED);
	assert_string_equal(floor.reason, "");
	assert_int_equal(floor.n, 40);
	assert_int_equal(fault_calls("fdatasync"), 40);
	assert_int_equal(fault_calls("pwrite64"), 16 + 40); /* the file, then the samples */
	assert_int_equal(fault_calls("fsync"), 1);
	assert_int_equal(floor.p50_ns, 250 * US);
	assert_int_equal(floor.p99_ns, 250 * US);
	assert_int_equal(floor.max_ns, 250 * US);
}

static void quantiles_are_exact(void **state)
{
	struct sc_floor floor = measure(*state, 100, NO_LIMIT, permuted);

	assert_int_equal(floor.n, 100);
	assert_int_equal(floor.p50_ns, 50 * US);
	assert_int_equal(floor.p90_ns, 90 * US);
	assert_int_equal(floor.p99_ns, 99 * US);
	assert_int_equal(floor.max_ns, 100 * US);
}

static void the_time_limit_ends_it_after_at_least_one(void **state)
{
	/* The eighth sample begins at 1750 us and is the last to begin before 2000. */
	assert_int_equal(measure(*state, 1000, 2000 * US, constant).n, 8);
	assert_int_equal(measure(*state, 1000, 2000 * US - 1, constant).n, 8);
	assert_int_equal(measure(*state, 1000, 2000 * US + 1, constant).n, 9);
	assert_int_equal(measure(*state, 1000, 0, constant).n, 1);
	assert_int_equal(measure(*state, 1, NO_LIMIT, constant).p50_ns, 250 * US);
}

static void nothing_stays_behind(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_floor floor;

	sc_sync_floor(scratch->path, 3, NO_LIMIT, &floor);
	assert_int_equal(floor.status, SC_MEASURED);
	assert_int_equal(scratch_count(scratch), 0);

	fault_begin_at("openat64", 1, EOPNOTSUPP); /* no nameless files here */
	sc_sync_floor(scratch->path, 3, NO_LIMIT, &floor);
	assert_true(fault_end());
	assert_int_equal(floor.status, SC_MEASURED);
	assert_int_equal(scratch_count(scratch), 0);
}

static void a_failed_call_is_no_measurement(void **state)
{
	const struct scratch *scratch = *state;
	static const struct {
		const char *call;
		unsigned nth;
		int error;
		enum sc_status status;
		const char *reason;
	} cases[] = {
		{"fdatasync", 3, EIO, SC_FAILED, "fdatasync: Input/output error"},
		{"fdatasync", 1, EINVAL, SC_UNSUPPORTED, "fdatasync: Invalid argument"},
		{"pwrite64", 20, ENOSPC, SC_FAILED, "pwrite: No space left on device"},
		{"pwrite64", 2, EDQUOT, SC_FAILED, "pwrite: Disk quota exceeded"},
		{"fsync", 1, EIO, SC_FAILED, "fsync: Input/output error"},
		{"openat64", 1, EACCES, SC_DENIED, "making a file: Permission denied"},
		{"openat64", 1, EROFS, SC_DENIED, "making a file: Read-only file system"},
		{"calloc", 1, ENOMEM, SC_FAILED, "samples: Cannot allocate memory"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t descriptors = open_descriptors();
		struct sc_floor floor;

		fault_begin_at(cases[i].call, cases[i].nth, cases[i].error);
		sc_sync_floor(scratch->path, 10, NO_LIMIT, &floor);
		assert_true(fault_end());
		assert_int_equal(floor.status, cases[i].status);
		assert_string_equal(floor.reason, cases[i].reason);
		assert_int_equal(floor.n, 0);
		assert_int_equal(floor.p50_ns, 0);
		assert_int_equal(scratch_count(scratch), 0);
		assert_int_equal(open_descriptors(), descriptors);
	}
}

static void each_failed_call_is_told(void **state)
{
	const struct scratch *scratch = *state;

	for (unsigned nth = 1;; nth++) {
		struct sc_floor floor;

		fault_begin(nth, EIO);
		sc_sync_floor(scratch->path, 4, NO_LIMIT, &floor);
		if (!fault_end()) {
			assert_int_equal(floor.status, SC_MEASURED);
			assert_int_equal(nth, 1 + 2 + 16 + 1 + 2 * 4 + 1);
			break;
		}
		assert_int_equal(floor.status, SC_FAILED);
		assert_true(strlen(floor.reason) > 0);
		assert_int_equal(scratch_count(scratch), 0);
	}
}

static void a_missing_directory_is_told(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_floor floor;

	sc_sync_floor(scratch_path(scratch, "no"), 3, NO_LIMIT, &floor);
	assert_int_equal(floor.status, SC_FAILED);
	assert_string_equal(floor.reason, "making a file: No such file or directory");
}

/* A real limit of the kernel, not a planted failure. */
static void a_file_that_may_not_grow_is_told(void **state)
{
	const struct scratch *scratch = *state;
	struct rlimit kept, small;
	struct sc_floor floor;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &kept), 0);
	small = kept;
	small.rlim_cur = 8192;
	assert_ptr_not_equal(signal(SIGXFSZ, SIG_IGN), SIG_ERR);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	sc_sync_floor(scratch->path, 3, NO_LIMIT, &floor);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &kept), 0);
	assert_int_equal(floor.status, SC_FAILED);
	assert_string_equal(floor.reason, "pwrite: File too large");
}

static void real_samples_lie_within_the_time_they_took(void **state)
{
	const struct scratch *scratch = *state;
	uint64_t start_ns = __real_sc_monotonic_ns();
	struct sc_floor floor;

	sc_sync_floor(scratch->path, 20, NO_LIMIT, &floor);
	assert_int_equal(floor.status, SC_MEASURED);
	assert_int_equal(floor.n, 20);
	assert_true(floor.p50_ns > 0);
	assert_true(floor.p50_ns <= floor.p90_ns);
	assert_true(floor.p90_ns <= floor.p99_ns);
	assert_true(floor.p99_ns <= floor.max_ns);
	assert_true(floor.p50_ns * 10 + floor.max_ns <= __real_sc_monotonic_ns() - start_ns);
}

static void linked_requests_are_measured_where_the_kernel_lets_us(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_floor floor;

	interruptions = 2; /* a window that is resized meanwhile, say */
	sc_uring_floor(scratch->path, 20, NO_LIMIT, &floor);
	interruptions = 0;
	assert_int_equal(scratch_count(scratch), 0);
	if (floor.status == SC_DENIED || floor.status == SC_UNSUPPORTED) {
		assert_true(strlen(floor.reason) > 0);
		skip_because("%s", floor.reason);
	}
	assert_string_equal(floor.reason, "");
	assert_int_equal(floor.status, SC_MEASURED);
	assert_int_equal(floor.n, 20);
	assert_true(floor.p50_ns > 0);
	assert_true(floor.p50_ns <= floor.max_ns);
}

static void a_forbidden_ring_is_denied_and_a_missing_one_unsupported(void **state)
{
	const struct scratch *scratch = *state;
	static const struct {
		int refusal;
		enum sc_status status;
	} cases[] = {
		{-EPERM, SC_DENIED},
		{-EACCES, SC_DENIED},
		{-ENOSYS, SC_UNSUPPORTED},
		{-ENOMEM, SC_FAILED},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sc_floor floor;

		ring_refusal = cases[i].refusal;
		sc_uring_floor(scratch->path, 3, NO_LIMIT, &floor);
		ring_refusal = 0;
#ifdef HAVE_URING
		assert_int_equal(floor.status, cases[i].status);
		assert_non_null(strstr(floor.reason, strerror(-cases[i].refusal)));
#else
		assert_int_equal(floor.status, SC_UNSUPPORTED);
		assert_non_null(strstr(floor.reason, "no io_uring"));
#endif
		assert_int_equal(floor.n, 0);
	}
}

#define IN(sentence, function) CASE_IN(sentence, function, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest cases[] = {
		IN("each sample is a write and a sync", each_sample_is_a_write_and_a_sync),
		IN("quantiles are exact", quantiles_are_exact),
		IN("the time limit ends it, after at least one sample",
		   the_time_limit_ends_it_after_at_least_one),
		IN("nothing stays behind", nothing_stays_behind),
		IN("a failed call is no measurement", a_failed_call_is_no_measurement),
		IN("each failed call is told", each_failed_call_is_told),
		IN("a missing directory is told", a_missing_directory_is_told),
		IN("a file that may not grow is told", a_file_that_may_not_grow_is_told),
		IN("real samples lie within the time they took",
		   real_samples_lie_within_the_time_they_took),
		IN("linked requests are measured where the kernel lets us",
		   linked_requests_are_measured_where_the_kernel_lets_us),
		IN("a forbidden ring is denied, a missing one unsupported",
		   a_forbidden_ring_is_denied_and_a_missing_one_unsupported),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
