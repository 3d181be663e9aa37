/* Changing ports: what `port config`, `set` and their like do. Nothing changes where something
 * fails. */
#pragma once

#include "stream/stream.h"

#include <stdbool.h>
#include <stdint.h>

struct err;
struct port;
struct ports;
struct rte_ether_addr;

/*
 * All: id PORT_ALL is every port where said; 0, or -errno with e in testpmd's words where it has
 * any. Common errors: ENODEV no such port; EBUSY for ports that should be stopped, or started;
 * ERANGE; what the driver returned. Thread: control.
 */

/* Queues or descriptors of every port; what: "rxq", "txq", "rxd", "txd". All ports stopped. */
int port_conf_queues(struct ports *ps, const char *what, uint64_t n, struct err *e);

/*
 * A setting of every port that the next start takes: thresholds ("rxpt", ...). All ports stopped.
 */
int port_conf_setting(struct ports *ps, const char *name, const char *value, struct err *e);

/*
 * Packets asked of one receive call; 0: what the driver of the first port prefers. All ports
 * stopped.
 */
int port_conf_burst(struct ports *ps, uint64_t n, struct err *e);

/* Drop packets of a full Rx queue, or not. All ports stopped. */
int port_conf_drop(struct ports *ps, bool on, struct err *e);

/* Longest frame of every port in bytes, checksum included. All ports stopped. */
int port_conf_max_pkt_len(struct ports *ps, uint64_t bytes, struct err *e);

/*
 * Longest packet that every port joins in hardware in bytes, 0: the driver's choice. All ports
 * stopped.
 */
int port_conf_max_lro_pkt_size(struct ports *ps, uint64_t bytes, struct err *e);

/* MTU in bytes of one port; acts at once where the driver can. */
int port_conf_mtu(struct ports *ps, uint16_t id, uint64_t mtu, struct err *e);

/*
 * Link speed in Mbit/s ("10000", "auto") and duplex ("half", "full", "auto"). Port or PORT_ALL
 * stopped.
 */
int port_conf_speed(struct ports *ps, uint16_t id, const char *speed, const char *duplex,
	struct err *e);

/*
 * Hash types of RSS by name, by number 1..63, "none", "default" or "level-inner"; acts at once on
 * every port.
 */
int port_conf_rss(struct ports *ps, const char *name, struct err *e);

/* Descriptors of one queue, 0: the setting's. */
int port_conf_ring_size(struct ports *ps, uint16_t id, bool rx, uint16_t queue, uint64_t n,
	struct err *e);

/* Start or stop one queue of a started port; not while forwarding. */
int port_conf_queue_run(struct ports *ps, uint16_t id, bool rx, uint16_t queue, bool start,
	struct err *e);

/* Leave the queue stopped when the port starts. Port stopped. */
int port_conf_queue_deferred(struct ports *ps, uint16_t id, bool rx, uint16_t queue, bool on,
	struct err *e);

/* Set the queue up now, with its present configuration; not while forwarding. */
int port_conf_queue_setup(struct ports *ps, uint16_t id, bool rx, uint16_t queue, struct err *e);

/*
 * Switch offloads (RTE_ETH_{RX,TX}_OFFLOAD_* bits) of a port or PORT_ALL, or of one queue. Ports
 * stopped.
 */
int port_conf_offload(struct ports *ps, uint16_t id, bool rx, uint64_t offload, bool on,
	struct err *e);
int port_conf_queue_offload(struct ports *ps, uint16_t id, bool rx, uint16_t queue,
	uint64_t offload, bool on, struct err *e);

/* VLAN offloads of receive, at once; what: "strip", "filter", "extend", "qinq_strip". */
int port_vlan_offload(struct ports *ps, uint16_t id, const char *what, bool on, struct err *e);
/* VLAN strip of one queue, at once. */
int port_vlan_stripq(struct ports *ps, uint16_t id, uint16_t queue, bool on, struct err *e);
/* Let frames with this tag (0..4095) pass the VLAN filter, or no longer. */
int port_vlan_filter(struct ports *ps, uint16_t id, uint64_t vlan, bool on, struct err *e);
int port_vlan_filter_all(struct ports *ps, uint16_t id, bool on, struct err *e);
/*
 * Tags (0..4095) that the hardware puts into sent frames; outer NULL: one tag only. Port stopped.
 */
int port_vlan_insert(struct ports *ps, uint16_t id, uint64_t vlan, const uint64_t *outer,
	struct err *e);
int port_vlan_insert_off(struct ports *ps, uint16_t id, struct err *e);

/*
 * Checksums of what ("ip", "udp", "tcp", "sctp", "outer-ip", "outer-udp") in hardware. Shows them
 * all. Port stopped.
 */
int port_csum_set(struct ports *ps, uint16_t id, const char *what, bool hw, struct err *e);
int port_csum_show(struct ports *ps, uint16_t id, struct err *e);
/* Look into tunnels (shows checksums, too); swap MAC addresses: knobs of the csum engine. */
int port_csum_tunnel(struct ports *ps, uint16_t id, bool on, struct err *e);
int port_csum_mac_swap(struct ports *ps, uint16_t id, bool on, struct err *e);
/*
 * Segments of n bytes, 0: no TSO, of plain or tunnelled packets. Says what holds then. Port
 * stopped.
 */
int port_csum_tso(struct ports *ps, uint16_t id, uint64_t n, bool tunnel, struct err *e);
int port_csum_tso_show(struct ports *ps, uint16_t id, bool tunnel, struct err *e);
/* GRO and GSO of the csum engine; not while forwarding. */
int port_csum_gro(struct ports *ps, uint16_t id, bool on, struct err *e);
int port_csum_gso(struct ports *ps, uint16_t id, bool on, struct err *e);
int port_csum_gro_flush(struct ports *ps, uint64_t cycles, struct err *e);
int port_csum_gso_size(struct ports *ps, uint64_t bytes, struct err *e);
int port_csum_gro_show(struct ports *ps, uint16_t id, struct err *e);
int port_csum_gso_show(struct ports *ps, uint16_t id, struct err *e);

/* Unicast addresses, at once; what: "add", "remove", or "set" for the port's own. */
int port_mac_change(struct ports *ps, uint16_t id, const char *what,
	const struct rte_ether_addr *mac, struct err *e);
/* Multicast addresses that the port receives, at once. EADDRINUSE, EADDRNOTAVAIL. */
int port_mac_multicast(struct ports *ps, uint16_t id, bool add, const struct rte_ether_addr *mac,
	struct err *e);
/* Where frames sent from the port go; text: "02:00:00:00:00:01". Not while forwarding. */
int port_mac_peer(struct ports *ps, uint16_t id, const char *text, struct err *e);

/* Receive everything; receive all multicast. Port or PORT_ALL. */
int port_promiscuous(struct ports *ps, uint16_t id, bool on, struct err *e);
int port_allmulticast(struct ports *ps, uint16_t id, bool on, struct err *e);

/* The link of one port. */
int port_link_set(struct ports *ps, uint16_t id, bool up, struct err *e);
