/* SPDX-License-Identifier: MIT */

/*
 * Preloaded: the clock of the day goes a day forward and back, in turn, as when somebody sets it.
 * STEP_ALL=1 steps the monotonic clock too, as no machine does: to be seen that it would matter.
 */

#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define DAY      86400
#define EXPORTED __attribute__((visibility("default")))

static time_t step(void)
{
	static unsigned count;

	return __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) % 2 ? DAY : -DAY;
}

static int is_of_the_day(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
}

/* Further on with each look at it, so that no duration is what it was. */
static time_t leap(void)
{
	static unsigned count;

	return (time_t)__atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) * DAY;
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec *now)
{
	int r = (int)syscall(SYS_clock_gettime, clock, now);

	if (r == 0 && is_of_the_day(clock))
		now->tv_sec += step();
	else if (r == 0 && clock == CLOCK_MONOTONIC && getenv("STEP_ALL"))
		now->tv_sec += leap();
	return r;
}

EXPORTED int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	int r = (int)syscall(SYS_gettimeofday, now, zone);

	if (r == 0)
		now->tv_sec += step();
	return r;
}

EXPORTED time_t time(time_t *ret_now)
{
	struct timespec now = {0};

	(void)syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
	now.tv_sec += step();
	if (ret_now)
		*ret_now = now.tv_sec;
	return now.tv_sec;
}
