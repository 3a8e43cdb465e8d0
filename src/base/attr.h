/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Cleanup attribute, ownership transfer and the destructors that go with them.
 * A destructor takes a pointer to the variable, accepts its empty value and may run twice.
 */

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SC_CLEANUP(fn)        __attribute__((cleanup(fn)))
#define SC_PRINTF(fmt, args)  __attribute__((format(printf, fmt, args)))
#define SC_ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Hands over the pointer and leaves NULL behind. */
#define SC_TAKE(pointer)                                                                           \
	__extension__({                                                                            \
		__typeof__(pointer) taken_ = (pointer);                                            \
		(pointer) = NULL;                                                                  \
		taken_;                                                                            \
	})

/* Hands over the descriptor and leaves -1 behind. */
#define SC_TAKE_FD(fd)                                                                             \
	__extension__({                                                                            \
		int taken_ = (fd);                                                                 \
		(fd) = -1;                                                                         \
		taken_;                                                                            \
	})

static inline void sc_freep(void *pointer)
{
	free(*(void **)pointer);
	*(void **)pointer = NULL;
}

static inline void sc_fd_closep(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd); /* the safety net; where it matters, it is closed explicitly */
	*fd = -1;
}

static inline void sc_filep(FILE **file)
{
	if (*file)
		(void)fclose(*file); /* the safety net, as above */
	*file = NULL;
}
