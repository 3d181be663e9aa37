/* The table of ports: each an ethdev with its configuration and state; find ports, go through
 * them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"
#include "stream/stream.h"

#include <rte_ethdev.h>
#include <rte_ether.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct err;
struct extmems;
struct flow_presets;
struct out;
struct pools;
struct port;
struct port_feature;
struct port_kept;
struct ports;

#define PORT_ALL UINT16_MAX
#define PORT_QUEUES_MAX 256  /* queues per direction that zcfwd manages on one port */
#define PORT_XSTATS_MAX 32   /* names that display-xstats may have */
#define PORT_HAIRPINS_MAX 64 /* entries of --hairpin-map */
#define PORT_MCAST_MAX 64    /* multicast addresses that zcfwd keeps for one port */

#define PORT_LEFT_FAULTS 4 /* of drivers, that cost pools buffers */

#define PORT_DCB_PRIORITIES 8

enum port_state {
	PORT_ABSENT, /* no ethdev of this number, or closed */
	PORT_STOPPED,
	PORT_STARTED,
};

struct port_queue {
	/*
	 * Descriptors; 0: what the setting (rxd, txd) says, and if that is 0 what the driver
	 * prefers.
	 */
	uint16_t descriptors;
	/* RTE_ETH_{RX,TX}_OFFLOAD_* asked of this queue, the port's among them unless taken out. */
	uint64_t offloads;
	char pool_ops[RTE_MEMPOOL_OPS_NAMESIZE]; /* Rx: mempool driver; "": the setting's */
	bool deferred_start;
	bool stopped; /* by port P rxq Q stop, or deferred: nobody may poll it */
};

/* The last reading of an extended statistic that display-xstats names. */
struct port_xstat {
	uint64_t id, value, tsc; /* tsc 0: none yet */
};

/* What port_dcb.h sets and conf takes from it. */
struct port_dcb {
	uint8_t classes;  /* 1..8; 0: none, the port spreads by RSS */
	bool vt;          /* classes within pools of virtual machines, by VLAN */
	bool pfc;         /* pause frames by class */
	bool keep_queues; /* leave the numbers of queues as they are */
	uint8_t class_of[PORT_DCB_PRIORITIES];
};

struct port {
	uint16_t id;
	_Atomic(enum port_state) state; /* written by the control thread */
	bool closed; /* port close: the ethdev is gone, the device stays until detach */
	/* conf and the queues hold what the settings say: done once, before the first start */
	bool prepared;
	bool configured;        /* rte_eth_dev_configure() holds for conf */
	bool queues_configured; /* the queues are set up as rxq and txq below say */
	bool member;            /* of a bonding port, which starts and stops it */
	bool ptypes_kept;       /* set port P ptype_mask: the next start leaves them alone */
	bool promiscuous_asked; /* promiscuous mode was switched on, which is the default */
	atomic_bool removed;    /* the device went away (RMV event); set by the interrupt thread */
	/* 1 << enum rte_eth_event_type each; set by the interrupt thread, taken by control */
	atomic_uint events;
	const struct ports *all; /* the table that it is in */
	int socket;
	struct rte_eth_dev_info info;
	struct rte_eth_conf conf; /* what the next configure will use */
	uint16_t n_rxq, n_txq;    /* configured queues */
	struct port_queue rxq[PORT_QUEUES_MAX], txq[PORT_QUEUES_MAX];
	struct rte_ether_addr mac, peer;
	uint16_t mtu;
	uint16_t tx_vlan, tx_vlan_outer;
	struct port_dcb dcb;     /* classes 0: none */
	struct stream_csum csum; /* what the offloads of conf do not say */
	/* what show port stats subtracts, whoever asks, as in testpmd */
	struct rte_eth_stats rate_stats;
	uint64_t rate_tsc;
	/* what statistics of a run subtract: the counters at its start, or when they were cleared */
	struct rte_eth_stats run_stats;
	uint64_t flushed; /* packets that port_flush_rx() freed at the last start of forwarding */
	struct port_xstat xstat[PORT_XSTATS_MAX];
	struct rte_ether_addr mcast[PORT_MCAST_MAX]; /* set on the port, n_mcast of them */
	unsigned int n_mcast;
	struct port_kept *kept; /* what its driver may look at; port_keep.h */
};

/* Called before a port is closed or detached; NULL: nobody asks. Thread: control. */
struct port_leaving {
	void (*tell)(void *context, uint16_t port);
	void *context;
};

/* An entry of --hairpin-map: n Rx queues from rxq on are fed by the Tx queues from txq on. */
struct port_hairpin {
	uint16_t rx_port, rxq, tx_port, txq, n;
};

struct ports {
	/*
	 * Held by control while devices or queues come, go, start or stop, and by anybody who reads
	 * a driver's counters.
	 */
	pthread_mutex_t reading;
	struct settings *settings;
	struct pools *pools;
	struct port_leaving leaving;   /* who is told before a port goes */
	const struct extmems *extmems; /* NULL: there is no external memory */
	struct flow_presets *presets;  /* what set prepares for flow rules; NULL: nothing */
	struct rte_mempool *rx_pool;   /* of every receive queue, instead of pools; NULL: none */
	struct out *out;
	const struct port_feature *const *features; /* port_feature.h; NULL: none */
	char *feature_states;                       /* feature_bytes for each port */
	size_t feature_bytes;
	bool forwarding; /* the worker runs: nothing may be stopped or configured */
	bool listening;  /* to events */
	bool hotplug;    /* listening to the kernel's events, too */
	/* 1 << rte_eth_event_type: told though not by default, or not told */
	uint32_t events_other;
	/* port config all drop-en off: also where the driver would drop by default */
	bool drop_off;
	uint32_t bypass_timeout; /* of net_ixgbe's watchdog; port_ixgbe.h */
	struct port_hairpin hairpin[PORT_HAIRPINS_MAX];
	unsigned int n_hairpin;
	/* descriptors of queues that had each fault of port_left.c when their port stopped */
	uint64_t left_faults[PORT_LEFT_FAULTS];
	bool rss_given;  /* port config all rss: rss_hf holds, not the settings */
	uint64_t rss_hf; /* RTE_ETH_RSS_* */
	atomic_uint set_ups[RTE_MAX_ETHPORTS]; /* by port: how often its queues were set up */
	struct port port[RTE_MAX_ETHPORTS];
};

/*
 * Take in every ethdev that is there and not in the table yet. Thread: control, all of this file.
 * Returns how many ports there are.
 */
unsigned int port_probe(struct ports *ps);

/* The peer address that a port begins with: 02:00:00:00:00:<id>. */
void port_peer_default(struct port *p);

/* The port, or NULL when no such port is there. */
struct port *port_at(const struct ports *ps, uint16_t id);

/* The port, or NULL with e filled: ENODEV "Invalid port 9". */
struct port *port_find(const struct ports *ps, uint16_t id, struct err *e);

/* Valid port numbers, ascending, into ids[0..RTE_MAX_ETHPORTS). Returns how many. */
unsigned int port_ids(const struct ports *ps, uint16_t *ids);

/*
 * The ports that a command names: one, or all for PORT_ALL. ENODEV as port_find(); else 0, and *n
 * of ids.
 */
int port_named(const struct ports *ps, uint16_t id, uint16_t *ids, unsigned int *n, struct err *e);

/* ENODEV "Invalid port 9" with the list of valid ones as testpmd shows it. */
int port_missing(const struct ports *ps, uint16_t id, struct err *e);

/*
 * As err_set(), for one of several ports: a failure that e holds already is shown as a warning
 * first.
 */
int port_fail(const struct ports *ps, struct err *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Tell who asked that a port is about to be closed or detached. */
void port_leaves(const struct ports *ps, uint16_t id);

/* True when every port in ids is started; when no port at all is started. */
bool port_all_started(const struct ports *ps, const uint16_t *ids, unsigned int n);
bool port_all_stopped(const struct ports *ps);

/*
 * Where a receive queue takes its buffers from when its ring lies on that socket; NULL: there is no
 * pool, or the queue is not set up and its own pool not made yet.
 */
struct rte_mempool *port_rx_pool(const struct port *p, uint16_t queue, int socket);

/* Fill a stream's end from a port's queue. rx: the receive side. */
void port_stream_end(const struct port *p, uint16_t queue, bool rx, struct stream_end *end);

/*
 * Receive and free what waits in the Rx queues of the ports, as testpmd does before start; each
 * port adds its part to its flushed. Returns packets freed.
 */
uint64_t port_flush_rx(struct ports *ps, const uint16_t *ids, unsigned int n);

/*
 * Call f for port id, or for every port when id is PORT_ALL. JSON: {"ports": [{"port": 0, and what
 * f adds}, ...]}. A port that fails does not keep the others from their turn. Returns 0, -ENODEV no
 * such port, or what the last f that failed returned. Thread: control.
 */
int port_each(struct ports *ps, uint16_t id,
	int (*f)(struct ports *ps, struct port *p, void *ctx, struct err *e), void *ctx,
	struct err *e);

/* The same for ports ids[0..n); those that are not there any more are left out. */
int port_each_of(struct ports *ps, const uint16_t *ids, unsigned int n,
	int (*f)(struct ports *ps, struct port *p, void *ctx, struct err *e), void *ctx,
	struct err *e);
