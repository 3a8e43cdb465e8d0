/* SPDX-License-Identifier: MIT */
#include "traffic.h"

/*
 * /sys/class/block/NAME/stat, one line of numbers: reads completed, reads merged, sectors read,
 * milliseconds reading, writes completed, writes merged, sectors written, … A sector is 512 bytes
 * there, whatever the device's own are. Discards and flushes have fields of their own and move no
 * data.
 */

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "../base/attr.h"
#include "../base/scan.h"

#define SECTOR_BYTES 512u
#define TEXT_BYTES   512u /* of the line: 17 numbers of at most 20 digits */

static struct sc_reading unsupported(const char *reason)
{
	return (struct sc_reading){.status = SC_UNSUPPORTED, .reason = reason};
}

static struct sc_traffic nothing(const char *reason)
{
	return (struct sc_traffic){unsupported(reason), unsupported(reason)};
}

struct sc_traffic sc_traffic_read(const char *root, const char *disk)
{
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	char path[PATH_MAX], text[TEXT_BYTES];
	uint64_t read_sectors, written_sectors;
	const char *at = text;
	ssize_t bytes;

	(void)snprintf(path, sizeof(path), "%s/sys/class/block/%s/stat", root, disk);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return nothing("sysfs has no counters of the disk");
	bytes = read(fd, text, sizeof(text) - 1);
	if (bytes <= 0)
		return nothing("the disk's counters cannot be read");
	text[bytes] = '\0';
	if (!sc_scan_skip(&at, 2) || !sc_scan_u64(&at, &read_sectors) || !sc_scan_skip(&at, 3) ||
	    !sc_scan_u64(&at, &written_sectors))
		return nothing("the disk's counters have another form");
	return (struct sc_traffic){
		.read_bytes = {.status = SC_MEASURED, .value = read_sectors * SECTOR_BYTES},
		.written_bytes = {.status = SC_MEASURED, .value = written_sectors * SECTOR_BYTES},
	};
}

/* The first that is not measured of those that the figure takes; NULL: all are. */
static const struct sc_reading *find_missing(const struct sc_reading *const *readings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (readings[i]->status != SC_MEASURED)
			return readings[i];
	}
	return NULL;
}

static uint64_t beyond(uint64_t later, uint64_t earlier, uint64_t own)
{
	uint64_t moved = later > earlier ? later - earlier : 0;

	return moved > own ? moved - own : 0;
}

struct sc_reading sc_traffic_others(const struct sc_traffic *later,
				    const struct sc_traffic *earlier, const struct sc_usage *own)
{
	const struct sc_reading *const needed[] = {
		&later->read_bytes,      &earlier->read_bytes, &later->written_bytes,
		&earlier->written_bytes, &own->read_bytes,     &own->write_bytes,
	};
	const struct sc_reading *missing = find_missing(needed, SC_ARRAY_COUNT(needed));

	if (missing)
		return *missing;
	return (struct sc_reading){
		.status = SC_MEASURED,
		.value = beyond(later->read_bytes.value, earlier->read_bytes.value,
				own->read_bytes.value) +
			 beyond(later->written_bytes.value, earlier->written_bytes.value,
				own->write_bytes.value),
	};
}
