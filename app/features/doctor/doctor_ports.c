/* Checks of ports by what DPDK reports: links, pause frames, frame sizes, queues, firmware. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "features/doctor/doctor_priv.h"

#include <rte_config.h>

static void
check_link_of(const struct examined *x, const struct doctor_port *p)
{
	struct doctor_finding *f;

	if (!p->started || !p->link_known)
		return;
	if (!p->link_up) {
		f = doctor_finding_add(x->findings, DOCTOR_FAILS, "port %u: its link is down",
			p->id);
		doctor_finding_change(f,
			"set link-up port %u; else check cable, transceiver and the peer", p->id);
		return;
	}
	if (p->half_duplex) {
		f = doctor_finding_add(x->findings, DOCTOR_SPOILS,
			"port %u: its link is half-duplex", p->id);
		doctor_finding_change(f, "switch autonegotiation on at the peer");
	}
	if (p->mbps == 0 || p->mbps >= p->mbps_max)
		return;
	f = doctor_finding_add(x->findings, DOCTOR_SPOILS,
		"port %u: its link has %g Gbit/s, the card can %g", p->id, p->mbps / 1000.,
		p->mbps_max / 1000.);
	doctor_finding_change(f, "show port %u module_eeprom; check the peer's speed", p->id);
	doctor_finding_source(f, "rte_eth_link_get_nowait(), rte_eth_dev_info.speed_capa");
}

static void
check_link(const struct examined *x)
{
	for (unsigned int i = 0; i < x->use->n_ports; i++)
		check_link_of(x, &x->use->ports[i]);
}

static void
check_pause(const struct examined *x)
{
	for (unsigned int i = 0; i < x->use->n_ports; i++) {
		const struct doctor_port *p = &x->use->ports[i];

		if (p->pause_rx)
			doctor_finding_change(
				doctor_finding_add(x->findings, DOCTOR_SPOILS,
					"port %u stops sending when its peer asks for a pause",
					p->id),
				"set flow_ctrl rx off %u", p->id);
		if (p->pause_tx)
			doctor_finding_change(
				doctor_finding_add(x->findings, DOCTOR_SPOILS,
					"port %u asks its peer for pauses: loss becomes delay",
					p->id),
				"set flow_ctrl tx off %u", p->id);
	}
}

static void
check_frames(const struct examined *x)
{
	for (unsigned int i = 0; i < x->use->n_ports; i++) {
		const struct doctor_port *p = &x->use->ports[i];
		struct doctor_finding *f;

		if (p->buffer_bytes == 0 || p->scatter || p->frame_bytes <= p->buffer_bytes)
			continue;
		f = doctor_finding_add(x->findings, DOCTOR_SPOILS,
			"port %u: frames of %u bytes, buffers of %u, no scatter: long frames are lost",
			p->id, p->frame_bytes, p->buffer_bytes);
		if (p->can_scatter)
			doctor_finding_change(f,
				"port stop %u; port config %u rx_offload scatter on; port start %u",
				p->id, p->id, p->id);
		else
			doctor_finding_change(f, "start with --mbuf-size=%u",
				p->frame_bytes + RTE_PKTMBUF_HEADROOM);
	}
}

static void
check_queues(const struct examined *x)
{
	const struct doctor_use *use = x->use;
	struct doctor_finding *f;

	if (use->n_idle > 0) {
		f = doctor_finding_add(x->findings, DOCTOR_WARNING,
			"%u of %u lcores have no queue: there are fewer queues than lcores",
			use->n_idle, use->n_lcores);
		doctor_finding_change(f, "set nbcore %u, or more queues: --rxq=N --txq=N",
			use->n_lcores - use->n_idle);
	}
	for (unsigned int i = 0; i < use->n_ports + use->n_others; i++) {
		const struct doctor_port *p = &use->ports[i];

		if (!p->polled_known || p->n_polled >= p->n_rxq)
			continue;
		if (i >= use->n_ports) {
			f = doctor_finding_add(x->findings, DOCTOR_WARNING,
				"port %u is started, but no lcore polls it", p->id);
			doctor_finding_change(f, "port stop %u, or name it in set portlist", p->id);
			continue;
		}
		f = doctor_finding_add(x->findings, DOCTOR_SPOILS,
			"port %u: %u of %u Rx queues are polled, packets of the others are lost",
			p->id, p->n_polled, p->n_rxq);
		doctor_finding_change(f, "port stop all; port config all txq %u; port start all",
			p->n_rxq);
	}
}

static void
check_firmware(const struct examined *x)
{
	const unsigned int first = x->findings->n;

	for (unsigned int i = 0; i < x->use->n_ports; i++)
		if (x->use->ports[i].firmware[0] != '\0')
			doctor_finding_add(x->findings, DOCTOR_OK, "port %u: %s",
				x->use->ports[i].id, x->use->ports[i].firmware);
	if (x->findings->n == first)
		doctor_finding_add(x->findings, DOCTOR_UNKNOWN, "no driver reports a version");
}

const struct doctor_row doctor_ports_rows[] = {
	{ "link", check_link, "no started port's link is down or slow",
		"rte_eth_link_get_nowait()" },
	{ "flow control", check_pause, "no port is known to use pause frames",
		"rte_eth_dev_flow_ctrl_get()" },
	{ "frame size", check_frames, "no port loses frames that its MTU allows",
		"rte_eth_dev_get_mtu(), rte_eth_rx_queue_info_get()" },
	{ "queues", check_queues, "no lcore lacks a queue, and no queue an lcore",
		"the plan of the next start (show config fwd)" },
	{ "firmware", check_firmware, "", "rte_eth_dev_fw_version_get()" },
};
const unsigned int doctor_ports_n = ARRAY_SIZE(doctor_ports_rows);
