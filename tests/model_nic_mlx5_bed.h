/* A port of the mlx5 family without a driver: queues in plain memory, elements and doorbells written by hand. */
#pragma once

#include "model_nic/mock/mlx5_nic.h"
#include "model_nic/mock/mlx5_region.h"

enum {
	BED_COMPLETIONS = 32, /* of either queue */
	BED_ELEMENTS = 32,    /* of the receive queue */
	BED_BLOCKS = 16,      /* of the send queue */
	BED_NUMBER = 0x123,   /* the send queue's */
	BED_ROOM = 256,       /* bytes of a receive buffer */
	BED_EMPTY = 0xff,     /* what completions hold before they are written */
};

extern struct model bed;
extern struct ring *const bed_rx, *const bed_tx;
extern uint8_t bed_memory[65536]; /* packets; one region covers it */
extern uint32_t bed_key;
extern uint8_t bed_cq[BED_COMPLETIONS][MLX5_BLOCK];

/* A fresh receive queue; element i has its segments' buffers one after the other in bed_memory from bed_buffer(i, 0) on. */
void bed_rx_set(unsigned log_segments, unsigned zip);
uint8_t *bed_buffer(unsigned element, unsigned segment);
void bed_rx_post(uint32_t posted);

/* What the driver would do with a data segment's key: spoil that of an element. */
void bed_rx_spoil(unsigned element);

/* A fresh send queue. */
void bed_tx_set(void);

/* 16 bytes of it, in whatever round; and how it is rung. */
uint8_t *bed_segment(uint32_t i);
void bed_tx_post(uint16_t posted);

/* The driver has read completions up to this one. */
void bed_consumed(uint32_t n);

/* An element's first two segments, both of them cleared first. */
void bed_control(uint16_t element, uint32_t opcode, uint32_t segments, bool report);

/* Data by reference; inline, over the queue's end too. Returns segments used. */
uint32_t bed_data(uint32_t i, const uint8_t *p, uint32_t len);
uint32_t bed_inline(uint32_t i, const uint8_t *p, uint32_t len);

void bed_put16(uint8_t *p, uint16_t v);
void bed_put32(uint8_t *p, uint32_t v);
