/* The way into a QEMU without a guest: its qtest socket reads and writes what a CPU would, its QMP
 * socket changes the machine. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct door {
	pthread_mutex_t lock; /* of a question and its answer */
	int qtest, qmp;       /* sockets; -1: closed */
	_Atomic bool broken;  /* QEMU is gone, or does not answer */
	char line[512];       /* bytes of qtest's next lines */
	size_t used;
	/* Called when the machine's interrupt controller sees a rising line. Thread: any. */
	void (*interrupt)(void *arg);
	void *arg;
};

/*
 * Open a door on these sockets, which it closes. Returns 0, or -EPIPE if QEMU does not answer, with the
 * door closed. Thread: the one that configures; the other functions: any.
 */
int door_open(struct door *d, int qtest, int qmp);
void door_close(struct door *d);

/* Read or write 1, 2, 4 or 8 bytes at a physical address. Reading behind a broken door gives all ones. */
uint64_t door_load(struct door *d, uint64_t address, uint8_t bytes);
void door_store(struct door *d, uint64_t address, uint8_t bytes, uint64_t value);

/* Read or write 4 bytes of the configuration space of device slot on bus 0. */
uint32_t door_config(struct door *d, unsigned slot, unsigned offset);
void door_config_set(struct door *d, unsigned slot, unsigned offset, uint32_t value);

/* Report interrupts that arrived between two questions. Returns false if the door is broken. */
bool door_look(struct door *d);

/* Carry out a QMP command, JSON in one line. Returns 0, or -EIO with QEMU's text in why. */
int door_command(struct door *d, const char *json, char *why, size_t size);
