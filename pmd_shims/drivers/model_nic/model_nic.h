/* Functions that a program can call after loading the plugin, by dlsym() on its handle. From
 * outside the process, telemetry commands /model_nic/... do what these functions do. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/api.h"
#include "pmd_shims/drivers/model_nic/report.h"

#include <stdbool.h>

/* Number of configured ports, 0..MODEL_PORTS_MAX. */
MODEL_NIC_API unsigned model_nic_ports(void);

/*
 * Fill *r with a port's counts. Returns false: no such port. Thread: any; exact while no traffic
 * runs.
 */
MODEL_NIC_API bool model_nic_report(unsigned port, struct model_nic_report *r);
/* Reset a port's counts. */
MODEL_NIC_API void model_nic_report_reset(unsigned port);

/*
 * In MODEL_NIC_MODE=step: move frames once for each port, on the calling thread. Returns frames
 * moved. In the other mode a thread of the plugin moves frames and this returns 0.
 */
MODEL_NIC_API unsigned model_nic_step(void);

/* Pause or resume a port's source; while it is paused, packets in flight can arrive. */
MODEL_NIC_API void model_nic_pause(unsigned port, bool paused);

/*
 * Inject a fault: "link down 100", "stall tx 50", ...; fault.h lists all. Returns false with the
 * reason in *why, a static text, if the port or the words are invalid.
 */
MODEL_NIC_API bool model_nic_fault(unsigned port, const char *words, const char **why);

/*
 * Set the link up or down, as seen by the driver. Returns false: no such port, or it is detached.
 */
MODEL_NIC_API bool model_nic_link(unsigned port, bool up);
