/* What drivers do to buffers that an application lends them: sent from, read-only, one for many. */
#pragma once

/* Tests of extbuf_driver_test.c. Fast free and attached buffers: the callback never comes, and the NIC writes into the buffer that was lent. */
void extbuf_driver_attached_and_fast_free(void **state);

/* Without: the callback once, when the last mbuf is freed, and nobody writes. */
void extbuf_driver_attached(void **state);

/* Headers that a driver writes in front of attached data are seen when there is room for them, and are elsewhere when there is none. */
void extbuf_driver_headers_in_front(void **state);

/* DPDK's rule, whatever the driver: an mbuf of a pinned pool that another buffer is attached to does not get its own one back. */
void extbuf_driver_attached_to_pinned(void **state);
