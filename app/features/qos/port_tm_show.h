/* What traffic management can do and has counted, shown. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct err;
struct ports;

/*
 * What the port can, one of its levels, one of its nodes; texts are testpmd's, but for a level
 * without inner nodes, where testpmd reads the union's other side below level 4. JSON: the same
 * names, in "nonleaf" and "leaf" what is theirs, "marks" by color. Errors: -ENODEV; what the driver
 * says. Thread: control, all of this file.
 */
int port_tm_show_port(struct ports *ps, uint16_t id, struct err *e);
int port_tm_show_level(struct ports *ps, uint16_t id, uint32_t level, struct err *e);
int port_tm_show_node(struct ports *ps, uint16_t id, uint32_t node, struct err *e);

/* Say whether a node is a leaf. JSON: {"leaf": bool}. Errors as above. */
int port_tm_show_type(struct ports *ps, uint16_t id, uint32_t node, struct err *e);

/*
 * What a node has counted; clear: and begin anew. JSON: a member per figure. Errors as above, and
 * -EINVAL a port that is not started.
 */
int port_tm_show_stats(struct ports *ps, uint16_t id, uint32_t node, bool clear, struct err *e);
