/* Capture packets of a port to a pcap file, through a libpcap filter, while forwarding goes on. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct captures;
struct err;
struct ports;

/* What `capture start` asks for. */
struct capture_plan {
	uint16_t port;
	const char *path;
	bool overwrite; /* a file that has content */
	bool rx, tx;
	const char *filter; /* libpcap's language; NULL: every packet */
	uint64_t max;       /* packets after which the capture ends; 0: none */
	uint32_t snaplen;   /* bytes kept of each packet, 1..65535 */
};

/*
 * No captures yet, on ports that stay the caller's and tell of those that leave, whose captures
 * end; NULL: no memory. Thread: control, all of this file.
 */
struct captures *captures_new(struct ports *ps);

/*
 * End all captures, as capture_stop(), and free all: ports are still there, no worker runs. NULL is
 * fine.
 */
void captures_free(struct captures *c);

/*
 * Begin to capture. Errors: ENODEV no such port; ENETDOWN it has no queues yet; EBUSY it is
 * captured already, or the file is written by another capture; EINVAL the filter, in libpcap's
 * words; what making the file said; ENOMEM.
 */
int capture_start(struct captures *c, const struct capture_plan *plan, struct err *e);

/*
 * End the capture of a port, or all for PORT_ALL, write what waits, say how many packets there are.
 * One that ended by itself since, by its maximum or a full disk, is told of once more. ENOENT: there
 * is none.
 */
int capture_stop(struct captures *c, uint16_t port, struct err *e);

/*
 * `show capture`: what is captured where to, and per capture seen == filtered + dropped + written
 * once it has ended; before, what waits to be written is in none of the three.
 */
void capture_show(struct captures *c);

/*
 * Tap queues that a captured port got since; before workers start. c NULL: nothing. Errors: ENOMEM,
 * ENOTSUP.
 */
int capture_apply(struct captures *c, struct err *e);

/*
 * Say which captures ended by themselves, and let go of what workers may have held; before each
 * prompt.
 */
void capture_tidy(struct captures *c);

/* The settings of this file (capture-buffer), for settings_add(). */
extern const struct setting capture_settings[];
extern const size_t capture_settings_n;
