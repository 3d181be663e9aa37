/* A worker's poll: takes packets from its rings, runs the stage, and puts them into rings back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ring_worker;

/*
 * Poll every ring that leads to the worker once. Returns the packets moved. Thread: the worker's
 * lcore.
 */
uint16_t ring_worker_poll(struct ring_worker *w);

/*
 * After stop: whether the worker has no packets left and will get none; if so, tells the I/O
 * lcores. Thread: the worker's lcore.
 */
bool ring_worker_finished(struct ring_worker *w);
