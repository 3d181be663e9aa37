/* Mock ports: a driver's own receive and transmit functions over queues that no probe made, as an
 * ordinary port. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --vdev net_mockN,driver=mlx5|i40e|ice|iavf|ixgbe|ixgbe_vf[,KEY=VALUE]...   N: any text; ports are numbered as they
 * are named
 *   rx_path=WORD  tx_path=WORD   which of the driver's functions may be chosen at best (mock_config.c); it looks at offloads and rings too
 *   inline=BYTES                 mlx5: packets up to that long are copied into the element
 *   zip=hash|l34                 mlx5: completions compressed
 *   clock=WORD                   mlx5: how the clock of time stamps is read: read (default), timesync, none; stopped, jump: faults
 *   host_ns=NS                   mlx5: time from a packet's time stamp to its completion
 * and all words of MODEL_NIC (config.h), whose other variables hold here too.
 */
#pragma once

#include "model_nic/mock/mock_release.h"
#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/model.h"

#include <ethdev_driver.h>

enum { MOCK_QUEUES = 16 }; /* as many as ethdev counts packets for */

/* In what a driver may do at best for one direction. */
enum mock_path {
	PATH_BEST,   /* vectors as wide as the process may use; mlx5: many packets in an element */
	PATH_SSE,    /* vectors of 128, ... */
	PATH_AVX2,   /* ... 256, */
	PATH_AVX512, /* ... and 512 bits */
	PATH_PLAIN,  /* no vectors: bulk, simple; mlx5: one packet in an element */
	PATH_FULL,   /* what serves every offload: scalar, full */
	PATH_LEGACY, /* mlx5: elements of packets of one length, as older cards have them */
};

struct mock_options {
	enum mock_path rx_path, tx_path;
	uint16_t in_line; /* bytes; 0: nothing is copied */
	uint8_t zip;      /* enum mlx5_zip */
	uint8_t clock;    /* enum mlx5_clock_kind */
	uint32_t host_ns;
};

struct mock;

/*
 * What differs between drivers. All functions: thread of the application that configures ports; 0
 * or -errno.
 */
struct mock_driver {
	const struct model_family *family; /* its name is the driver= word */
	const char *name;                  /* as dev_info has it with a real NIC */
	const struct eth_dev_ops *ops;
	const struct mock_intel *intel; /* mock_intel.h; NULL: no driver of Intel's */
	size_t private_size;            /* of dev_private, the driver's own struct */
	uint32_t link_speed;            /* Mbit/s */

	/* Fill dev_private and the functions that have no place in ops. */
	int (*open)(struct mock *p);
	/* Queues are gone; what open() made goes too. May be NULL. */
	void (*close)(struct mock *p);
	/* After the common part; may be NULL. */
	int (*configure)(struct mock *p);
	/* Buffers into queues, burst functions chosen, rings enabled. */
	int (*start)(struct mock *p);
	/* Rings disabled, buffers freed. */
	void (*stop)(struct mock *p);
	/*
	 * Names and values of its own counters; at most max. Returns how many there are. May be
	 * NULL.
	 */
	unsigned (*counters)(struct mock *p, const char **names, uint64_t *values, unsigned max);
};

struct mock {
	struct rte_eth_dev *dev;
	struct model *model;
	const struct mock_driver *driver;
	struct mock_options options;
	_Atomic uint16_t rss_queues; /* that flows are spread over, since the last start */
	/* NIC counters at the last reset, by queue. */
	struct {
		uint64_t rx_packets, rx_bytes, tx_packets, tx_bytes;
	} base[MOCK_QUEUES];
	uint64_t missed_base;
};

extern const struct mock_driver mock_mlx5, mock_i40e, mock_ice, mock_iavf, mock_ixgbe,
	mock_ixgbe_vf;

/* The mock port behind a device, or before a model. */
struct mock *mock_of(const struct rte_eth_dev *dev);
struct mock *mock_of_model(const struct model *m);

/*
 * Let a driver choose among vectors as wide as path says; mock_simd_end() with *before ends it.
 * Returns 0, or -EPERM when the command line fixes another width.
 */
int mock_simd_begin(enum mock_path path, uint16_t *before);
void mock_simd_end(uint16_t before);

/*
 * Add what a device says to config_current, all devices that the command line names the first time.
 * Returns the model's number, or -1 with why; empty: said already.
 */
int mock_config_add(const char *name, const char *words, struct mock_options *options, char *why,
	size_t size);

/* Operations that know no driver; for tables of them. */
int mock_configure(struct rte_eth_dev *dev);
int mock_start(struct rte_eth_dev *dev);
int mock_stop(struct rte_eth_dev *dev);
int mock_close(struct rte_eth_dev *dev);
int mock_stats_get(MOCK_STATS_ARGS);
int mock_stats_reset(struct rte_eth_dev *dev);
int mock_xstats_get(struct rte_eth_dev *dev, struct rte_eth_xstat *xstats, unsigned n);
int mock_xstats_names(struct rte_eth_dev *dev, struct rte_eth_xstat_name *names, unsigned n);
int mock_link_update(struct rte_eth_dev *dev, int wait);
int mock_mtu_set(struct rte_eth_dev *dev, uint16_t mtu);
int mock_vlan_offload_set(struct rte_eth_dev *dev, int mask);
int mock_mac_set(struct rte_eth_dev *dev, struct rte_ether_addr *address);
int mock_mac_add(struct rte_eth_dev *dev, struct rte_ether_addr *address, uint32_t index,
	uint32_t pool);
void mock_mac_remove(struct rte_eth_dev *dev, uint32_t index);
int mock_nothing(struct rte_eth_dev *dev);

/* The part of dev_infos_get that knows no driver: its name, queues. Call it last. */
void mock_info(struct rte_eth_dev *dev, struct rte_eth_dev_info *info);

/* What all tables of operations have; stats_get is the driver's to name. */
#define MOCK_COMMON_OPS \
	.dev_configure = mock_configure, .dev_start = mock_start, .dev_stop = mock_stop, \
	.dev_close = mock_close, .stats_reset = mock_stats_reset, .xstats_get = mock_xstats_get, \
	.xstats_get_names = mock_xstats_names, .xstats_reset = mock_stats_reset, \
	.link_update = mock_link_update, .mtu_set = mock_mtu_set, \
	.vlan_offload_set = mock_vlan_offload_set, .mac_addr_set = mock_mac_set, \
	.mac_addr_add = mock_mac_add, .mac_addr_remove = mock_mac_remove, \
	.promiscuous_enable = mock_nothing, .promiscuous_disable = mock_nothing, \
	.allmulticast_enable = mock_nothing, .allmulticast_disable = mock_nothing

/* Every ring of the port's queues, once all are laid out: model->rx[] and tx[] are filled. */
void mock_rings_enable(struct mock *p);

/* Family functions that all have. */
void mock_reset(struct model *m);
void mock_link(struct model *m, bool up);
uint16_t mock_rss(struct model *m, const uint8_t *pkt, uint32_t len, uint32_t *hash);
