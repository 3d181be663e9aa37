/* Mode storage: packets that point at a region which is never written to; what arrives can be
 * verified. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

struct err;
struct extbuf;
struct rte_mbuf;
struct stream;

/* Prepare to send from memory. Errors: as an engine's init(). */
int extbuf_storage_init(struct stream *s, struct err *e);

/*
 * Packets from storage, up to max; what was received before is checked and freed with
 * extbuf-verify.
 */
uint16_t extbuf_storage_source(struct stream *s, struct rte_mbuf **pkts, uint16_t max);

/* Let go of the region. */
void extbuf_storage_end(struct extbuf *x);
