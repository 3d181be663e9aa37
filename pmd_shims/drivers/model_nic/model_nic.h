/* What a program that loaded the plugin can ask of it: by dlsym() on its handle, or from outside by
 * telemetry, /model_nic/... */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/model_nic/api.h"
#include "pmd_shims/drivers/model_nic/report.h"

#include <stdbool.h>

/* Ports configured, 0..MODEL_PORTS_MAX. */
MODEL_NIC_API unsigned model_nic_ports(void);

/*
 * Fill *r for a port; false: there is none of that number. Thread: any; exact while no traffic
 * runs.
 */
MODEL_NIC_API bool model_nic_report(unsigned port, struct model_nic_report *r);
MODEL_NIC_API void model_nic_report_reset(unsigned port);

/*
 * Lockstep (MODEL_NIC_MODE=step): move frames for every port once, on the calling thread. Returns
 * frames moved. In the other mode a thread of the plugin does it and this returns 0.
 */
MODEL_NIC_API unsigned model_nic_step(void);

/* Sources on or off, so that what is under way can arrive. */
MODEL_NIC_API void model_nic_pause(unsigned port, bool paused);

/*
 * "link down 100", "stall tx 50", ...: fault.h names them all. false: not understood, *why says
 * what was expected.
 */
MODEL_NIC_API bool model_nic_fault(unsigned port, const char *words, const char **why);

/*
 * Plug or pull the cable: the driver sees the link change. false: no such port, or it is detached.
 */
MODEL_NIC_API bool model_nic_link(unsigned port, bool up);
