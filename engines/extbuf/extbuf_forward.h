/* Modes copy, attach and auto: received packets are copied into application memory, and copied
 * out or attached from there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct extbuf;
struct rte_mbuf;
struct stream;

/*
 * Write from[0..n) into raw m and as many more mbufs as that takes; false when the pool ran dry,
 * then m is raw again.
 */
bool extbuf_copy_out(struct stream *s, const struct extbuf *x, struct rte_mbuf *m,
	const uint8_t *from, uint32_t n);

/*
 * Replace received packets by fresh ones with the same bytes, through application memory: copied
 * in, touched, and copied out or attached. The received ones are freed. Returns how many there are
 * now; the others are counted absorbed, with the reason. Thread: the stream's worker.
 */
uint16_t extbuf_forward(struct stream *s, struct rte_mbuf **pkts, uint16_t n);

/* Let go of the buffer that is being filled. */
void extbuf_forward_end(struct extbuf *x);
