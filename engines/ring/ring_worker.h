/* A worker's poll: packets from its rings go through the stage, and on to the rings back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ring_worker;

/*
 * One look at every ring that leads to the worker. Returns packets moved. Thread: the worker's
 * lcore.
 */
uint16_t ring_worker_poll(struct ring_worker *w);

/*
 * After stop: whether all that will ever come is through; then says so to the I/O lcores. Thread:
 * as above.
 */
bool ring_worker_finished(struct ring_worker *w);
