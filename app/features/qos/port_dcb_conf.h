/* Traffic classes in what a port is configured with. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

struct port_feature;

/* Puts the traffic classes of a port into its conf before it is configured. */
extern const struct port_feature port_feature_dcb;
