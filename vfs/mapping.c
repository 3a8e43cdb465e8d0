/* SPDX-License-Identifier: MIT */

/*
 * Method. The address range of the meter is reserved once and never given back; files, and the
 * private memory that takes their place after a stop, are mapped over it. So a thread that is
 * still recording when the meter stops writes to memory nobody reads, not to a hole.
 *
 * A file is locked with flock() before its descriptor is closed: the mapping keeps the lock for
 * as long as the process, or a child that has not recorded yet, lives. A file whose process is
 * gone and whose lock is free is stale, and removed at the next start; two witnesses, because a
 * process number means little between containers that share a tmpfs.
 */

#include "mapping.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "ledger.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; older headers do not know it */
#endif

#define FILE_PREFIX "syncost-meter."

static char directory_path[3072];
static char file_path[4096]; /* empty: no file */
static bool is_anonymous_meter;
static bool is_kept;              /* files outlive their process, and have numbers of their own */
static pid_t file_owner;          /* a child of fork() inherits the path, not the file */
static uint32_t generation_count; /* given out so far */
static uint32_t instance_count;
static bool is_prepared;

/* --- where */

static bool is_tmpfs(const char *directory)
{
	struct statfs facts;

	return statfs(directory, &facts) == 0 &&
	       (facts.f_type == TMPFS_MAGIC || facts.f_type == RAMFS_MAGIC);
}

static int choose_directory(const char *wanted)
{
	const char *candidates[] = {getenv("XDG_RUNTIME_DIR"), "/dev/shm"};
	const char *chosen = NULL;

	if (wanted) {
		if (access(wanted, W_OK | X_OK) != 0)
			return -errno;
		if (!is_tmpfs(wanted))
			return -EINVAL;
		chosen = wanted;
	}
	for (size_t i = 0; !chosen && i < sizeof(candidates) / sizeof(candidates[0]); i++) {
		if (candidates[i] && candidates[i][0] == '/' &&
		    access(candidates[i], W_OK | X_OK) == 0 && is_tmpfs(candidates[i]))
			chosen = candidates[i];
	}
	if (!chosen)
		return -ENODEV;
	if (strlen(chosen) >= sizeof(directory_path))
		return -ENAMETOOLONG;
	strcpy(directory_path, chosen);
	return 0;
}

/* --- stale files */

/* A meter of ours whose process is gone. @directory_fd and the file belong to this user. */
static bool is_stale(int directory_fd, const char *name)
{
	struct stat facts;
	char *end;
	long pid = strtol(name + strlen(FILE_PREFIX), &end, 10);
	bool is_free;
	int fd;

	if (*end == '.')
		end += 1 + strspn(end + 1, "0123456789");
	if (pid <= 0 || *end != '\0' || pid == (long)getpid())
		return false;
	if (kill((pid_t)pid, 0) == 0 || errno != ESRCH)
		return false;
	fd = openat(directory_fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	is_free = fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid() &&
		  flock(fd, LOCK_EX | LOCK_NB) == 0;
	(void)close(fd); /* nothing was written */
	return is_free;
}

static void remove_stale(const char *directory)
{
	DIR *entries = opendir(directory);
	struct dirent *entry;

	if (!entries)
		return;
	while ((entry = readdir(entries))) {
		if (strncmp(entry->d_name, FILE_PREFIX, strlen(FILE_PREFIX)) == 0 &&
		    is_stale(dirfd(entries), entry->d_name))
			(void)unlinkat(dirfd(entries), entry->d_name, 0); /* or another start did */
	}
	(void)closedir(entries);
}

/* --- mapping */

static int reserve(void)
{
	void *range;

	if (sc_ledger.meter)
		return 0;
	range = mmap(NULL, sizeof(struct sc_meter), PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (range == MAP_FAILED)
		return -errno;
	sc_ledger.meter = range;
	return 0;
}

bool sc_mapping_back(const void *start, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = (uintptr_t)start & ~(page - 1);
	uintptr_t to = ((uintptr_t)start + bytes + page - 1) & ~(page - 1);
	int saved = errno;
	bool is_backed;

	is_backed = madvise((void *)from, to - from, MADV_POPULATE_WRITE) == 0 || errno == EINVAL;
	errno = saved;
	return is_backed;
}

/* Over the whole range; header and databases are backed at once. */
static int map_over(int fd)
{
	int flags = MAP_FIXED | MAP_NORESERVE | (fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);
	void *mapped = mmap(sc_ledger.meter, sizeof(struct sc_meter), PROT_READ | PROT_WRITE, flags,
			    fd, 0);

	if (mapped == MAP_FAILED)
		return -errno;
	return sc_mapping_back(mapped, offsetof(struct sc_meter, shards)) ? 0 : -ENOSPC;
}

/* Appends @number to file_path at @length; returns the new length. */
static size_t add_number(size_t length, unsigned long number)
{
	char digits[24];
	size_t count = 0;

	do {
		digits[count++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (count > 0)
		file_path[length++] = digits[--count];
	file_path[length] = '\0';
	return length;
}

/*
 * Writes "DIRECTORY/syncost-meter.PID". With ".TRY" behind it where the process has several: of
 * kept files one after each exec, of others one of each copy of this code in it. No stdio, it also
 * runs in a child of fork().
 */
static int name_file(unsigned long try)
{
	const size_t digits = 2 * 24;
	size_t length = strlen(directory_path);

	if (length + sizeof(FILE_PREFIX) + digits >= sizeof(file_path))
		return -ENAMETOOLONG;
	memcpy(file_path, directory_path, length);
	file_path[length++] = '/';
	memcpy(file_path + length, FILE_PREFIX, strlen(FILE_PREFIX));
	length = add_number(length + strlen(FILE_PREFIX), (unsigned long)getpid());
	if (is_kept || try > 0) {
		file_path[length++] = '.';
		(void)add_number(length, try);
	}
	return 0;
}

/* Whether the file of that name is of an earlier process of the same number. */
static bool is_left_behind(void)
{
	int fd = open(file_path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool is_free;

	if (fd < 0)
		return errno != ENOENT;
	is_free = flock(fd, LOCK_EX | LOCK_NB) == 0;
	(void)close(fd); /* nothing was written */
	return is_free;
}

/* A new file of this process, locked and at full size. */
static int create_file(int *ret_fd)
{
	struct rlimit limit;
	int fd, r;

	/* Beyond it, ftruncate() would kill the program with SIGXFSZ. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < sizeof(struct sc_meter))
		return -EFBIG;

	if (!is_kept && is_left_behind())
		(void)unlink(file_path);
	fd = open(file_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 ||
	    ftruncate(fd, (off_t)sizeof(struct sc_meter)) != 0) {
		r = -errno;
		(void)unlink(file_path);
		(void)close(fd); /* the earlier error is the one to report */
		return r;
	}
	*ret_fd = fd;
	return 0;
}

static int map_file(void)
{
	const unsigned long tries = 10000;
	unsigned long try = 0;
	int fd = -1, r;

	do {
		r = name_file(try);
		if (r == 0)
			r = create_file(&fd);
	} while (r == -EEXIST && ++try < tries);
	if (r < 0) {
		file_path[0] = '\0';
		return r;
	}
	r = map_over(fd);
	(void)close(fd); /* the mapping keeps the file and its lock */
	if (r < 0) {
		(void)unlink(file_path);
		file_path[0] = '\0';
		return r;
	}
	file_owner = getpid();
	return 0;
}

static uint64_t realtime_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_REALTIME, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The kernel's name of the process, of its first thread's; empty where it cannot be read. */
static void read_program(char program[SC_METER_PROGRAM_BYTES])
{
	ssize_t length = -1;
	int fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		length = read(fd, program, SC_METER_PROGRAM_BYTES - 1);
		(void)close(fd); /* only read from */
	}
	if (length > 0 && program[length - 1] == '\n')
		length--;
	program[length > 0 ? length : 0] = '\0';
}

/* A reader trusts what it sees once magic is there, so that comes last. */
static void write_header(struct sc_meter *meter)
{
	meter->version = SC_METER_VERSION;
	meter->header_bytes = (uint32_t)offsetof(struct sc_meter, shards);
	meter->shard_bytes = sizeof(struct sc_shard);
	meter->series_bytes = sizeof(struct sc_series);
	meter->database_bytes = sizeof(struct sc_database);
	meter->pid = (uint32_t)getpid();
	meter->parent_pid = (uint32_t)getppid();
	read_program(meter->program);
	meter->clock_kind = sc_clock.kind;
	meter->start_ns = sc_clock_real_ns();
	meter->start_realtime_ns = realtime_ns();
	atomic_store_explicit(&meter->instruments,
			      atomic_load_explicit(&sc_ledger.instruments, memory_order_relaxed),
			      memory_order_relaxed);
	atomic_store_explicit(&meter->databases[0].used, 1, memory_order_relaxed);
	__atomic_store_n(&meter->magic, SC_METER_MAGIC, __ATOMIC_RELEASE);
}

static uint32_t turn_on(void)
{
	uint32_t generation = ++generation_count;

	sc_clock_set_virtual(&sc_ledger.meter->virtual_ns);
	atomic_store(&sc_ledger.shards_free, 0);
	atomic_store(&sc_ledger.instance, ++instance_count);
	atomic_store_explicit(&sc_ledger.generation, generation, memory_order_release);
	return generation;
}

static void remove_file(void)
{
	if (file_path[0] && file_owner == getpid() && !is_kept)
		(void)unlink(file_path); /* a stale file is removed at the next start */
	file_path[0] = '\0';
}

/* --- fork and exit */

static void child_of_fork(void)
{
	uint32_t generation = atomic_load(&sc_ledger.generation);

	sc_ledger_database_unlock();
	if (generation != SC_LEDGER_OFF)
		atomic_store(&sc_ledger.generation, SC_LEDGER_FORKED);
}

uint32_t sc_mapping_reopen(void)
{
	char paths[SC_METER_DATABASES][SC_METER_PATH_BYTES];
	uint32_t expected = SC_LEDGER_FORKED;
	struct sc_meter *meter = sc_ledger.meter;

	/* Whoever comes second records nothing until the first is done. */
	if (!atomic_compare_exchange_strong(&sc_ledger.generation, &expected, SC_LEDGER_OFF))
		return expected;

	/* Open handles know their database by its slot: the slots stay. */
	memcpy(paths[0], meter->databases[0].path, SC_METER_PATH_BYTES);
	for (uint32_t i = 1; i < SC_METER_DATABASES; i++)
		memcpy(paths[i], meter->databases[i].path, SC_METER_PATH_BYTES);
	if ((is_anonymous_meter ? map_over(-1) : map_file()) < 0) {
		(void)map_over(-1); /* away from the parent's; if even that fails, we stay off */
		return SC_LEDGER_OFF;
	}
	for (uint32_t i = 1; i < SC_METER_DATABASES && paths[i][0]; i++) {
		memcpy(meter->databases[i].path, paths[i], SC_METER_PATH_BYTES);
		atomic_store_explicit(&meter->databases[i].used, 1, memory_order_release);
	}
	write_header(meter);
	return turn_on();
}

__attribute__((destructor)) static void process_ends(void)
{
	remove_file();
}

/* --- the ledger's life */

static int prepare(void)
{
	int r = reserve();

	if (r < 0)
		return r;
	if (is_prepared)
		return 0;
	r = sc_thread_prepare();
	if (r == 0)
		r = -pthread_atfork(NULL, NULL, child_of_fork);
	if (r < 0)
		return r;
	sc_clock_calibrate();
	is_prepared = true;
	return 0;
}

void sc_ledger_keep(void)
{
	is_kept = true;
}

int sc_ledger_open(const char *directory, bool is_anonymous, bool is_cpu_on)
{
	int r = prepare();

	if (r < 0)
		return r;
	if (is_anonymous) {
		r = map_over(-1);
	} else {
		r = choose_directory(directory);
		if (r == 0) {
			if (!is_kept)
				remove_stale(directory_path);
			r = map_file();
		}
	}
	if (r < 0)
		return r;

	is_anonymous_meter = is_anonymous;
	atomic_store(&sc_ledger.is_cpu_on, is_cpu_on);
	atomic_store(&sc_ledger.instruments, 0);
	write_header(sc_ledger.meter);
	(void)turn_on();
	if (is_cpu_on && sc_thread_get())
		sc_cpu_calibrate(&sc_thread_self);
	else
		sc_cpu_forget();
	return 0;
}

void sc_ledger_close(void)
{
	atomic_store(&sc_ledger.generation, SC_LEDGER_OFF);
	sc_clock_set_virtual(NULL);
	remove_file();
	(void)map_over(-1); /* where memory is short the file stays mapped, unlinked */
}

void sc_ledger_instrument(enum sc_instrument instrument, bool is_on)
{
	uint32_t bit = 1u << instrument;

	if (is_on)
		(void)atomic_fetch_or(&sc_ledger.instruments, bit);
	else
		(void)atomic_fetch_and(&sc_ledger.instruments, ~bit);
	if (sc_ledger_is_on())
		atomic_store(&sc_ledger.meter->instruments, atomic_load(&sc_ledger.instruments));
}

const char *sc_ledger_path(void)
{
	return sc_ledger_is_on() && file_path[0] ? file_path : NULL;
}

void sc_ledger_reset(void)
{
	struct sc_meter *meter = sc_ledger.meter;

	if (!sc_ledger_is_on())
		return;
	for (uint32_t i = 0; i < SC_METER_DATABASES; i++) {
		struct sc_database *database = &meter->databases[i];

		for (uint32_t role = 0; role < SC_ROLE_COUNT_; role++)
			atomic_store(&database->size_bytes_max[role],
				     atomic_load(&database->size_bytes[role]));
		atomic_store(&database->total_bytes_max, atomic_load(&database->total_bytes));
		atomic_store(&database->commits, 0);
		atomic_store(&database->checkpoints, 0);
		atomic_store(&database->checkpoint_ns, 0);
		atomic_store(&database->checkpoint_frames, 0);
		atomic_store(&database->wal_resets, 0);
		atomic_store(&database->wal_creations, 0);
		atomic_store(&database->wal_frames, 0);
		atomic_store(&database->unmarked_writes, 0);
		atomic_store(&database->lock_waits, 0);
		atomic_store(&database->lock_wait_ns, 0);
	}
	atomic_store(&meter->calls_dropped, 0);
	atomic_store(&meter->transactions, 0);
	atomic_store(&meter->empty_commits, 0);
	atomic_store(&meter->total_bytes_max, atomic_load(&meter->total_bytes));
	(void)atomic_fetch_add_explicit(&meter->epoch, 1, memory_order_release);
	atomic_store_explicit(&sc_ledger.generation, ++generation_count, memory_order_release);
}
