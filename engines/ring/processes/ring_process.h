/* Detects which of the processes that share a pipeline are alive. Each holds a file lock that the
 * kernel releases when the process ends; a PID would be useless in another PID namespace. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

/* The number of a process, which is never used again; 0: none. */
typedef uint32_t ring_number;

/* The number of the primary process. */
#define RING_PRIMARY ((ring_number)1)

/* This process; all zero before it has joined. */
struct ring_process {
	int fd;
	ring_number number;
	char path[PATH_MAX]; /* primary: the file, which it removes at the end; else empty */
};

/*
 * Get the path of the lock file. It is in EAL's runtime directory, which containers with EAL
 * processes share. path: PATH_MAX bytes.
 */
void ring_process_path(char *path);

/*
 * Primary: create the file anew and lock number RING_PRIMARY. Locks on an earlier file are not
 * affected. Errors: those of open(2) and fcntl(2). Thread: control.
 */
int ring_process_found(struct ring_process *own, const char *path, struct err *e);

/*
 * Secondary: take the next number from the shared count, and lock it. Errors: those of open(2) and
 * fcntl(2). Thread: control.
 */
int ring_process_join(struct ring_process *own, const char *path, _Atomic(ring_number) *count,
	struct err *e);

/*
 * Release the lock; the primary also removes the file. Does nothing if not joined. Thread: control.
 */
void ring_process_leave(struct ring_process *own);

/* Whether a process is alive, running or stopped, and has not called exec. Thread: any. */
bool ring_process_lives(const struct ring_process *own, ring_number number);
