/* A modelled XL710 without a driver, a trap or traffic: registers, commands and rings by hand. */
#pragma once

#include "model_nic/xl710_aq.h"
#include "model_nic_bed.h"

enum {
	BED_BUFFER = 4096,
	BED_QUEUE = 1 /* the first data queue: 0 is the flow director's */
};

/* Power on, with memory for the function and an admin queue. Group set-up and teardown: cmocka's, per test. */
int bed_set_up(void **state);
int bed_tear_down(void **state);

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

/* Bytes of the function's private memory, direct or by pages. */
uint8_t *bed_private(void);
void bed_private_paged(void);

/* Two reads: the second makes all counters new. */
uint64_t bed_counter(uint32_t offset);
