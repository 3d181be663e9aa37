/* Traffic classes in the configuration of a port. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct port_feature;

/* Writes the traffic classes of a port to its conf before it is configured. */
extern const struct port_feature port_feature_dcb;
