/* A modelled XL710 without a driver, a trap or traffic: registers, commands and rings by hand. */
#pragma once

#include "model_nic/xl710_aq.h"

enum {
	BED_BUFFER = 4096,
	BED_ROOM = 2048 /* in a packet buffer */,
	BED_QUEUE = 1 /* the first data queue: 0 is the flow director's */
};

extern struct model bed;

/* What the plugin would have done. */
extern unsigned bed_interrupts, bed_enabled, bed_disabled;
extern char bed_log[256]; /* the last line of level 0 or 1 */
extern struct model_nic_report bed_report;

/* Power on, with memory for the function and an admin queue. Group set-up and teardown: cmocka's, per test. */
int bed_set_up(void **state);
int bed_tear_down(void **state);

/* As the driver does it. */
uint32_t bed_read(uint32_t offset);
void bed_write(uint32_t offset, uint32_t value);

/*
 * Run a command: *c is sent and then holds the answer. buffer: BED_BUFFER bytes at most go along and come back, NULL: none.
 * Returns the result code.
 */
uint16_t bed_command(struct command *c, void *buffer, uint16_t bytes);

/* Firmware learns that the main VSI's queues begin at BED_QUEUE, 1 << power of them, strip: without their tags. */
void bed_vsi(unsigned power, bool strip);

/* An Rx context as the driver writes it; 0 in size: no ring. */
struct bed_rx {
	uint16_t size, buffer_bytes, frame_max;
	bool desc_32, crc_stays;
};

/* Contexts, and the queues switched on. Returns the ring. Its descriptors lie in bed_desc. */
struct ring *bed_rx_on(unsigned queue, struct bed_rx c);
struct ring *bed_tx_on(unsigned queue, uint16_t size);
void bed_rx_context(unsigned queue, struct bed_rx c);

/* Room for the largest ring of either kind, 128-byte aligned. */
extern uint8_t *bed_rx_desc, *bed_tx_desc;

/* Bytes of the function's private memory, direct or by pages. */
uint8_t *bed_private(void);
void bed_private_paged(void);

/* The two halves of descriptor i, or four quarters. */
uint64_t *bed_quads(const struct ring *r, unsigned i);

/* The address that the tests put into descriptor i. */
uint64_t bed_buffer_of(unsigned i);

/* Two reads: the second makes all counters new. */
uint64_t bed_counter(uint32_t offset);
