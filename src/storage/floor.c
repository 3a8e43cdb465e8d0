/* SPDX-License-Identifier: MIT */
#include "floor.h"

/*
 * The file has FILE_BLOCKS blocks, written by one 4 KiB write each, so that no write of a sample
 * extends it or meets an unwritten extent, and synced once. The samples overwrite them in turn with
 * bytes that differ each time and do not compress. Write and sync are timed together: on some
 * storage the cost sits in the write.
 *
 * Quantiles are exact, over all samples. n = 1 is every quantile.
 *
 * The file has no name where O_TMPFILE works; elsewhere it loses its name right after it is made,
 * so that nothing stays behind whatever happens.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/attr.h"
#include "../base/clock.h"
#include "../stats/order.h"
#include "../stats/random.h"
#include "floor-run.h"

#define FILE_BLOCKS 16u

struct block {
	_Alignas(SC_FLOOR_BLOCK_BYTES) unsigned char bytes[SC_FLOOR_BLOCK_BYTES];
};

void sc_floor_absent(struct sc_floor *floor, enum sc_status status, const char *what, int code)
{
	char text[128];

	*floor = (struct sc_floor){.status = status};
	(void)snprintf(floor->reason, sizeof(floor->reason), "%s: %s", what,
		       strerror_r(-code, text, sizeof(text)));
}

/* Return: a descriptor, or a negative errno value. */
static int open_nameless(const char *directory)
{
	SC_CLEANUP(sc_fd_closep) int directory_fd = -1;
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	char name[64];

	directory_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory_fd < 0)
		return -errno;
	fd = openat(directory_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return SC_TAKE_FD(fd);
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return -errno;

	(void)snprintf(name, sizeof(name), ".syncost-floor-%d-%llx", (int)getpid(),
		       (unsigned long long)sc_monotonic_ns());
	fd = openat(directory_fd, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (unlinkat(directory_fd, name, 0) < 0)
		return -errno;
	return SC_TAKE_FD(fd);
}

/* Return: 0, or a negative errno value with *ret_what naming the call. */
static int write_block(int fd, const void *block, uint64_t offset, const char **ret_what)
{
	ssize_t written = pwrite(fd, block, SC_FLOOR_BLOCK_BYTES, (off_t)offset);

	*ret_what = "pwrite";
	if (written < 0)
		return -errno;
	return written == SC_FLOOR_BLOCK_BYTES ? 0 : -ENOSPC;
}

static int write_and_fdatasync(void *self, int fd, const void *block, uint64_t offset,
			       const char **ret_what)
{
	int r = write_block(fd, block, offset, ret_what);

	(void)self;
	if (r < 0)
		return r;
	*ret_what = "fdatasync";
	return fdatasync(fd) < 0 ? -errno : 0;
}

static void fill(struct block *block, struct sc_random *random)
{
	for (size_t i = 0; i < sizeof(block->bytes); i += sizeof(uint64_t)) {
		uint64_t bits = sc_random_next(random);

		memcpy(block->bytes + i, &bits, sizeof(bits));
	}
}

static int preallocate(int fd, struct block *block, struct sc_random *random, const char **ret_what)
{
	for (uint64_t i = 0; i < FILE_BLOCKS; i++) {
		int r;

		fill(block, random);
		r = write_block(fd, block->bytes, i * SC_FLOOR_BLOCK_BYTES, ret_what);
		if (r < 0)
			return r;
	}
	*ret_what = "fsync";
	return fsync(fd) < 0 ? -errno : 0;
}

struct samples {
	double *ns; /* owned */
	uint32_t asked, taken;
};

static int take_samples(const struct sc_floor_method *method, int fd, uint64_t time_limit_ns,
			struct samples *samples, const char **ret_what)
{
	uint64_t begin_ns = sc_monotonic_ns();
	struct sc_random random = sc_random_init(begin_ns); /* no two runs write the same */
	struct block block;
	int r;

	r = preallocate(fd, &block, &random, ret_what);
	if (r < 0)
		return r;
	do {
		uint64_t block_index = samples->taken % FILE_BLOCKS;
		uint64_t start_ns;

		fill(&block, &random);
		start_ns = sc_monotonic_ns();
		r = method->write_and_sync(method->self, fd, block.bytes,
					   block_index * SC_FLOOR_BLOCK_BYTES, ret_what);
		samples->ns[samples->taken] = (double)(sc_monotonic_ns() - start_ns);
		if (r < 0)
			return r;
		samples->taken++;
	} while (samples->taken < samples->asked && sc_monotonic_ns() - begin_ns < time_limit_ns);
	return 0;
}

static uint64_t quantile(const struct samples *samples, double q)
{
	double value = 0.0;

	(void)sc_quantile(samples->ns, samples->taken, q, &value); /* there is at least one */
	return (uint64_t)value;
}

static void summarise(const struct samples *samples, struct sc_floor *ret_floor)
{
	sc_sort_doubles(samples->ns, samples->taken);
	*ret_floor = (struct sc_floor){
		.status = SC_MEASURED,
		.n = samples->taken,
		.p50_ns = quantile(samples, 0.5),
		.p90_ns = quantile(samples, 0.9),
		.p99_ns = quantile(samples, 0.99),
		.max_ns = quantile(samples, 1.0),
	};
}

/* Whether a call failed because the kernel, not the storage, does not do it. */
static enum sc_status status_of(int code)
{
	switch (code) {
	case -EACCES:
	case -EPERM:
	case -EROFS:
		return SC_DENIED;
	case -EINVAL:
	case -ENOSYS:
	case -EOPNOTSUPP:
		return SC_UNSUPPORTED;
	default:
		return SC_FAILED;
	}
}

void sc_floor_run(const struct sc_floor_method *method, const char *directory, uint32_t samples,
		  uint64_t time_limit_ns, struct sc_floor *ret_floor)
{
	SC_CLEANUP(sc_freep) double *ns = calloc(samples, sizeof(*ns));
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	struct samples taken = {.ns = ns, .asked = samples};
	const char *what = "making a file";
	int r;

	assert(samples > 0);
	if (!ns) {
		sc_floor_absent(ret_floor, SC_FAILED, "samples", -ENOMEM);
		return;
	}
	fd = open_nameless(directory);
	r = fd < 0 ? fd : take_samples(method, fd, time_limit_ns, &taken, &what);
	if (r < 0)
		sc_floor_absent(ret_floor, status_of(r), what, r);
	else
		summarise(&taken, ret_floor);
}

void sc_sync_floor(const char *directory, uint32_t samples, uint64_t time_limit_ns,
		   struct sc_floor *ret_floor)
{
	static const struct sc_floor_method calls = {.write_and_sync = write_and_fdatasync};

	sc_floor_run(&calls, directory, samples, time_limit_ns, ret_floor);
}
