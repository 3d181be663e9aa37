/* Virtual functions of QEMU's igb: devices of the same QEMU, whose registers are another window on the
 * card. Its own driver answers them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/model.h"
#include "pmd_shims/drivers/model_nic/qemu/door.h"
#include "pmd_shims/drivers/model_nic/qemu/qemu.h"

#include <errno.h>

enum {
	BAR_BYTES = 16 << 10,
	BARS_FIRST = 4, /* in steps, behind the card's own */

	/* RXDCTL of both queues of a function: a bit is set while the queue is enabled. */
	RXDCTL_0 = 0x2828,
	RXDCTL_1 = 0x2928,

	/* Configuration space of Express devices, 4 KiB each, where the chipset shows it in memory. */
	SPACE_AT = (int)0xb0000000,
	SPACE_SHIFT = 12,
	CHIPSET_SPACE_AT = 0x60, /* register of the chipset, slot 0 */
	CHIPSET_SPACE_ON = 1,

	COMMAND = 4,
	COMMAND_MEMORY_MASTER = 6, /* QEMU needs both bits set; the standard does not */
	CAPABILITIES = 0x100,
	CAPABILITY_SRIOV = 0x10,
	/* Registers of that capability. */
	SRIOV_CONTROL = 0x08,
	SRIOV_ENABLE = 0x1,
	SRIOV_MEMORY = 0x8,
	SRIOV_TOTAL = 0x0e,
	SRIOV_NUMBER = 0x10,
	SRIOV_OFFSET = 0x14,
	SRIOV_STRIDE = 0x16,
	SRIOV_BAR = 0x24,
};

/* Where the configuration space of a device on bus 0 is. */
static uint64_t
space(unsigned function)
{
	return (uint32_t)SPACE_AT + ((uint64_t)function << SPACE_SHIFT);
}

/* The address of the card's capability for virtual functions; 0: it has none. */
static uint64_t
sriov_find(struct door *d, uint64_t card)
{
	for (unsigned at = CAPABILITIES, n = 0; at >= CAPABILITIES && n < 64; n++) {
		const uint32_t head = (uint32_t)door_load(d, card + at, 4);

		if ((head & 0xffff) == CAPABILITY_SRIOV)
			return card + at;
		at = head >> 20;
	}
	return 0;
}

int
functions_enable(struct model *m, struct door *d, unsigned n)
{
	const unsigned first = QEMU_SLOT << 3;
	uint64_t at, offset, stride;

	if (n == 0)
		return 0;
	door_config_set(d, 0, CHIPSET_SPACE_AT + 4, 0);
	door_config_set(d, 0, CHIPSET_SPACE_AT, (uint32_t)SPACE_AT | CHIPSET_SPACE_ON);
	at = sriov_find(d, space(first));
	if (at == 0 || door_load(d, at + SRIOV_TOTAL, 2) < n) {
		model_log(m, 0, "QEMU's card has no %u virtual functions", n);
		return -ENOTSUP;
	}
	door_store(d, at + SRIOV_NUMBER, 2, n);
	door_store(d, at + SRIOV_BAR, 4, (uint32_t)QEMU_BARS_AT + BARS_FIRST * QEMU_BAR_STEP);
	door_store(d, at + SRIOV_BAR + 4, 4, 0);
	door_store(d, at + SRIOV_CONTROL, 2, SRIOV_ENABLE | SRIOV_MEMORY);
	offset = door_load(d, at + SRIOV_OFFSET, 2);
	stride = door_load(d, at + SRIOV_STRIDE, 2);
	for (unsigned i = 0; i < n; i++)
		door_store(d, space(first + (unsigned)(offset + i * stride)) + COMMAND, 2,
			COMMAND_MEMORY_MASTER);
	return 0;
}

static const struct model *
card_of(const struct model *m)
{
	return model_port(config_current.port[m->port].pf);
}

/* The window of a function follows that of the one before. */
static uint64_t
address_of(const struct model *m, uint32_t offset)
{
	const unsigned number =
		config_functions(&config_current, config_current.port[m->port].pf, m->port);

	return (uint32_t)QEMU_BARS_AT + BARS_FIRST * QEMU_BAR_STEP + number * BAR_BYTES +
		(uint64_t)offset;
}

static int
power(struct model *m, bool on)
{
	if (!on || qemu_door(card_of(m)) != NULL)
		return 0;
	model_log(m, 0, "its card, port %u, is not there", card_of(m)->port);
	return -ENODEV;
}

static uint64_t
load(struct model *m, uint32_t offset, uint8_t bytes)
{
	return qemu_load(m, qemu_door(card_of(m)), address_of(m, offset), offset, bytes);
}

static void
store(struct model *m, uint32_t offset, uint8_t bytes, uint64_t value)
{
	struct door *d = qemu_door(card_of(m));

	if (d != NULL)
		door_store(d, address_of(m, offset), bytes, value);
}

static int
reach(struct model *m, void *address, size_t len)
{
	struct model *card = model_port(config_current.port[m->port].pf);

	return qemu_door(card) != NULL ? card->family->reach(card, address, len) : -ENODEV;
}

static void
reset(struct model *m)
{
}

const struct model_family model_igbvf = {
	.name = "igbvf",
	.text = "a virtual function of QEMU's Intel 82576 (igb)",
	.vendor_id = 0x8086,
	.device_id = 0x10ca,
	.queues_max = 1,
	.bar_len = BAR_BYTES,
	.function_of = "igb",
	.reset = reset,
	.power = power,
	.load = load,
	.store = store,
	.reach = reach,
	/* Source: igbvf_stop_adapter(), DPDK 22.11 and later. */
	.gone = { { RXDCTL_0, 0 }, { RXDCTL_1, 0 } },
};
