/* Which of the processes that share a pipeline live. Each holds a lock that the kernel drops when
 * the process ends, however it does: a pid says nothing in another PID namespace. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct err;

/* A process of a pipeline, that no other one is ever numbered as; 0: none. */
typedef uint32_t ring_number;

/* The primary process, which is there first. */
#define RING_PRIMARY ((ring_number)1)

/* This process among them; all zero before it is. */
struct ring_process {
	int fd;
	ring_number number;
	char path[PATH_MAX]; /* of the primary, which takes the file away; empty: another's */
};

/*
 * The file of the locks lies where EAL's processes meet, which containers have to share for EAL.
 * path: PATH_MAX bytes.
 */
void ring_process_path(char *path);

/*
 * Primary: make the file anew and be number RING_PRIMARY. Who still holds locks of an earlier one
 * keeps those. Errors: of open(2) and fcntl(2). Thread: control, as the next two.
 */
int ring_process_found(struct ring_process *own, const char *path, struct err *e);

/* Any other: take a number from the count that all share, and lock it. Errors: as above. */
int ring_process_join(struct ring_process *own, const char *path, _Atomic(ring_number) *count,
	struct err *e);

/* Undo either, and the primary's file; nothing when there is nothing to undo. */
void ring_process_leave(struct ring_process *own);

/* Whether it is there and has not become another program; a stopped one is. Thread: any. */
bool ring_process_lives(const struct ring_process *own, ring_number number);
