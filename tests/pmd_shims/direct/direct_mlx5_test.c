/* Forwarding without mbufs on mlx5's mock NIC: keys of memory, blocks of elements, errors, compressed completions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/direct_ports.h"
#include "fixtures/rig.h"
#include "fixtures/unit.h"
#include "pmd_shims/direct/direct.h"
#include "pmd_shims/recycle/mlx5/mlx5.h"

#include <rte_common.h>

#include <stdlib.h>
#include <string.h>

/* The first mlx5 port, and the binding that sends on it. */
static struct direct *
mlx5_sender(void)
{
	const uint16_t port = rig.is_mlx5[0] ? 0 : 1;

	return direct_ports.of[1 - port];
}

/* Some turns, in which at least one burst was left to the drivers' functions, but not all. */
static void
some_by_mbufs(void)
{
	const uint64_t by_mbufs = direct_ports.by_mbufs, received = direct_ports.received;

	direct_ports_turns(50);
	assert_true(direct_ports.by_mbufs > by_mbufs);
	assert_true(direct_ports.received > received + 25 * RIG_PORTS * 8u);
}

/* mlx5's functions look up the keys of memory again if any region was removed. */
static void
mlx5_keys(void)
{
	const struct mlx5_tx_layout *l = MLX5_TX_BUILT;

	direct_ports_open(256);
	some_by_mbufs();
	for (unsigned int i = 0; i < 20; i++) {
		(*(uint32_t *)shim_pointer(mlx5_sender()->to.txq, l->newest))++;
		some_by_mbufs();
	}
	direct_ports_close();
}

/* No mbuf is armed after the driver has found a buffer in another region; its functions go on. */
static void
mlx5_regions(void)
{
	struct direct *d;
	uint16_t *keys;

	direct_ports_open(256);
	direct_ports_turns(50);
	d = direct_ports.of[rig.is_mlx5[0] ? 0 : 1];
	keys = shim_at(d->from.rxq, MLX5_RX_BUILT->keys);
	assert_true(direct_usable(d));
	*keys += 1;
	assert_false(direct_usable(d));
	direct_pause(d);
	assert_int_equal(d->rx_ops->open(d), 0);
	*keys -= 1;
	assert_true(direct_usable(d));
	direct_ports_close();
}

/* Return the blocks that n packets take. packets: maximum packets of an element. */
static uint16_t
blocks_of(uint16_t n, uint16_t packets)
{
	uint16_t blocks = 0;

	for (; n > 0; n -= RTE_MIN(n, packets))
		blocks += (2 + RTE_MIN(n, packets) + 3) / 4;
	return blocks;
}

/* There is room for as many packets as there are free blocks for, and no more. */
static void
mlx5_blocks(void)
{
	const struct mlx5_tx_layout *l = MLX5_TX_BUILT;
	uint16_t *freed, packets, n = 0;
	struct direct *d;

	direct_ports_open(256);
	d = mlx5_sender();
	packets = strstr(d->to.path, "Enhanced") != NULL ? 32 : 1;
	freed = shim_at(d->to.txq, l->freed_wqe);
	for (uint16_t blocks = 0; blocks <= 60; blocks++) {
		*freed = shim_u16(d->to.txq, l->wqe_next) + blocks -
			shim_u16(d->to.txq, l->wqe_size);
		while (blocks_of(n + 1, packets) <= blocks)
			n++;
		d->tx_ops->begin(d);
		assert_int_equal(d->room, RTE_MIN(n, 256));
	}
	*freed = shim_u16(d->to.txq, l->wqe_next);
	direct_ports_unbind();
	direct_ports_stop();
}

/* An element that is in error: mlx5's function makes the queue ready again. */
static void
mlx5_tx_error(void)
{
	const struct mlx5_tx_layout *l = MLX5_TX_BUILT;

	direct_ports_open(256);
	direct_ports_turns(50);
	for (unsigned int i = 0; i < 20; i++) {
		struct direct *d = mlx5_sender();
		const uint16_t before = shim_u16(d->to.txq, l->wqe_next);
		char *element = (char *)shim_pointer(d->to.txq, l->wqes) +
			(before & shim_u16(d->to.txq, l->wqe_mask)) * 64;

		direct_ports_poll(d->from.port, RIG_BURST);
		assert_int_not_equal(shim_u16(d->to.txq, l->wqe_next), before);
		/* The key of its first packet. */
		*(uint32_t *)(void *)(element + 2 * 16 + 4) = 0;
		direct_ports.bad_keys[d->to.port]++;
		some_by_mbufs();
	}
	direct_ports_close();
}

/* Completions are refused if they may be compressed, and left to mlx5's function if they are. */
static void
mlx5_compressed(void)
{
	rig_start(256, 32, 0);
	direct_ports_refused("rxq_cqe_comp_en=0");
	direct_ports_stop();
	direct_ports.hide_byte_mask = true;
	direct_ports.by_mbufs = 0;
	direct_ports_seeds();
	/* Whether a completion comes alone, and so not compressed, is chance: in one of some 60 seeds. */
	assert_true(direct_ports.by_mbufs > 0);
}

int
main(void)
{
	static const struct rig_case compressed[] = { { "mlx5_compressed", mlx5_compressed,
		RIG_NICS, NULL, direct_ports_print_seed } };
	static const struct rig_case cases[] = {
		{ "mlx5_blocks", mlx5_blocks, RIG_NICS, NULL, NULL },
		{ "mlx5_regions", mlx5_regions, RIG_NICS, NULL, NULL },
		{ "mlx5_keys", mlx5_keys, RIG_NICS, NULL, NULL },
		{ "mlx5_tx_error", mlx5_tx_error, RIG_NICS, NULL, NULL },
	};

	return strstr(getenv("MOCK_PORT"), "zip=") != NULL
		? rig_main(compressed, ARRAY_SIZE(compressed))
		: rig_main(cases, ARRAY_SIZE(cases));
}
