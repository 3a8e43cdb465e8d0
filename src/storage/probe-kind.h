/* SPDX-License-Identifier: MIT */
#pragma once

/* How rows of a probe are measured: one kind for each sort of operation. For probe-*.c alone. */

#include <stddef.h>

#include "../model/probe.h"
#include "../stats/random.h"

#define SC_PROBE_BLOCK_BYTES 65536u /* the largest write */

/* What all rows of one directory share. */
struct sc_probe_bench {
	const char *path;     /* of the private directory; absolute */
	int fd;               /* the same, open */
	unsigned char *block; /* SC_PROBE_BLOCK_BYTES, aligned to 4096; owned by the bench */
	struct sc_random random;
	const char *what; /* the call that failed, after a negative code */
	bool (*should_stop)(void *self);
	void *self;
};

/* One operation. */
struct sc_probe_sample {
	uint64_t total_ns, write_ns, sync_ns;
	bool is_split;     /* write and sync were told apart */
	bool is_discarded; /* it followed a preparation that others did not */
};

/* Samples of a row so far. */
struct sc_probe_samples {
	double *total_ns, *write_ns, *sync_ns; /* owned */
	size_t capacity, count;
	bool is_split;
	uint64_t wall_ns; /* of the blocks, without what was not an operation */
	uint64_t done;    /* operations in that time */
};

/* All return 0 or a negative errno value with bench->what naming the call. */
struct sc_probe_kind {
	/* before each block; @ret_self is for the others, NULL where there is nothing to keep */
	int (*open)(struct sc_probe_bench *bench, const struct sc_probe_row *row, void **ret_self);
	int (*once)(struct sc_probe_bench *bench, const struct sc_probe_row *row, void *self,
		    struct sc_probe_sample *sample);
	/* several at a time: instead of once(); until @quota operations or @time_ns */
	int (*block)(struct sc_probe_bench *bench, const struct sc_probe_row *row, void *self,
		     uint64_t quota, uint64_t time_ns, struct sc_probe_samples *samples);
	/* takes what a failed open() left */
	void (*close)(void *self);
};

extern const struct sc_probe_kind sc_probe_kind_write;   /* methods, pages, paced */
extern const struct sc_probe_kind sc_probe_kind_file;    /* create, truncate, unlink, clean */
extern const struct sc_probe_kind sc_probe_kind_writers; /* threads */
extern const struct sc_probe_kind sc_probe_kind_journal; /* SQLite's calls */

/** sc_probe_bench_fill() - other bytes, which do not compress, into the first @bytes of block */
void sc_probe_bench_fill(struct sc_probe_bench *bench, size_t bytes);

/**
 * sc_probe_bench_build() - make sure that @fd has @bytes written bytes, by writes of 4 KiB, synced
 *
 * By small writes, since a file system may keep a large one in a large folio, and then each 4 KiB
 * of it costs more.
 */
int sc_probe_bench_build(struct sc_probe_bench *bench, int fd, uint64_t bytes);

/** sc_probe_samples_add() - false where it is full */
bool sc_probe_samples_add(struct sc_probe_samples *samples, const struct sc_probe_sample *sample);

/* One write to fd, durable or not as the method says; see probe-method.c. */
struct sc_probe_writer {
	enum sc_probe_method method;
	int fd;
	struct sc_probe_ring *ring; /* NULL unless the method is of io_uring */
};

/** sc_probe_writer_open() - @name in the bench's directory, with the method's flags */
int sc_probe_writer_open(struct sc_probe_bench *bench, enum sc_probe_method method,
			 const char *name, struct sc_probe_writer *ret_writer);
void sc_probe_writer_close(struct sc_probe_writer *writer);

/** sc_probe_writer_write() - all of @bytes, and the sync where the method has them in one */
int sc_probe_writer_write(const struct sc_probe_writer *writer, const void *data, size_t bytes,
			  uint64_t offset, const char **ret_what);
/** sc_probe_writer_sync() - what follows the write; nothing where it is in one */
int sc_probe_writer_sync(const struct sc_probe_writer *writer, const char **ret_what);
/** sc_probe_method_is_split() - whether write and sync are calls of their own */
bool sc_probe_method_is_split(enum sc_probe_method method);
/** sc_probe_method_is_direct() - whether it goes around the page cache */
bool sc_probe_method_is_direct(enum sc_probe_method method);

/* io_uring: probe-uring.c, or probe-uring-none.c in builds without it. */
struct sc_probe_ring;

int sc_probe_ring_open(struct sc_probe_ring **ret_ring, const char **ret_what);
void sc_probe_ring_close(struct sc_probe_ring *ring); /* takes NULL */
/** sc_probe_ring_write() - @is_linked: write and fdatasync linked; else one RWF_DSYNC write */
int sc_probe_ring_write(struct sc_probe_ring *ring, int fd, const void *data, size_t bytes,
			uint64_t offset, bool is_linked, const char **ret_what);
