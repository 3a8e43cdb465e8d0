/* SPDX-License-Identifier: MIT */
#include "host.h"

/*
 * uname() for names, /proc/cpuinfo for the model (its keys differ by architecture; some give
 * none), /proc/meminfo for the memory of the machine, whatever a container's share is.
 */

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "files.h"
#include "scan.h"

#define FILE_BYTES_MAX (4u << 20) /* cpuinfo of a machine with a thousand CPUs */

/* In order of preference: x86 and others, MIPS, POWER, RISC-V, boards. */
static const char *const cpu_keys[] = {"model name", "cpu model", "cpu",
				       "uarch",      "Model",     "Hardware"};

/* The value of a line "key : value", or NULL; *ret_bytes is its length. */
static const char *find_value(const char *text, const char *key, size_t *ret_bytes)
{
	size_t key_bytes = strlen(key);
	const char *line = text;

	while (line && *line) {
		const char *end = strchrnul(line, '\n');
		const char *at = line + key_bytes;

		if (strncmp(line, key, key_bytes) == 0) {
			at += strspn(at, " \t");
			if (*at == ':') {
				at += 1 + strspn(at + 1, " \t");
				*ret_bytes = (size_t)(end - at);
				return at;
			}
		}
		line = *end ? end + 1 : NULL;
	}
	return NULL;
}

/* A copy in which runs of blanks are one: some models are padded. */
static char *copy_squeezed(const char *text, size_t bytes)
{
	char *copy = malloc(bytes + 1);
	size_t length = 0;

	if (!copy)
		return NULL;
	for (size_t i = 0; i < bytes; i++) {
		bool is_blank = isspace((unsigned char)text[i]);

		if (is_blank && (length == 0 || copy[length - 1] == ' '))
			continue;
		copy[length] = text[i];
		if (is_blank)
			copy[length] = ' ';
		length++;
	}
	while (length > 0 && copy[length - 1] == ' ')
		length--;
	copy[length] = '\0';
	return copy;
}

static char *cpu_model(const char *root, const char *machine)
{
	SC_CLEANUP(sc_freep) char *text = NULL;
	struct sc_error ignored; /* without the file the architecture stands in */
	char path[PATH_MAX];
	size_t bytes;

	(void)snprintf(path, sizeof(path), "%s/proc/cpuinfo", root);
	if (sc_file_read_all(path, FILE_BYTES_MAX, &text, NULL, &ignored) < 0)
		return strdup(machine);
	for (size_t i = 0; i < SC_ARRAY_COUNT(cpu_keys); i++) {
		const char *value = find_value(text, cpu_keys[i], &bytes);

		if (value && bytes > 0)
			return copy_squeezed(value, bytes);
	}
	return strdup(machine);
}

static bool read_memory(const char *root, uint64_t *ret_bytes)
{
	SC_CLEANUP(sc_freep) char *text = NULL;
	struct sc_error ignored; /* the status says that it is not known */
	char path[PATH_MAX];
	const char *value;
	uint64_t kib;
	size_t bytes;

	(void)snprintf(path, sizeof(path), "%s/proc/meminfo", root);
	if (sc_file_read_all(path, FILE_BYTES_MAX, &text, NULL, &ignored) < 0)
		return false;
	value = find_value(text, "MemTotal", &bytes);
	if (!value || !sc_scan_u64(&value, &kib) || !sc_scan_text(&value, " kB"))
		return false;
	*ret_bytes = kib * 1024;
	return true;
}

/* The first number of "0.52 0.58 0.59 1/467 12345". */
static bool read_load(const char *root, double *ret_load)
{
	SC_CLEANUP(sc_freep) char *text = NULL;
	struct sc_error ignored; /* the status says that it is not known */
	char path[PATH_MAX];
	const char *at;
	uint64_t whole, hundredths;

	(void)snprintf(path, sizeof(path), "%s/proc/loadavg", root);
	if (sc_file_read_all(path, FILE_BYTES_MAX, &text, NULL, &ignored) < 0)
		return false;
	at = text;
	if (!sc_scan_u64(&at, &whole) || !sc_scan_text(&at, ".") ||
	    !sc_scan_u64(&at, &hundredths) || *at != ' ')
		return false;
	*ret_load = (double)whole + (double)hundredths / 100;
	return true;
}

int sc_host_read(const char *root, struct sc_host *ret_host, struct sc_error *error)
{
	SC_CLEANUP(sc_host_fini) struct sc_host host = {0};
	struct utsname names;
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (uname(&names) < 0)
		return sc_fail(error, -errno, "uname");

	host.name = strdup(names.nodename);
	if (asprintf(&host.kernel, "%s %s", names.sysname, names.release) < 0)
		host.kernel = NULL;
	host.cpu = cpu_model(root, names.machine);
	host.cpu_count = online > 0 ? (uint32_t)online : 1;
	host.memory_status = read_memory(root, &host.memory_bytes) ? SC_MEASURED : SC_UNSUPPORTED;
	host.load_status = read_load(root, &host.load) ? SC_MEASURED : SC_UNSUPPORTED;
	if (!host.name || !host.kernel || !host.cpu)
		return sc_fail(error, -ENOMEM, "reading what this machine is");

	*ret_host = host;
	memset(&host, 0, sizeof(host)); /* the caller's now */
	return 0;
}

void sc_host_fini(struct sc_host *host)
{
	free(host->name);
	free(host->kernel);
	free(host->cpu);
	*host = (struct sc_host){0};
}
