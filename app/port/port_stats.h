/* Port statistics: show and clear counters and extended statistics; rates since they were last
 * shown. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"
#include "base/stat.h"

#include <stddef.h>
#include <stdint.h>

struct args;
struct err;
struct ports;
struct rte_eth_stats;

/*
 * Read a port's counters from its driver; calls are serialised because drivers require it. Counters
 * of a card that has left its slot, whose registers read as all ones, stay as they were, and its port
 * counts as removed. Returns 0 or the driver's error. Thread: any, while the port exists.
 */
int port_stats_read(struct ports *ps, uint16_t id, struct rte_eth_stats *stats);

/* As port_stats_read(), for a caller that holds ps->reading. */
int port_stats_read_held(struct ports *ps, uint16_t id, struct rte_eth_stats *stats);

/*
 * Read a port's counters since the start of the run or the last clear, until now or the end of the
 * run. Returns as port_stats_read(). Thread: any, while the port exists.
 */
int port_stats_since(struct ports *ps, uint16_t id, struct rte_eth_stats *stats);

/*
 * Return how many queues of a port, from the first on, its packet counters cover: all, or only those
 * that ethdev has a counter for, 16, of which the driver's totals are sums (net_null). Thread: any.
 */
unsigned int port_stats_queues(struct ports *ps, uint16_t id, bool rx);

/*
 * Set the baseline of port_stats_since() to the present counters, or to zero if the driver has no
 * counters. Thread: control.
 */
void port_stats_base(struct ports *ps, uint16_t id);

/*
 * Let port_stats_since() count until now (stopped), or on. A port counts after a run ends, too, but
 * all figures of a run are those at its end. Thread: control.
 */
void port_stats_stop(struct ports *ps, uint16_t id, bool stopped);

/* The members of struct rte_eth_stats, without those per queue. */
extern const struct stat_table port_stats;

/*
 * Print show port stats for port id or PORT_ALL: counters, rates since the previous call, and the
 * extended statistics in display-xstats. JSON: {"ports": [{"port", "rx_packets", ..., "interval_s":
 * period of the rates}]}. Errors: -ENODEV no such port; errors of the driver. Thread: control, the
 * rest of this file.
 */
int port_stats_show(struct ports *ps, uint16_t id, struct err *e);

/*
 * Print the screen of --stats-period: the output of port_stats_show() for ports ids[0..n). Clears
 * the screen first if the output is a terminal.
 */
int port_stats_period(struct ports *ps, const uint16_t *ids, unsigned int n, struct err *e);

/*
 * Clear the counters of port id or PORT_ALL; their values afterwards become the baseline of the
 * run's statistics. Errors as port_stats_show().
 */
int port_stats_clear(struct ports *ps, uint16_t id, struct err *e);

/*
 * Print show port xstats for port id or PORT_ALL, without zeros if xstats-hide-zero is on. JSON:
 * {"ports": [{"port", "xstats": {name: value, ...}}]}. Errors as port_stats_show().
 */
int port_xstats_show(struct ports *ps, uint16_t id, struct err *e);

/* Clear the extended statistics; like testpmd, prints nothing. Errors as port_stats_show(). */
int port_xstats_clear(struct ports *ps, uint16_t id, struct err *e);

/*
 * Enable or disable (<what>) the extended statistic <counter> in the device of <port>. Errors:
 * -ENODEV; -EINVAL no such name; -ENOSYS before DPDK 25.03; errors of the driver.
 */
int port_xstats_switch(struct ports *ps, const struct args *a, struct err *e);

/* Settings of port statistics (display-xstats, xstats-hide-zero, ...), for settings_add(). */
extern const struct setting_table port_stats_settings;

/*
 * Print a warning for each name in display-xstats that no started port has. After settings_add().
 */
void port_stats_settings_apply(struct ports *ps);
