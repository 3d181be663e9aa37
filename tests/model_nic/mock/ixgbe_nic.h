/* Descriptors of the 82599 as the NIC sees them: what ixgbe's real receive and transmit functions run over. */
#pragma once

#include "../model.h"

enum { IXGBE_DESC = 16, IXGBE_CONTEXTS = 2 };

struct ixgbe_nic {
	/* What context descriptors said, by queue: packets name one of two. */
	struct frame context[MODEL_DATA_QUEUES][IXGBE_CONTEXTS];
};

/* The ring operations of the family; see model.h. */
uint16_t ixgbe_rx_peek(struct model *m, struct ring *r, struct frame *f, uint16_t max);
void ixgbe_rx_give(struct model *m, struct ring *r, const struct frame *f, uint16_t n);
uint16_t ixgbe_tx_take(struct model *m, struct ring *r, struct frame *f, uint16_t max,
	uint16_t *descs);
void ixgbe_tx_done(struct model *m, struct ring *r, uint16_t descs);
uint8_t *ixgbe_buffer(const struct ring *r, uint16_t i, bool rx);
