/* The interface of a chip family to the model of a port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/frame.h"

#include <stdbool.h>
#include <stddef.h>

struct model;
struct ring;

enum { MODEL_QUEUE_DROP = 0xffff };

/* A chip family: registers and descriptor formats. Only the family accesses a model's state. */
struct model_family {
	const char *name; /* its name in MODEL_NIC: "xl710" */
	const char *text; /* its name in output: "Intel XL710 (i40e)" */
	uint16_t vendor_id, device_id;
	uint32_t bar_len; /* bytes, a multiple of the page size */
	struct {
		uint8_t index;
		uint32_t len;
	} bars[2]; /* the PCI BARs that follow each other in it; len 0 in the first: only BAR 0 */
	/*
	 * MSI-X of a card for a guest: its vectors, and the BAR of bytes that has their table and,
	 * from pending on, their pending bits.
	 */
	struct {
		uint16_t vectors;
		uint8_t bar;
		uint32_t bytes, pending;
	} msix;
	size_t state_size;
	uint16_t queues_max; /* data queues */
	struct {
		uint32_t offset, len;
	} open[4]; /* doorbell pages, not trapped; ended by len 0 */

	/*
	 * Set registers and state to their power-on values. Called before the driver probes, and
	 * for a reset.
	 */
	void (*reset)(struct model *m);
	/*
	 * The driver is about to read a 32-bit register, at offset bytes in the BAR: update its
	 * value by model_reg_set(). NULL: nothing to do. Thread: the driver's, also for after_read
	 * and written.
	 */
	void (*before_read)(struct model *m, uint32_t offset);
	/* The driver has read a register: clear it if it is cleared by reading. NULL: nothing. */
	void (*after_read)(struct model *m, uint32_t offset);
	/*
	 * The driver has written value to a register that had the value old; model_reg() already
	 * returns value. NULL: nothing to do.
	 */
	void (*written)(struct model *m, uint32_t offset, uint32_t old, uint32_t value);
	/*
	 * The link went up or down, and link_up is already set: update registers, post the event
	 * and raise the interrupt by model_interrupt().
	 */
	void (*link)(struct model *m, bool up);
	/*
	 * Check whether the driver has written something to open pages, where writes do not trap.
	 * Called before each poll while model_watch() is on. moved: frames moved in the last poll.
	 * Returns true to have act() called before anything is moved. NULL: nothing to watch.
	 */
	bool (*watch)(struct model *m, unsigned moved);
	/*
	 * React to what watch() found. Called in place of the poll, with register accesses of the
	 * driver locked out.
	 */
	void (*act)(struct model *m);
	/*
	 * The card is about to reset itself: notify the driver in the way of the card. reset() is
	 * called later. NULL: such resets are not modelled.
	 */
	void (*reset_announce)(struct model *m);
	/*
	 * Return once the card has everything that the driver has sent it so far. Called before a
	 * step, with no lock held. NULL: the card has it immediately.
	 */
	void (*wait_told)(struct model *m);
	/*
	 * True if a packet passes the driver's filters by MAC address and VLAN, which come before all
	 * others. NULL: every packet does.
	 */
	bool (*accepts)(const struct model *m, const uint8_t *pkt, uint32_t len);
	/*
	 * Choose the data queue of a packet by the driver's filters, else by its hash in the
	 * redirection table. Returns the queue; 0 without RSS; MODEL_QUEUE_DROP if a filter drops
	 * it. *hash: computed with the driver's key.
	 */
	uint16_t (*rss)(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash);

	/*
	 * Handle the arrival of a packet in the card's clock. Returns FRAME_PTP and FRAME_STAMPED
	 * as they apply, or 0. NULL: the card has no clock.
	 */
	uint16_t (*arrived)(struct model *m, const uint8_t *pkt, uint32_t len);

	/*
	 * Rx: read up to max armed buffers from head on, in ring order: f[i].data, and the room in
	 * f[i].len. Returns their number. Does not move head.
	 */
	uint16_t (*rx_peek)(struct model *m, struct ring *r, struct frame *f, uint16_t max);
	/*
	 * Rx: write n frames, at most MODEL_BURST, back to the first n descriptors in ring order,
	 * and move head.
	 */
	void (*rx_give)(struct model *m, struct ring *r, const struct frame *f, uint16_t n);
	/*
	 * Tx: read data descriptors from head on as frames: whole packets only, at most max frames.
	 * Returns the number of frames. *descs: number of their descriptors, including context
	 * descriptors.
	 */
	uint16_t (*tx_take)(struct model *m, struct ring *r, struct frame *f, uint16_t max,
		uint16_t *descs);
	/* Tx: mark descs descriptors as done where the driver asked for a report; move head. */
	void (*tx_done)(struct model *m, struct ring *r, uint16_t descs);
	/*
	 * The buffer of descriptor i as the driver wrote it, for the ownership map; NULL for a
	 * context descriptor.
	 */
	uint8_t *(*buffer)(const struct ring *r, uint16_t i, bool rx);

	/*
	 * The rest is for a card outside of this process, which moves its frames itself: only reset()
	 * and link() of the functions above are called. NULL: a card that is modelled here.
	 *
	 * Check that there can be such a card on this machine. Returns 0, or -1 with one line in why.
	 */
	int (*present)(char *why, size_t size);
	/*
	 * on: connect to the card, which is in its power-on state; else let go of it. Returns 0, or
	 * -errno after a line of model_log().
	 */
	int (*power)(struct model *m, bool on);
	/* Read or write 1, 2, 4 or 8 bytes of the BARs. Thread: the driver's. */
	uint64_t (*load)(struct model *m, uint32_t offset, uint8_t bytes);
	void (*store)(struct model *m, uint32_t offset, uint8_t bytes, uint64_t value);
	/*
	 * Registers of a card that is gone which do not read as all ones, because its driver waits for
	 * another value without a limit: a port could never be closed. Ended by offset 0.
	 */
	struct {
		uint32_t offset, value;
	} gone[3];
	/* Read 4 bytes of the PCI configuration space. */
	uint32_t (*config)(struct model *m, unsigned offset);
	/* The name of the card whose virtual function this is; NULL: this is a card. */
	const char *function_of;
	/* Let the card reach more of this process's memory, at the same address. Returns 0 or -errno. */
	int (*reach)(struct model *m, void *address, size_t len);
};

/* True for a card outside of this process. */
static inline bool
family_is_outside(const struct model_family *f)
{
	return f->load != NULL;
}
