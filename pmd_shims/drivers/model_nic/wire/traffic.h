/* What comes from and goes to the wire of one modelled port: source, sink, verification, faults. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/model.h"

struct model_nic_report;
struct port_config;

/*
 * NULL and a message in why (of size bytes) when a file is missing, a peer does not exist, memory
 * is short.
 */
struct traffic *traffic_open(struct model *m, const struct port_config *c, char *why, size_t size);

/* Write what is buffered (pcap), free. */
void traffic_close(struct traffic *t);

/* What was sent until now is in the files. Not during a poll. */
void traffic_flush(struct traffic *t);

/*
 * One poll for a port: take what the driver transmitted, give it new packets. Returns frames moved,
 * both ways together; 0: idle. Thread: the one that moves frames, or the caller of
 * model_nic_step().
 */
unsigned traffic_poll(struct model *m);

/*
 * The rings of a port were enabled or disabled: forget prefilled buffers and the ownership of that
 * ring's buffers. Called with the ring quiet.
 */
void traffic_ring_changed(struct model *m, struct ring *r, bool rx, bool enabled);

/*
 * Behind model_nic.h's functions of the same name; control.c calls them. Thread: any, also while a
 * poll runs.
 */
void traffic_report(struct traffic *t, struct model_nic_report *r);
void traffic_report_reset(struct traffic *t);
void traffic_pause(struct traffic *t, bool paused);
bool traffic_fault(struct traffic *t, const char *words, const char **why);
