/* Places in net_virtio's queues: as the driver's own headers have them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/virtio/virtio_layout.h"

#include "fixtures/shim_layout_check.h"

#include <bus_pci_driver.h>
#include <ethdev_driver.h>
#include <rte_version.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <virtqueue.h>
#include <cmocka.h>

#define IN_QUEUE(field, driver) \
	{ \
#driver, offsetof(struct virtio_layout, field), offsetof(struct virtqueue, driver) \
	}
#define IN_HW(field, driver) \
	{ \
#driver, offsetof(struct virtio_layout, field), offsetof(struct virtio_hw, driver) \
	}

static const struct layout_place places[] = {
	IN_QUEUE(hw, hw),
	IN_QUEUE(num, vq_split.ring.num),
	IN_QUEUE(num, vq_packed.ring.num),
	IN_QUEUE(desc, vq_split.ring.desc),
	IN_QUEUE(desc, vq_packed.ring.desc),
	IN_QUEUE(avail, vq_split.ring.avail),
	IN_QUEUE(avail, vq_packed.ring.driver),
	IN_QUEUE(used, vq_split.ring.used),
	IN_QUEUE(used, vq_packed.ring.device),
	IN_QUEUE(wrap, vq_packed.used_wrap_counter),
	IN_QUEUE(flags, vq_packed.cached_flags),
	IN_QUEUE(used_next, vq_used_cons_idx),
	IN_QUEUE(size, vq_nentries),
	IN_QUEUE(open, vq_free_cnt),
	IN_QUEUE(avail_next, vq_avail_idx),
	IN_QUEUE(thresh, vq_free_thresh),
	IN_QUEUE(head, vq_desc_head_idx),
	IN_QUEUE(tail, vq_desc_tail_idx),
	IN_QUEUE(index, vq_queue_index),
	IN_QUEUE(address, mbuf_addr_offset),
	IN_QUEUE(queue, rxq),
	IN_QUEUE(queue, txq),
	IN_QUEUE(rx_fake, rxq.fake_mbuf),
	IN_QUEUE(rx_rearm, rxq.mbuf_initializer),
	IN_QUEUE(rx_pool, rxq.mpool),
	IN_QUEUE(rx_queue, rxq.queue_id),
	IN_QUEUE(rx_port, rxq.port_id),
	IN_QUEUE(tx_queue, txq.queue_id),
	IN_QUEUE(tx_port, txq.port_id),
	IN_QUEUE(slots, sw_ring),
	IN_QUEUE(entries, vq_descx),
	IN_HW(queues, vqs),
	IN_HW(features, guest_features),
	IN_HW(header, vtnet_hdr_size),
	IN_HW(started, started),
	IN_HW(weak, weak_barriers),
	IN_HW(vector_rx, use_vec_rx),
	IN_HW(vector_tx, use_vec_tx),
};

static_assert(sizeof(struct virtio_entry) == sizeof(struct vq_desc_extra) &&
		offsetof(struct virtio_entry, mbuf) == offsetof(struct vq_desc_extra, cookie) &&
		offsetof(struct virtio_entry, n_desc) == offsetof(struct vq_desc_extra, ndescs) &&
		offsetof(struct virtio_entry, next) == offsetof(struct vq_desc_extra, next),
	"an entry is the driver's");

static void
queue(void **state)
{
	layout_check(virtio_layouts, RTE_DIM(virtio_layouts), sizeof(virtio_layouts[0]), places,
		RTE_DIM(places), offsetof(struct virtio_layout, hw),
		offsetof(struct virtio_layout, vector_tx));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
