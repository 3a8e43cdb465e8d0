/* SPDX-License-Identifier: MIT */

/*
 * The calls on mappings of files. mmap names a descriptor, the others an address.
 *
 * Method. A mapping is forgotten before the kernel can give its address to another, and known when
 * the kernel has given it.
 */

#include <stdarg.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "file.h"
#include "real.h"
#include "record.h"

typedef void *(*mmap_function)(void *address, size_t size, int protection, int flags, int fd,
			       off64_t offset);

static void *counted_mmap(mmap_function real, void *address, size_t size, int protection, int flags,
			  int fd, off64_t offset)
{
	struct sc_tap_call call;
	void *result;

	if (!sc_tap_begin_fd(&call, fd, SC_OP_MMAP))
		return real(address, size, protection, flags, fd, offset);
	result = real(address, size, protection, flags, fd, offset);
	(void)sc_tap_end(&call, result == MAP_FAILED, 0); /* mapping changes no size */
	if (result != MAP_FAILED)
		sc_tap_map_add(result, size, call.file);
	return result;
}

#define MMAP(name)                                                                                 \
	void *sc_tap_raw_##name(void *address, size_t size, int protection, int flags, int fd,     \
				off_t offset)                                                      \
	{                                                                                          \
		/* NOLINTNEXTLINE: an address comes back as a number */                            \
		return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);    \
	}                                                                                          \
	void *name(void *address, size_t size, int protection, int flags, int fd, off_t offset)    \
	{                                                                                          \
		if (!sc_tap_is_on() || (flags & MAP_ANONYMOUS))                                    \
			return sc_tap_real_##name(address, size, protection, flags, fd, offset);   \
		return counted_mmap(sc_tap_real_##name, address, size, protection, flags, fd,      \
				    offset);                                                       \
	}

MMAP(mmap)
MMAP(mmap64)

void *sc_tap_raw_mremap(void *address, size_t size, size_t new_size, int flags, ...)
{
	void *target = NULL;
	va_list arguments;

	if (flags & MREMAP_FIXED) {
		va_start(arguments, flags);
		target = va_arg(arguments, void *);
		va_end(arguments);
	}
	return (void *)syscall(SYS_mremap, address, size, new_size, flags, target);
}

void *mremap(void *address, size_t size, size_t new_size, int flags, ...)
{
	struct sc_tap_call call;
	void *target = NULL, *result;
	va_list arguments;

	if (flags & MREMAP_FIXED) {
		va_start(arguments, flags);
		target = va_arg(arguments, void *);
		va_end(arguments);
	}
	if (!sc_tap_is_on() || !sc_tap_begin(&call, sc_tap_map_file(address), SC_OP_MMAP))
		return sc_tap_real_mremap(address, size, new_size, flags, target);

	sc_tap_map_remove(address, size);
	result = sc_tap_real_mremap(address, size, new_size, flags, target);
	(void)sc_tap_end(&call, result == MAP_FAILED, 0); /* mapping changes no size */
	if (result != MAP_FAILED)
		sc_tap_map_add(result, new_size, call.file);
	else
		sc_tap_map_add(address, size, call.file);
	return result;
}

int sc_tap_raw_munmap(void *address, size_t size)
{
	return (int)syscall(SYS_munmap, address, size);
}

int munmap(void *address, size_t size)
{
	struct sc_tap_call call;
	sc_tap_file file;
	int result;

	if (!sc_tap_is_on())
		return sc_tap_real_munmap(address, size);
	file = sc_tap_map_file(address);
	if (!sc_tap_begin(&call, file, SC_OP_MUNMAP))
		return sc_tap_real_munmap(address, size);
	sc_tap_map_remove(address, size);
	result = sc_tap_real_munmap(address, size);
	(void)sc_tap_end(&call, result == -1, 0); /* unmapping changes no size */
	return result;
}

int sc_tap_raw_msync(void *address, size_t size, int flags)
{
	return (int)syscall(SYS_msync, address, size, flags);
}

int msync(void *address, size_t size, int flags)
{
	struct sc_tap_call call;
	int result;

	if (!sc_tap_is_on() || !sc_tap_begin(&call, sc_tap_map_file(address), SC_OP_MSYNC))
		return sc_tap_real_msync(address, size, flags);
	result = sc_tap_real_msync(address, size, flags);
	(void)sc_tap_end(&call, result == -1, 0); /* writing back changes no size */
	return result;
}
