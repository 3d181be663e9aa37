/* What the reproducers share: EAL, ports, pools, packets and verdicts. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_version.h>

#include <stdbool.h>
#include <stdint.h>

enum { MBUFS = 4095, BURST = 32, RING = 512, PACKET = 60, PATIENCE = 2000 };
enum { GREEN, RED, SKIPPED };

/* Two plugins below zcfwd's build folder: modelled cards, and mock ports of drivers. */
extern const char model_nic[], mock[];

/* An empty folder for a socket "s", removed after the case. */
extern char folder[];

/* Let a stepped card act once; set by eal_start() with a plugin. */
extern unsigned int (*model_step)(void);

/* Print what a case came to, and end its process. */
__rte_noreturn void end(int status, const char *format, ...) __rte_format_printf(2, 3);

/* End the case if a step of its preparation failed. */
void must(bool done, const char *step);

/*
 * EAL with one lcore and no huge pages. plugin: NULL or one of the above; bits: the maximum width of
 * vectors, 0: the default; more: further arguments, up to a NULL, or NULL.
 */
void eal_start(const char *plugin, unsigned int bits, const char *const *more);

/* EAL with modelled cards: words of MODEL_NIC. */
void cards_start(const char *devices, unsigned int bits);

/* A pool of ordinary mbufs without a cache. */
struct rte_mempool *pool_make(const char *name, unsigned int n);

/* End the case: green if each of the pool's n mbufs is in it once. */
__rte_noreturn void pool_judge(struct rte_mempool *pool, unsigned int n, const char *what);

struct setup {
	/* 0: the driver's default; rings: RING */
	uint16_t rx_ring, rx_free, tx_ring, tx_rs, tx_free;
	uint64_t tx_offloads;
};

/* Configure and start a port with one queue of each kind. */
void port_setup(uint16_t port, struct rte_mempool *pool, const struct setup *s);

/* End the case if the port does not use functions of these names; "": any. */
void functions_are(uint16_t port, const char *rx, const char *tx);

/* n new packets. */
void packets_make(struct rte_mempool *pool, struct rte_mbuf **pkts, unsigned int n);

/* Send n new packets; the card acts after each burst. */
void packets_send(uint16_t port, struct rte_mempool *pool, unsigned int n);

/* A buffer that the application lends to n mbufs; lent_released() counts calls of its callback. */
struct rte_mbuf_ext_shared_info;
void lent_init(struct rte_mbuf_ext_shared_info *shinfo, uint16_t n);
unsigned int lent_released(void);

/* A pool of PINNED mbufs whose buffers are in memory of the application's, one after the other. */
enum { ELEMENT = 4096, PINNED = 1023 };
struct rte_mempool *pinned_make(uint8_t **region, uint16_t element);

/* End the case: clones one of the received packets of such a pool; green if it refers to its buffer. */
__rte_noreturn void clone_judge(struct rte_mbuf **pkts, uint16_t n, const uint8_t *region);

/* The cases, by file; a fault of an array ends with an empty name. */
struct fault {
	const char *name;
	struct {
		const char *name;
		void (*run)(void);
	} cases[9];
};

extern const struct fault faults_intel[], faults_cards[], faults_guests[], faults_others[];
