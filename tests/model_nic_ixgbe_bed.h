/* A modelled 82599 on the bed: queues on and off by hand. */
#pragma once

#include "model_nic_bed.h"

/* Power on. Set-up and teardown: cmocka's, per test. */
int bed_set_up(void **state);
int bed_tear_down(void **state);

/* Blocks of registers. */
uint32_t bed_rx_block(unsigned queue);
uint32_t bed_tx_block(unsigned queue);

/* As the driver starts a queue of size descriptors, engines included; Rx buffers of that many KiB. Returns the ring. */
struct ring *bed_rx_on(unsigned queue, uint16_t size, unsigned kilobytes);
struct ring *bed_tx_on(unsigned queue, uint16_t size);

/* What the model does before a turn; moved: frames in the turn before. Returns whether there was something to act upon. */
bool bed_turn(unsigned moved);
