/* Traffic of a modelled port's wire: source, sink, verification, faults. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/frame.h"
#include "pmd_shims/drivers/model_nic/model.h"

struct model_nic_report;
struct port_config;
struct traffic;

/* Handling of packets sent by the driver. */

/*
 * Handle n frames of whole packets that the driver has sent: pass them to a listening port (NULL:
 * none), write them to a file, or verify them.
 */
void sink(struct traffic *t, const struct frame *f, uint16_t n, struct traffic *to);

/*
 * Open the traffic of a port. c: must exist as long as the traffic. Returns NULL with the reason in
 * why (of size bytes): a file cannot be used, a fault is not supported, memory is short.
 */
struct traffic *traffic_open(struct model *m, const struct port_config *c, char *why, size_t size);

/* Write buffered packets to pcap files, and free the traffic; NULL is fine. */
void traffic_close(struct traffic *t);

/* Write buffered packets to pcap files. Not during a poll. */
void traffic_flush(struct traffic *t);

/*
 * Poll a port: handle packets sent by the driver, give it new packets. Returns frames moved, both
 * directions together; 0: idle. Thread: the one that moves frames, or the caller of
 * model_nic_step().
 */
unsigned traffic_poll(struct model *m);

/*
 * Take the filters that a driver has programmed: it does not wait until the card has them, but a card
 * takes microseconds, however long the thread that moves frames did not run. Thread: as
 * traffic_poll().
 */
void traffic_filters_take(struct traffic *t);

/*
 * A ring was enabled or disabled: forget buffers that were already written, and the ownership of
 * this ring's buffers. Called while no frames are moved.
 */
void traffic_ring_changed(struct model *m, struct ring *r, bool rx, bool enabled);

/*
 * Implement the functions of model_nic.h with these names. Thread: any, also while a poll runs.
 */
void traffic_report(struct traffic *t, struct model_nic_report *r);
void traffic_report_reset(struct traffic *t);
void traffic_pause(struct traffic *t, bool paused);
bool traffic_fault(struct traffic *t, const char *words, const char **why);
