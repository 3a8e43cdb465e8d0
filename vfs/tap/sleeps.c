/* SPDX-License-Identifier: MIT */

/*
 * The calls that wait: no file, so the role is "other" and the slot 0. SQLite's busy handler
 * sleeps through usleep(), or sleep() where it was built without. A program that we know nothing of
 * sleeps for reasons of its own: there they are not counted.
 */

#include <errno.h>
#include <sys/syscall.h>

#include "file.h"
#include "real.h"
#include "record.h"
#include "wait.h"
#include "watch.h"

static bool begin_sleep(struct sc_tap_call *call)
{
	return sc_tap_is_on() && !sc_tap_watch_is_on() &&
	       sc_tap_begin(call, sc_tap_file_make(0, SC_ROLE_OTHER), SC_OP_SLEEP);
}

/* A sleep that is not counted may still be the wait for a lock. */
static uint64_t begin_wait(void)
{
	return sc_tap_is_on() && sc_tap_watch_is_on() && !sc_tap_is_inside() ? sc_clock_real_ns()
									     : 0;
}

static void end_wait(uint64_t start_ns)
{
	if (start_ns)
		sc_tap_wait_slept(start_ns, sc_clock_real_ns());
}

int sc_tap_raw_nanosleep(const struct timespec *wanted, struct timespec *left)
{
	return (int)syscall(SYS_nanosleep, wanted, left);
}

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
	struct sc_tap_call call;
	int result;

	if (!begin_sleep(&call)) {
		uint64_t start_ns = begin_wait();

		result = sc_tap_real_nanosleep(wanted, left);
		end_wait(start_ns);
		return result;
	}
	result = sc_tap_real_nanosleep(wanted, left);
	(void)sc_tap_end(&call, result == -1, 0); /* no file, no size */
	return result;
}

/* Returns the error and leaves errno alone. */
int sc_tap_raw_clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted,
			       struct timespec *left)
{
	int saved = errno;
	int error = syscall(SYS_clock_nanosleep, clock, flags, wanted, left) == 0 ? 0 : errno;

	errno = saved;
	return error;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted,
		    struct timespec *left)
{
	struct sc_tap_call call;
	int error;

	if (!begin_sleep(&call)) {
		uint64_t start_ns = begin_wait();

		error = sc_tap_real_clock_nanosleep(clock, flags, wanted, left);
		end_wait(start_ns);
		return error;
	}
	error = sc_tap_real_clock_nanosleep(clock, flags, wanted, left);
	(void)sc_tap_end(&call, error != 0, 0); /* no file, no size */
	return error;
}

int sc_tap_raw_usleep(useconds_t micros)
{
	struct timespec wanted = {micros / 1000000, (long)(micros % 1000000) * 1000};

	return sc_tap_raw_nanosleep(&wanted, NULL);
}

int usleep(useconds_t micros)
{
	struct sc_tap_call call;
	int result;

	if (!begin_sleep(&call)) {
		uint64_t start_ns = begin_wait();

		result = sc_tap_real_usleep(micros);
		end_wait(start_ns);
		return result;
	}
	result = sc_tap_real_usleep(micros);
	(void)sc_tap_end(&call, result == -1, 0); /* no file, no size */
	return result;
}

unsigned int sc_tap_raw_sleep(unsigned int seconds)
{
	struct timespec wanted = {seconds, 0}, left = {0, 0};

	return sc_tap_raw_nanosleep(&wanted, &left) == 0 ? 0 : (unsigned int)left.tv_sec;
}

unsigned int sleep(unsigned int seconds)
{
	struct sc_tap_call call;
	unsigned int left;

	if (!begin_sleep(&call)) {
		uint64_t start_ns = begin_wait();

		left = sc_tap_real_sleep(seconds);
		end_wait(start_ns);
		return left;
	}
	left = sc_tap_real_sleep(seconds);
	(void)sc_tap_end(&call, left != 0, 0); /* no file, no size */
	return left;
}
