/* What a chip family does for the model of a port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/frame.h"

#include <stdbool.h>
#include <stddef.h>

struct model;
struct ring;

enum { MODEL_QUEUE_DROP = 0xffff };

/* One chip family: registers and descriptor formats. One file each; state is the family's own. */
struct model_family {
	const char *name; /* as MODEL_NIC spells it: "xl710" */
	const char *text; /* for people: "Intel XL710 (i40e)" */
	uint16_t vendor_id, device_id;
	uint32_t bar_len; /* bytes, a multiple of the page */
	size_t state_size;
	uint16_t queues_max; /* data queues */
	struct {
		uint32_t offset, len;
	} open[4]; /* doorbell pages, not trapped; ended by len 0 */

	/*
	 * Power-on values of the registers and of state; the driver has not probed yet. Also on a
	 * reset that the driver asks for.
	 */
	void (*reset)(struct model *m);
	/* Registers: 32-bit, offset in the BAR, from whatever thread the driver uses. Read: before_read may refresh the value, after_read
	 * may clear it. Written: the BAR already holds value. Use model_reg()/model_reg_set(). */
	void (*before_read)(struct model *m, uint32_t offset);
	void (*after_read)(struct model *m, uint32_t offset);
	void (*written)(struct model *m, uint32_t offset, uint32_t old, uint32_t value);
	/*
	 * The link went up or down (link_up says so already): set registers, post the event, raise
	 * the interrupt with model_interrupt().
	 */
	void (*link)(struct model *m, bool up);
	/* What the driver writes into open pages and a family wants to know. watch: before a poll, while model_watch() is on; moved: frames, in
	 * the poll before. true: there is something to act upon first. act: then, in place of the
	 * poll, between register accesses. NULL: nothing. */
	bool (*watch)(struct model *m, unsigned moved);
	void (*act)(struct model *m);
	/*
	 * The card is about to reset itself: tell the driver as the card does. NULL: such resets
	 * are not modelled. Then reset() follows.
	 */
	void (*reset_announce)(struct model *m);
	/*
	 * The data queue of a packet: by the driver's filters, else by the redirection table for
	 * its hash; 0 without RSS; MODEL_QUEUE_DROP: a filter drops it. *hash: computed with the
	 * driver's key.
	 */
	uint16_t (*rss)(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash);

	/*
	 * What the card's clock makes of a packet that arrives: FRAME_PTP, FRAME_STAMPED, or 0.
	 * NULL: it has no clock.
	 */
	uint16_t (*arrived)(struct model *m, const uint8_t *pkt, uint32_t len);

	/*
	 * Rx: look at up to max armed buffers from head on (data, room in len), in ring order. Does
	 * not move.
	 */
	uint16_t (*rx_peek)(struct model *m, struct ring *r, struct frame *f, uint16_t max);
	/*
	 * Rx: write back n frames, MODEL_BURST at most, into the first n descriptors, in ring
	 * order, and move head.
	 */
	void (*rx_give)(struct model *m, struct ring *r, const struct frame *f, uint16_t n);
	/*
	 * Tx: the data descriptors from head on as frames; whole packets only, at most max frames.
	 * *descs: descriptors they used, context ones included.
	 */
	uint16_t (*tx_take)(struct model *m, struct ring *r, struct frame *f, uint16_t max,
		uint16_t *descs);
	/* Tx: report descs descriptors done where the driver asked to be told, and move head. */
	void (*tx_done)(struct model *m, struct ring *r, uint16_t descs);
	/*
	 * The buffer of descriptor i as the driver wrote it, NULL for one without (context). For
	 * the ownership map.
	 */
	uint8_t *(*buffer)(const struct ring *r, uint16_t i, bool rx);
};
