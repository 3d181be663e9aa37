/* Port statistics: show and clear counters and extended statistics, and rates since the last time
 * they were shown. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/setting.h"
#include "base/stat.h"

#include <stddef.h>
#include <stdint.h>

struct err;
struct ports;
struct rte_eth_stats;

/*
 * A port's counters as its driver has them, at most one reading at a time, as drivers want it.
 * Returns 0, or what the driver returned. Thread: any, while the port is there.
 */
int port_stats_read(struct ports *ps, uint16_t id, struct rte_eth_stats *stats);

/*
 * What a port counted since the start of the run, or since the last clear. Returns as
 * port_stats_read() does. Thread: as above.
 */
int port_stats_since(struct ports *ps, uint16_t id, struct rte_eth_stats *stats);

/*
 * Count for port_stats_since() from now on; from zero where the driver has no counters. Thread:
 * control.
 */
void port_stats_base(struct ports *ps, uint16_t id);

/* The rows of struct rte_eth_stats, without its queues. */
extern const struct stat_table port_stats;

/*
 * Answer show port stats for port id or PORT_ALL: counters, rates since anybody's last look, and
 * the statistics that the setting display-xstats names. JSON: {"ports": [{"port", "rx_packets",
 * ..., "interval_s": what rates cover}]}. Errors: -ENODEV no such port; what the driver returned.
 * Thread: control, the rest of this file.
 */
int port_stats_show(struct ports *ps, uint16_t id, struct err *e);

/*
 * The screen of --stats-period: the same for ports ids[0..n), cleared first when results go to a
 * terminal.
 */
int port_stats_period(struct ports *ps, const uint16_t *ids, unsigned int n, struct err *e);

/*
 * Set the counters of port id or PORT_ALL to zero. What they read afterwards becomes the
 * baseline that statistics of a run subtract. Errors as above.
 */
int port_stats_clear(struct ports *ps, uint16_t id, struct err *e);

/*
 * Answer show port xstats for port id or PORT_ALL, without those at zero when xstats-hide-zero is
 * on. JSON: {"ports": [{"port", "xstats": {name: value, ...}}]}. Errors as above.
 */
int port_xstats_show(struct ports *ps, uint16_t id, struct err *e);

/* As port_stats_clear() for the extended statistics; says nothing, as testpmd. */
int port_xstats_clear(struct ports *ps, uint16_t id, struct err *e);

/*
 * Let the device count an extended statistic, or not. Errors: -ENODEV; -EINVAL no such name; -ENOSYS
 * before DPDK 25.03; what the driver returned.
 */
int port_xstats_switch(struct ports *ps, uint16_t id, const char *name, bool on, struct err *e);

/* The settings of this file (display-xstats, xstats-hide-zero, ...), for settings_add(). */
extern const struct setting port_stats_settings[];
extern const size_t port_stats_settings_n;

/* Say which names given to display-xstats no started port has. After settings_add(). */
void port_stats_settings_apply(struct ports *ps);
