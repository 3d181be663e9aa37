/* Places in a driver's queues as its own headers have them: compiled once per driver, with
 * LAYOUT_I40E, LAYOUT_IXGBE or LAYOUT_MLX5. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/shim_layout_check.h"

#include <ethdev_driver.h>
#include <rte_version.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#define PLACE(layout, field, queue, member) \
	{ \
#member, offsetof(struct layout, field), offsetof(struct queue, member) \
	}
#define RX(field, member) PLACE(RX_LAYOUT, field, RX_QUEUE, member)
#define TX(field, member) PLACE(TX_LAYOUT, field, TX_QUEUE, member)

#ifdef LAYOUT_MLX5
/* The driver has headers of the same names. */
#include "pmd_shims/mlx5/mlx5_rx.h"
#include "pmd_shims/mlx5/mlx5_tx.h"

#include <mlx5.h>
#include <mlx5_rx.h>
#include <mlx5_tx.h>
#define RX_LAYOUT mlx5_rx_layout
#define TX_LAYOUT mlx5_tx_layout
#define RX_QUEUE mlx5_rxq_data
#define TX_QUEUE mlx5_txq_data
#define RX_ROWS mlx5_rx_layouts
#define TX_ROWS mlx5_tx_layouts
#define RX_FIRST doorbell
#define TX_FIRST head
#define TX_LAST slots
#elif defined(LAYOUT_I40E)
#include "pmd_shims/intel/i40e_layout.h"

#include <i40e_ethdev.h>
#include <i40e_rxtx.h>
#define RX_ROWS i40e_rx_layouts
#define TX_ROWS i40e_tx_layouts
#define OLD_RX_QUEUE i40e_rx_queue
#define OLD_TX_QUEUE i40e_tx_queue
#else
#include "pmd_shims/intel/ixgbe_layout.h"

#include <ixgbe_ethdev.h>
#include <ixgbe_rxtx.h>
#define RX_ROWS ixgbe_rx_layouts
#define TX_ROWS ixgbe_tx_layouts
#define OLD_RX_QUEUE ixgbe_rx_queue
#define OLD_TX_QUEUE ixgbe_tx_queue
#endif

#ifndef LAYOUT_MLX5
#define RX_LAYOUT intel_rx_layout
#define TX_LAYOUT intel_tx_layout
#define RX_FIRST pool
#define TX_FIRST ring
#define TX_LAST queue
#if RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0)
#define RX_QUEUE ci_rx_queue
#define TX_QUEUE ci_tx_queue
#else
#define RX_QUEUE OLD_RX_QUEUE
#define TX_QUEUE OLD_TX_QUEUE
#endif
#endif

static const struct layout_place rx_places[] = {
#ifdef LAYOUT_MLX5
	RX(doorbell, rq_db),
	RX(port, port_id),
	RX(armed, rq_ci),
	RX(received, rq_pi),
	RX(refill, rq_repl_thresh),
	RX(keys, mr_ctrl.cache_bh.len),
	RX(elements, wqes),
	RX(slots, elts),
	RX(pool, mp),
	RX(queue, idx),
	RX(fake, fake_mbuf),
#else
	RX(sw_ring, sw_ring),
	RX(size, nb_rx_desc),
	RX(tail, rx_tail),
	RX(rearm_n, rxrearm_nb),
	RX(rearm_start, rxrearm_start),
	RX(port, port_id),
	RX(queue, queue_id),
	RX(fake, fake_mbuf),
#if defined(LAYOUT_I40E) || RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0)
	RX(pool, mp),
	RX(ring, rx_ring),
	RX(doorbell, qrx_tail),
#else
	RX(pool, mb_pool),
	RX(ring, rx_ring),
	RX(doorbell, rdt_reg_addr),
#endif
#endif
};

static const struct layout_place tx_places[] = {
#ifdef LAYOUT_MLX5
	TX(head, elts_head),
	TX(tail, elts_tail),
	TX(size, elts_s),
	TX(mask, elts_m),
	TX(freed_wqe, wqe_pi),
	TX(done, cq_ci),
	TX(owner, cqe_s),
	TX(cqe_mask, cqe_m),
	TX(heads, fcqs),
	TX(cqes, cqes),
	TX(doorbell, cq_db),
	TX(port, port_id),
	TX(queue, idx),
	TX(slots, elts),
#else
	TX(sw_ring, sw_ring),
	TX(size, nb_tx_desc),
	TX(tail, tx_tail),
	TX(free, nb_tx_free),
	TX(rs_thresh, tx_rs_thresh),
	TX(next_done, tx_next_dd),
	TX(port, port_id),
	TX(queue, queue_id),
#if RTE_VERSION < RTE_VERSION_NUM(25, 11, 0, 0)
	TX(ring, tx_ring),
#elif defined(LAYOUT_I40E)
	TX(ring, i40e_tx_ring),
#else
	TX(ring, ixgbe_tx_ring),
#endif
#endif
};

static void
rx_queue(void **state)
{
	layout_check(RX_ROWS, RTE_DIM(RX_ROWS), sizeof(RX_ROWS[0]), rx_places, RTE_DIM(rx_places),
		offsetof(struct RX_LAYOUT, RX_FIRST), offsetof(struct RX_LAYOUT, fake));
}

static void
tx_queue(void **state)
{
	layout_check(TX_ROWS, RTE_DIM(TX_ROWS), sizeof(TX_ROWS[0]), tx_places, RTE_DIM(tx_places),
		offsetof(struct TX_LAYOUT, TX_FIRST), offsetof(struct TX_LAYOUT, TX_LAST));
}

#ifdef LAYOUT_MLX5
/* A bit-field has no offset: its bits are where the driver puts them. */
static void
formats(void **state)
{
	for (unsigned int format = 0; format < 5; format++) {
		struct mlx5_rxq_data queue = { .dynf_meta = 1, .shared = 1, .delay_drop = 1 };

		queue.mcqe_format = format & 7;
		assert_int_equal(mlx5_rx_hashless(&queue, &mlx5_rx_layouts[0]), format != 0);
	}
}
#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rx_queue),
		cmocka_unit_test(tx_queue),
#ifdef LAYOUT_MLX5
		cmocka_unit_test(formats),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
