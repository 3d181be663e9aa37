/* Show the traffic management of a port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct app;
struct args;
struct err;

/*
 * Show the capabilities of the port, of a level, of a node. Names are testpmd's in text and JSON;
 * JSON has objects "nonleaf", "leaf", and "marks" by color. Difference to testpmd: for a level with
 * only leaves testpmd reads the wrong side of the union below level 4. Errors of all functions:
 * -ENODEV; the driver's error. Thread: control, for all of this file.
 */
int port_tm_show_port(struct app *app, const struct args *a, struct err *e);
int port_tm_show_level(struct app *app, const struct args *a, struct err *e);
int port_tm_show_node(struct app *app, const struct args *a, struct err *e);

/* Show whether a node is a leaf. JSON: {"leaf": bool}. */
int port_tm_show_type(struct app *app, const struct args *a, struct err *e);

/*
 * Show a node's place in the tree and its parameters. JSON: {"node", "parent", "level", "priority",
 * "weight", "shaper", "shared_shapers", "stats_mask", "leaf", and parameters of a leaf or of
 * another node}, without absent values. Further error: -ENOSYS before DPDK
 * 24.11.
 */
int port_tm_show_place(struct app *app, const struct args *a, struct err *e);

/*
 * Show the statistics of a node; clear: then reset them. JSON: one member per counter. Further
 * error: -EINVAL the port is not started.
 */
int port_tm_show_stats(struct app *app, const struct args *a, struct err *e);
