/* Two ports of any driver over NICs that move when told to, receiving into a pool of pinned buffers or into an ordinary one. */
#pragma once

#include "extbuf.h"

#include <rte_mbuf.h>

#include <stdbool.h>
#include <stdint.h>

struct model_nic_report;

enum { BED_PORTS = 2, BED_BURST = 32, BED_MBUFS = 2047, BED_RING = 256, BED_ELEMENT = 4096 };

extern struct driver_bed {
	uint16_t port[BED_PORTS];
	struct rte_mempool *plain,
		*pinned;  /* packets come from pinned where it was asked for; else that is NULL */
	uint32_t element; /* bytes of a pinned buffer */
	uint8_t *
		region; /* where pinned buffers lie; NULL: pinned was there before bed_open(), and stays */
	uint8_t *before; /* what bed_region_keep() saw there */
	bool hotplug;    /* ports are made anew for each test */
} bed;

/* For cmocka_run_group_tests(): EAL with the plugin of MODEL_NIC_PLUGIN; EXTBUF_VDEV: the ports' devargs, with %u for the port's number. */
int bed_setup(void **state);
int bed_teardown(void **state);

/* The first port's transmit offloads, 0 for what it does not have. */
uint64_t bed_has(uint64_t tx_offloads);

/* Start both ports with these transmit offloads, and let their NICs begin. */
void bed_open(bool pinned, uint64_t tx_offloads);

/* Stop them. whole: all mbufs are in their pools. */
void bed_close(bool whole);

/* Let the NICs move once, and forward up to so many bursts between the ports. */
void bed_turns(unsigned int n);

/* What port 0 received now, up to a burst, the caller's; then its NIC moves. */
uint16_t bed_poll(struct rte_mbuf *pkts[BED_BURST]);

/* Packets that port 0 received: exactly n, the caller's. */
void bed_receive(struct rte_mbuf **pkts, uint16_t n);

/* Send by port 1: all of them, however often the NIC has to move for that. */
void bed_send(struct rte_mbuf **pkts, uint16_t n);

/* Remember the region; whether anybody wrote there since. */
void bed_region_keep(void);
bool bed_region_changed(void);

/* What both NICs say. */
struct model_nic_report bed_reports(void);

/* Whether this driver and path was found to do so before: words in EXTBUF_FINDS. */
bool bed_finds(const char *word);

/* The verdicts on port 0's receive queue, and on port 1's transmit queue with such offloads; asserts that somebody looked at the driver. */
enum extbuf_fate bed_rx_fate(enum extbuf_rx_use use);
enum extbuf_fate bed_tx_fate(uint64_t tx_offloads, enum extbuf_tx_use use);
