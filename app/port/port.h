/* The table of ports: one entry per ethdev with its configuration and state, and functions to find
 * ports and iterate over them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"
#include "pmd_shims/close_faults.h"
#include "stream/stream.h"

#include <rte_ethdev.h>
#include <rte_ether.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct err;
struct extmems;
struct out;
struct pools;
struct port;
struct port_feature;
struct port_kept;
struct ports;

#define PORT_ALL UINT16_MAX
/* queues per direction of one port: ethdev's limit, in which it indexes callbacks */
#define PORT_QUEUES_MAX RTE_MAX_QUEUES_PER_PORT
/* ends errors about too many ports */
#define PORT_LIMIT \
	"the limit of this DPDK is RTE_MAX_ETHPORTS; detach a port, or use a DPDK built with -Dmax_ethports=N"
#define PORT_XSTATS_MAX 32   /* names in the setting display-xstats */
#define PORT_HAIRPINS_MAX 64 /* entries of --hairpin-map */
#define PORT_MCAST_MAX 64    /* multicast addresses that zcfwd keeps for one port */
#define PORT_POOLS_MAX 8     /* pools of one receive queue */

#define PORT_DCB_PRIORITIES 8

enum port_state {
	PORT_ABSENT, /* no ethdev of this number, or closed */
	PORT_STOPPED,
	PORT_STARTED,
};

struct port_queue {
	/*
	 * Number of descriptors; 0: the setting rxd or txd, and if that is 0 the driver's default.
	 */
	uint16_t descriptors;
	/* RTE_ETH_{RX,TX}_OFFLOAD_* of this queue, including the port's unless switched off. */
	uint64_t offloads;
	char pool_ops[RTE_MEMPOOL_OPS_NAMESIZE]; /* Rx: mempool driver; "": use the setting */
	int pool_socket; /* Rx: 1 + the socket of its pool, chosen by a feature; 0: the port's */
	bool deferred_start;
	bool stopped; /* by port P rxq Q stop, or deferred: neither polled nor sent to */
	/* Tx: mbuf_fast_free is off for now, because the port sends packets of several pools. */
	bool fast_free_off;
	/*
	 * Tx: the pool of the packets sent since the port was started, which may still be in the
	 * ring; NULL: none, or several, without mbuf_fast_free.
	 */
	const struct rte_mempool *sent;
};

/* What differs between the two directions of all ports. */
struct port_side {
	const char *title, *upper, *lower; /* "Rx", "RX", "rx" */
	const char *queues, *descriptors;  /* settings: "rxq", "rxd" */
	/* Settings of the threshold registers: "rxpt", "rxht", "rxwt". */
	const char *prefetch, *host, *writeback;
	const char *(*offload_name)(uint64_t offload);
	int (*queue_start)(uint16_t port, uint16_t queue);
	int (*queue_stop)(uint16_t port, uint16_t queue);
	int (*burst_mode)(uint16_t port, uint16_t queue, struct rte_eth_burst_mode *mode);
	int (*hairpin_setup)(uint16_t port, uint16_t queue, uint16_t descriptors,
		const struct rte_eth_hairpin_conf *conf);
};
extern const struct port_side port_sides[2]; /* [true]: Rx, [false]: Tx */

/* The last reading of an extended statistic that display-xstats names. */
struct port_xstat {
	uint64_t id, value, tsc; /* tsc 0: none yet */
};

/* DCB configuration: port_dcb.c sets it, conf is derived from it. */
struct port_dcb {
	uint8_t classes;  /* traffic classes, 1..8; 0: no DCB, the port uses RSS */
	bool vt;          /* VMDq: classes within pools, chosen by VLAN */
	bool pfc;         /* priority flow control */
	bool keep_queues; /* do not change the number of queues */
	uint8_t class_of[PORT_DCB_PRIORITIES];
};

struct port {
	uint16_t id;
	_Atomic(enum port_state) state; /* written by the control thread */
	bool closed; /* port close: the ethdev is gone, the device remains until detach */
	/* The settings were copied to conf and the queues; done once, before the first start. */
	bool prepared;
	bool configured;        /* rte_eth_dev_configure() was called with the present conf */
	bool queues_configured; /* the queues were set up with the present rxq and txq */
	bool member;            /* of a bonding port, which starts and stops it */
	uint16_t member_of;     /* that port; valid if member */
	bool ptypes_kept;       /* set port P ptype_mask: the next start keeps the mask */
	/*
	 * The next run waits for its link, if that is down: the port had a link when it was stopped,
	 * or is a device on a bus that was never started, or its link was set up. Not any more once
	 * the link is up, or a wait for it has ended. Written by control.
	 */
	bool link_due;
	bool promiscuous_asked; /* promiscuous mode (the default) was switched on once */
	/* The device was removed; set by any thread, cleared by control: port_events_removed(). */
	atomic_bool removed;
	/* Its PCI configuration space was in /sys when it was started; written with reading held. */
	bool in_sysfs;
	/* Bits 1 << enum rte_eth_event_type; set by the interrupt thread, cleared by control. */
	atomic_uint events;
	const struct ports *all; /* the table of this port */
	int socket;
	struct rte_eth_dev_info info;
	struct rte_eth_conf conf; /* for the next rte_eth_dev_configure() */
	uint16_t n_rxq, n_txq;    /* configured queues */
	/*
	 * PORT_QUEUES_MAX each, in one block from the discovery of the port to port_table_free();
	 * a port that comes later under this number uses it again. The first n_queues of both
	 * directions are in use; the others are zero, and their pages are never touched.
	 */
	struct port_queue *rxq, *txq;
	/* the pools that a receive queue was set up with: several to split packets, or by size */
	struct rte_mempool *(*rx_pools)[PORT_POOLS_MAX];
	unsigned int n_queues;
	bool fast_free_off; /* as in struct port_queue, for the whole port */
	/* A run switched multi_segs on, because the port sends packets of several segments. */
	bool segments_on;
	struct rte_ether_addr mac, peer;
	uint16_t mtu;
	uint16_t tx_vlan, tx_vlan_outer;
	struct port_dcb dcb;     /* classes 0: none */
	struct stream_csum csum; /* options of csum that conf does not contain */
	/* Counters that were read last; those of a card that has gone stay. */
	struct rte_eth_stats read_stats;
	/* Counters at the last show port stats; like testpmd, one baseline for all callers. */
	struct rte_eth_stats rate_stats;
	uint64_t rate_tsc;
	/* Baseline of a run's statistics: the counters at its start or the last clear. */
	struct rte_eth_stats run_stats;
	/* at its stop, as long as run_stopped; else unused */
	struct rte_eth_stats run_end;
	bool run_stopped;
	/* TSC when the link last changed; 0: never. Written by the interrupt thread and control. */
	atomic_uint_least64_t link_tsc;
	uint64_t flushed; /* packets that port_flush_rx() freed at the last start of forwarding */
	struct port_xstat xstat[PORT_XSTATS_MAX];
	struct rte_ether_addr mcast[PORT_MCAST_MAX]; /* set on the port: mcast[0..n_mcast) */
	unsigned int n_mcast;
	struct port_kept *kept; /* memory that the driver may still read; port_life.h */
};

/*
 * An entry of --hairpin-map: n Rx queues starting with rxq, bound to n Tx queues starting with txq.
 */
struct port_hairpin {
	uint16_t rx_port, rxq, tx_port, txq, n;
};

struct ports {
	/*
	 * Held by control while devices or queues are added, removed, started or stopped, and by
	 * any thread that reads a driver's counters.
	 */
	pthread_mutex_t reading;
	struct settings *settings;
	struct pools *pools;
	const struct extmems *extmems; /* NULL: no external memory */
	struct rte_mempool *rx_pool;   /* for all Rx queues, instead of pools; NULL: use pools */
	struct out *out;
	/*
	 * TSC ticks per second: the only frequency of the program, also of runs and streams; tsc.h.
	 * Written by main() before there are ports.
	 */
	double tsc_hz;
	uint64_t l2_bytes; /* size of this CPU's L2 cache, for rxd and txd "auto"; 0: unknown */
	const struct port_feature *const *features; /* port_feature.h; NULL: none */
	char *feature_states;                       /* feature_bytes per port */
	char *feature_shared;                       /* for all ports together */
	size_t feature_bytes;
	/* Workers run: no port may be stopped or configured. Written by control. */
	atomic_bool forwarding;
	bool listening; /* registered for ethdev events */
	bool hotplug;   /* registered for kernel hotplug events */
	/* Bits 1 << rte_eth_event_type: printing differs from the default. */
	uint32_t events_other;
	/* port config all drop-en off: also if the driver drops by default */
	bool drop_off;
	struct port_hairpin hairpin[PORT_HAIRPINS_MAX];
	unsigned int n_hairpin;
	/* Descriptors of the queues that each fault affects, when their port stopped. */
	uint64_t close_faults[CLOSE_FAULTS];
	bool rss_given;  /* port config all rss: rss_hf overrides the settings */
	uint64_t rss_hf; /* RTE_ETH_RSS_* */
	struct port port[RTE_MAX_ETHPORTS];
};

/*
 * Add every ethdev that is not in the table yet. Returns the number of ports. Thread: control, all
 * of this file.
 */
unsigned int port_probe(struct ports *ps);

/* Free the queues of all ports; no port may be used after it. */
void port_table_free(struct ports *ps);

/*
 * Let the settings rxq and txq have their queues in use: new ones get the port's offloads. The port
 * must be prepared. Thread: control.
 */
void port_queues_extend(struct port *p);

/* Set the default peer address of a port, 02:00:00:00:00:<id>. */
void port_peer_default(struct port *p);

/* Return the port, or NULL if it does not exist. */
struct port *port_at(const struct ports *ps, uint16_t id);

/*
 * Say that there is no such port, and which there are: "Invalid port 9: expected 0 or 1", where what
 * is "Invalid port". Returns -ENODEV.
 */
int port_invalid(const struct ports *ps, const char *what, uint16_t id, struct err *e);

/* Return the port, or NULL with e filled by port_invalid(). */
struct port *port_find(const struct ports *ps, uint16_t id, struct err *e);

/* Fill ids[0..RTE_MAX_ETHPORTS) with the valid port numbers, ascending. Returns their number. */
unsigned int port_ids(const struct ports *ps, uint16_t *ids);

/*
 * Fill ids[0..RTE_MAX_ETHPORTS) with the ports of which a receive queue uses the shared pools: not
 * those whose queues all have a mempool driver of their own. Returns their number.
 */
unsigned int port_pool_users(const struct ports *ps, uint16_t *ids);

/*
 * Fill ids[0..*n) with port id, or with all ports for PORT_ALL. Returns 0, or -ENODEV as
 * port_find().
 */
int port_named(const struct ports *ps, uint16_t id, uint16_t *ids, unsigned int *n, struct err *e);

/* Print the list of valid ports as testpmd does. Returns -ENODEV with "Invalid port 9" in e. */
int port_missing(const struct ports *ps, uint16_t id, struct err *e);

/*
 * Like err_set(), for commands on several ports: an earlier failure in e is printed as a warning
 * before e is overwritten.
 */
int port_fail(const struct ports *ps, struct err *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Return a queue 0..PORT_QUEUES_MAX - 1 of the port: an Rx queue, or else a Tx queue. */
struct port_queue *port_queue_at(const struct port *p, bool rx, uint16_t queue);

/* True if there is such a port, and it is started. */
bool port_is_started(const struct ports *ps, uint16_t id);

/* Returns 0 if all ports are stopped, else -EBUSY. */
int port_check_all_stopped(const struct ports *ps, struct err *e);

/*
 * Return the mempool of a receive queue whose ring is on that socket; NULL: there is no pool, or
 * the queue's own pool does not exist before the queue is set up.
 */
struct rte_mempool *port_rx_pool(const struct port *p, uint16_t queue, int socket);

/* Fill a stream's end from a queue of a port. rx: the receive side. */
void port_stream_end(const struct port *p, uint16_t queue, bool rx, struct stream_end *end);

/* Speed of a port's link in bit/s; 0: down or unknown. */
double port_link_bps(uint16_t id);

/*
 * Receive and free the packets that wait in the Rx queues of ports ids[0..n), as testpmd does
 * before start, and count them in each port's flushed. Returns the number of packets freed.
 */
uint64_t port_flush_rx(struct ports *ps, const uint16_t *ids, unsigned int n);

/*
 * Call f for port id, or for every port if id is PORT_ALL. JSON: {"ports": [{"port": 0, members
 * added by f}, ...]}. A failure of one port does not stop the loop. Returns 0, -ENODEV no such
 * port, or the result of the last f that failed. Thread: control.
 */
int port_each(struct ports *ps, uint16_t id,
	int (*f)(struct ports *ps, struct port *p, void *ctx, struct err *e), void *ctx,
	struct err *e);

/* Call f as port_each() does, for ports ids[0..n); ports that no longer exist are skipped. */
int port_each_of(struct ports *ps, const uint16_t *ids, unsigned int n,
	int (*f)(struct ports *ps, struct port *p, void *ctx, struct err *e), void *ctx,
	struct err *e);
