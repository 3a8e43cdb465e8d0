/* SPDX-License-Identifier: MIT */

/*
 * Method. A symbol that the executable exports comes before libc's in the search order of every
 * shared library, so libsqlite3's calls arrive here; libc's function is the next one in that order
 * (under a sanitizer: its interceptor, which calls libc's). calls.def lists them; this file makes
 * from each row of a common kind a raw function and a hook, and from all rows the table.
 *
 * A hook of a tap that is off is one test and a jump to libc's function. A call that comes before
 * the constructor (from the loader, an allocator, another library's constructor) finds the raw
 * system call there.
 *
 * This object is built without sanitizers, large-file redirection and fortification, which would
 * each give the names another meaning.
 */

#include "hooks.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "file.h"
#include "real.h"
#include "record.h"
#include "transaction.h"

/* --- the bare system calls */

/* posix_fallocate() returns the error and leaves errno alone. */
static int sc_tap_raw_allocate(int fd, off_t offset, off_t size)
{
	int saved = errno;
	int error = syscall(SYS_fallocate, fd, 0, offset, size) == 0 ? 0 : errno;

	errno = saved;
	return error;
}

#define TAP_OWN(type, name, parameters) type(*sc_tap_real_##name) parameters = sc_tap_raw_##name;
#define TAP_FD(type, name, parameters, arguments, raw, op, result, after)                          \
	type sc_tap_raw_##name parameters                                                          \
	{                                                                                          \
		return (type)raw;                                                                  \
	}                                                                                          \
	TAP_OWN(type, name, parameters)
#define TAP_DATA(type, name, parameters, arguments, raw, op, data, offset, after)                  \
	TAP_FD(type, name, parameters, arguments, raw, op, MOVED, after)
#define TAP_PATH(type, name, parameters, arguments, raw, file, op, after)                          \
	TAP_FD(type, name, parameters, arguments, raw, op, STATUS, after)
#include "calls.def"
#undef TAP_OWN
#undef TAP_FD
#undef TAP_DATA
#undef TAP_PATH

/* --- the hooks on descriptors and names */

#define FAILED_STATUS(value) ((value) == -1)
#define FAILED_NUMBER(value) ((value) != 0)
#define BYTES_STATUS(value)  0u
#define BYTES_NUMBER(value)  0u

/* Apart, so that a hook of a tap that is off needs no stack. */
#define NOINLINE __attribute__((noinline))

#define HOOK(type, name, parameters, arguments)                                                    \
	type name parameters                                                                       \
	{                                                                                          \
		return sc_tap_is_on() ? counted_##name arguments : sc_tap_real_##name arguments;   \
	}

#define TAP_OWN(type, name, parameters)
#define TAP_FD(type, name, parameters, arguments, raw, op, meaning, after)                         \
	static NOINLINE type counted_##name parameters                                             \
	{                                                                                          \
		struct sc_tap_call call;                                                           \
		type result;                                                                       \
                                                                                                   \
		if (!sc_tap_begin_fd(&call, fd, op))                                               \
			return sc_tap_real_##name arguments;                                       \
		result = sc_tap_real_##name arguments;                                             \
		if (sc_tap_end(&call, FAILED_##meaning(result), BYTES_##meaning(result)))          \
			after;                                                                     \
		return result;                                                                     \
	}                                                                                          \
	HOOK(type, name, parameters, arguments)
#define TAP_DATA(type, name, parameters, arguments, raw, op, where, offset, after)                 \
	static NOINLINE type counted_##name parameters                                             \
	{                                                                                          \
		struct sc_tap_call call;                                                           \
		type result;                                                                       \
                                                                                                   \
		if (!sc_tap_begin_fd(&call, fd, op))                                               \
			return sc_tap_real_##name arguments;                                       \
		result = sc_tap_real_##name arguments;                                             \
		if (result > 0)                                                                    \
			sc_tap_show(&call, where, offset, (uint64_t)result);                       \
		if (sc_tap_end(&call, result<0, result> 0 ? (uint64_t)result : 0))                 \
			after;                                                                     \
		return result;                                                                     \
	}                                                                                          \
	HOOK(type, name, parameters, arguments)
#define TAP_PATH(type, name, parameters, arguments, raw, file, op, after)                          \
	static NOINLINE type counted_##name parameters                                             \
	{                                                                                          \
		struct sc_tap_call call;                                                           \
		uint64_t start_ns, end_ns;                                                         \
		type result;                                                                       \
                                                                                                   \
		if (sc_tap_is_inside())                                                            \
			return sc_tap_real_##name arguments;                                       \
		start_ns = sc_clock_real_ns();                                                     \
		result = sc_tap_real_##name arguments;                                             \
		end_ns = sc_clock_real_ns();                                                       \
		if ((result != -1 || errno != EFAULT) &&                                           \
		    sc_tap_note(&call, file, op, start_ns, end_ns, result == -1))                  \
			after;                                                                     \
		return result;                                                                     \
	}                                                                                          \
	HOOK(type, name, parameters, arguments)
#include "calls.def"
#undef TAP_OWN
#undef TAP_FD
#undef TAP_DATA
#undef TAP_PATH

/* --- the table */

#define TAP_OWN(type, name, parameters) {#name, (sc_tap_function)name, &sc_tap_real_##name},
#define TAP_FD(type, name, parameters, arguments, raw, op, result, after)                          \
	TAP_OWN(type, name, parameters)
#define TAP_DATA(type, name, parameters, arguments, raw, op, where, offset, after)                 \
	TAP_OWN(type, name, parameters)
#define TAP_PATH(type, name, parameters, arguments, raw, file, op, after)                          \
	TAP_OWN(type, name, parameters)
const struct sc_tap_hook sc_tap_hooks[] = {
#include "calls.def"
};
#undef TAP_OWN
#undef TAP_FD
#undef TAP_DATA
#undef TAP_PATH

const size_t sc_tap_hook_count = sizeof(sc_tap_hooks) / sizeof(sc_tap_hooks[0]);

sc_tap_function sc_tap_hook_real(const struct sc_tap_hook *hook)
{
	sc_tap_function real;

	memcpy(&real, hook->real, sizeof(real));
	return real;
}

/* A name this libc does not have stays a raw system call: nobody can have imported it. */
__attribute__((constructor)) static void find_real_functions(void)
{
	for (size_t i = 0; i < sc_tap_hook_count; i++) {
		void *symbol = dlsym(RTLD_NEXT, sc_tap_hooks[i].name);

		if (symbol)
			memcpy(sc_tap_hooks[i].real, &symbol, sizeof(symbol));
	}
}
