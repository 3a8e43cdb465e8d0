/* SPDX-License-Identifier: MIT */

/*
 * The loader puts our library into programs that have an interpreter in their ELF header, which is
 * the loader itself, unless they run with rights that their user does not have.
 */

#include "program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#define SCRIPTS_MAX 5 /* interpreters of interpreters, as the kernel */

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_NONE /* not compared */
#endif

static bool can_execute(const char *path, int *ret_errno)
{
	struct stat facts;

	if (stat(path, &facts) != 0) {
		*ret_errno = errno;
		return false;
	}
	if (S_ISREG(facts.st_mode) && access(path, X_OK) == 0)
		return true;
	*ret_errno = EACCES;
	return false;
}

static int no_memory(struct sc_error *error)
{
	return sc_fail(error, -ENOMEM, "looking for the program");
}

int sc_run_program_find(const char *name, char **ret_path, struct sc_error *error)
{
	const char *list = getenv("PATH");
	int failure = ENOENT, seen = ENOENT;
	bool is_path = strchr(name, '/') != NULL;

	if (is_path || !name[0])
		list = "";
	else if (!list)
		list = "/bin:/usr/bin";
	while (name[0]) {
		size_t length = strcspn(list, ":");
		SC_CLEANUP(sc_freep) char *path = NULL;
		int printed = is_path ? asprintf(&path, "%s", name)
				      : asprintf(&path, "%.*s%s%s", (int)length, list,
						 length ? "/" : "", name);

		if (printed < 0) {
			path = NULL; /* undefined after a failure */
			return no_memory(error);
		}
		if (can_execute(path, &seen)) {
			*ret_path = SC_TAKE(path);
			return 0;
		}
		if (seen != ENOENT && seen != ENOTDIR)
			failure = seen;
		if (!list[length])
			break;
		list += length + 1;
	}
	(void)sc_fail(error, -failure, "run '%s'", name);
	return failure == ENOENT ? SC_RUN_NOT_FOUND : SC_RUN_CANNOT_RUN;
}

static int refuse(const char *path, const char *reason, const char *next, struct sc_error *error)
{
	(void)sc_fail(error, SC_E_UNMEASURABLE, "'%s' cannot be measured: %s", path, reason);
	return sc_hint(error, "%s", next);
}

/* Rights that the caller does not have make the loader ignore libraries that the caller names. */
static bool has_other_rights(const char *path)
{
	struct stat facts;

	if (getxattr(path, "security.capability", NULL, 0) > 0 && geteuid() != 0)
		return true;
	if (stat(path, &facts) != 0)
		return false;
	return ((facts.st_mode & S_ISUID) && facts.st_uid != getuid()) ||
	       ((facts.st_mode & S_ISGID) && (facts.st_mode & S_IXGRP) && facts.st_gid != getgid());
}

static bool read_at(int fd, uint64_t offset, void *data, size_t bytes)
{
	return pread(fd, data, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* Whether the headers name a loader; @loader: PATH_MAX bytes, its name. */
static bool find_loader(int fd, const Elf64_Ehdr *head, char *loader)
{
	for (unsigned i = 0; i < head->e_phnum; i++) {
		Elf64_Phdr part;

		if (!read_at(fd, head->e_phoff + (uint64_t)i * head->e_phentsize, &part,
			     sizeof(part)))
			return false;
		if (part.p_type != PT_INTERP)
			continue;
		if (part.p_filesz == 0 || part.p_filesz >= PATH_MAX ||
		    !read_at(fd, part.p_offset, loader, (size_t)part.p_filesz))
			return false;
		loader[part.p_filesz] = '\0';
		return true;
	}
	return false;
}

static int check_elf(const char *path, int fd, struct sc_error *error)
{
	char loader[PATH_MAX];
	Elf64_Ehdr head;

	if (!read_at(fd, 0, &head, sizeof(head)))
		return 0; /* the kernel will say what it is */
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || (MACHINE && head.e_machine != MACHINE))
		return refuse(path, "it is made for another kind of machine than syncost",
			      "use a syncost that is built for that one", error);
	if (!find_loader(fd, &head, loader))
		return refuse(path, "it is linked statically, so its calls pass no library",
			      "use a build of it that is linked dynamically", error);
	if (strstr(loader, "musl"))
		return refuse(path, "it uses musl, and syncost was built for another libc",
			      "use a syncost that is built with musl", error);
	return 0;
}

/* The interpreter in "#!/bin/sh -e"; @path has PATH_MAX bytes and is replaced. */
static bool next_interpreter(const char *head, char *path)
{
	const char *start = head + 2 + strspn(head + 2, " \t");
	size_t length = strcspn(start, " \t\n");

	if (strncmp(head, "#!", 2) != 0 || length == 0 || length >= PATH_MAX)
		return false;
	memcpy(path, start, length);
	path[length] = '\0';
	return true;
}

int sc_run_program_check(const char *path, struct sc_error *error)
{
	char current[PATH_MAX];

	if (strlen(path) >= sizeof(current))
		return 0;
	strcpy(current, path);
	for (int i = 0; i < SCRIPTS_MAX; i++) {
		SC_CLEANUP(sc_fd_closep) int fd = open(current, O_RDONLY | O_CLOEXEC);
		char head[256] = {0};

		if (has_other_rights(current))
			return refuse(current, "it runs with other rights than those of its caller",
				      "run it as the user that it becomes", error);
		if (fd < 0)
			return 0; /* may be executed, not read: the loader decides */
		if (pread(fd, head, sizeof(head) - 1, 0) < (ssize_t)SELFMAG)
			return 0;
		if (memcmp(head, ELFMAG, SELFMAG) == 0)
			return check_elf(current, fd, error);
		if (!next_interpreter(head, current))
			return 0;
	}
	return 0;
}
