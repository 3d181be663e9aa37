/* See model_nic_ixgbe_bed.h. */
#include "model_nic_ixgbe_bed.h"

enum { RX_ENGINE = 0x3000, TX_ENGINE = 0x4a80, ENABLE = 1 << 25 };

int
bed_set_up(void **state)
{
	bed_power_on(&model_82599);
	return 0;
}

int
bed_tear_down(void **state)
{
	bed_power_off();
	return 0;
}

uint32_t
bed_rx_block(unsigned queue)
{
	return 0x1000 + 0x40 * queue;
}

uint32_t
bed_tx_block(unsigned queue)
{
	return 0x6000 + 0x40 * queue;
}

/* Into pages that do not trap. */
static void
queue_write(uint32_t block, const uint8_t *desc, uint16_t size)
{
	model_reg_set(&bed, block, (uint32_t)(uintptr_t)desc);
	model_reg_set(&bed, block + 4, (uint32_t)((uint64_t)(uintptr_t)desc >> 32));
	model_reg_set(&bed, block + 8, size * 16u);
	model_reg_set(&bed, block + 0x10, 0);
	model_reg_set(&bed, block + 0x18, 0);
	model_reg_set(&bed, block + 0x28, model_reg(&bed, block + 0x28) | ENABLE);
}

struct ring *
bed_rx_on(unsigned queue, uint16_t size, unsigned kilobytes)
{
	bed_write(RX_ENGINE, 0);
	bed_write(0x2100 + 4 * queue, kilobytes | 1 << 25);
	queue_write(bed_rx_block(queue), bed_rx_desc, size);
	bed_write(RX_ENGINE, 1);
	return &bed.rx[queue];
}

struct ring *
bed_tx_on(unsigned queue, uint16_t size)
{
	bed_write(TX_ENGINE, 0);
	queue_write(bed_tx_block(queue), bed_tx_desc, size);
	bed_write(TX_ENGINE, 1);
	return &bed.tx[queue];
}

bool
bed_turn(unsigned moved)
{
	bool differs = bed.family->watch(&bed, moved);

	if (differs)
		bed.family->act(&bed);
	return differs;
}
