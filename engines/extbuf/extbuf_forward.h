/* Modes copy, attach and auto: received packets are copied into external memory, and copied out or
 * attached from there. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct extbuf;
struct rte_mbuf;
struct stream;

/*
 * Copy from[0..n) into the uninitialised mbuf m, and further mbufs if needed. Returns false if the
 * pool is empty; then m is uninitialised again.
 */
bool extbuf_copy_out(struct stream *s, const struct extbuf *x, struct rte_mbuf *m,
	const uint8_t *from, uint32_t n);

/*
 * Replace received packets by new ones with the same bytes: copy them into external memory, read as
 * many bytes as set, and copy them out or attach them. Frees the received ones. Returns how many
 * packets there are; the others are counted as absorbed, and by reason. Thread: the stream's
 * worker.
 */
uint16_t extbuf_forward(struct stream *s, struct rte_mbuf **pkts, uint16_t n);

/* Release the open buffer. */
void extbuf_forward_end(struct extbuf *x);
