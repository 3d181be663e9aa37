/* Capture packets of a port to a pcap file, with a libpcap filter, during forwarding. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/base.h"
#include "base/setting.h"
#include "record/capture_tap.h"

#include <rte_config.h>

#include <pcap/pcap.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct captures;
struct err;
struct ports;

/* A pcap file with nanosecond timestamps that ends with a complete packet even if the disk is full;
 * private to capture. */

struct capture_file {
	pcap_t *shape; /* link type, snaplen and precision, for libpcap */
	pcap_dumper_t *dumper;
	int fd;                        /* of the same file, for length and lock */
	uint64_t bytes;                /* passed to libpcap */
	uint64_t safe;                 /* bytes flushed */
	uint64_t copies;               /* packets passed to libpcap */
	uint64_t written;              /* packets flushed */
	int error;                     /* errno of the first failure; 0: none */
	uint64_t wall_ns, tsc, tsc_hz; /* wall clock and TSC at the same moment */
};

/* The writer thread of a capture: moves copies from the taps' rings to the file; private to
 * capture. */

#define CAPTURE_TAPS_MAX (2 * RTE_MAX_QUEUES_PER_PORT) /* receive and transmit queues of a port */

struct err;

struct capture_writer {
	struct capture_want *want;
	struct capture_file file;
	uint64_t max; /* packets; 0: no limit */
	struct capture_tap *taps[CAPTURE_TAPS_MAX];
	atomic_uint n_taps; /* by control: taps[0..n_taps) are valid */
	pthread_t thread;
	atomic_bool closing;  /* by control: all taps are closed */
	atomic_bool finished; /* by the writer: max is reached, or writing failed */
	counter written;      /* by the writer: packets written to the file */
	uint64_t taken;       /* packets removed from the rings; used by the writer while it runs */
};

/* What `capture start` asks for. */
struct capture_plan {
	uint16_t port;
	const char *path;
	bool overwrite; /* also if the file is not empty */
	bool rx, tx;
	const char *filter; /* libpcap's language; NULL: every packet */
	uint64_t max;       /* packets after which the capture ends; 0: none */
	uint32_t snaplen;   /* bytes kept of each packet, 1..65535 */
};

/*
 * Create an empty list of captures for ports ps, which the caller owns. Registers in ps->leaving:
 * the capture of a port ends before the port is closed. Returns NULL without memory. Thread:
 * control, all of this file.
 */
struct captures *captures_new(struct ports *ps);

/*
 * End all captures like capture_stop(), and free c (may be NULL). The ports must still exist, and
 * no worker may run.
 */
void captures_free(struct captures *c);

/*
 * Start a capture. Errors: ENODEV no such port; ENETDOWN the port has no queues yet; EBUSY the port
 * is already captured, or another capture writes the file; EINVAL wrong filter, with libpcap's
 * message; ENOMEM; errors of creating the file.
 */
int capture_start(struct captures *c, const struct capture_plan *plan, struct err *e);

/*
 * End the capture of a port, or all for PORT_ALL: write the waiting packets and print the packet
 * counts. A capture that ended earlier (packet limit, full disk) is reported again. Errors: ENOENT
 * no such capture.
 */
int capture_stop(struct captures *c, uint16_t port, struct err *e);

/*
 * Print show capture: the captures with their files and counters. After the end of a capture seen
 * == filtered + dropped + written; before, packets not yet written are only in seen.
 */
void capture_show(struct captures *c);

/*
 * Tap the queues that captured ports got since the start of their capture; call before workers
 * start. c may be NULL. Errors: ENOMEM, ENOTSUP.
 */
int capture_apply(struct captures *c, struct err *e);

/*
 * Report the captures that have ended (packet limit, full disk) and free memory that workers no
 * longer use. Called before each prompt.
 */
void capture_tidy(struct captures *c);

/* Settings of captures (capture-buffer), for settings_add(). */
extern const struct setting_table capture_settings;
