/* eBPF programs from ELF files that filter the packets of a queue. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/device/port_bpf.h"

#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/setting.h"
#include "cmdline/grammar/grammar.h"
#include "port/port.h"
#include "port/port_feature.h"

#include <rte_bpf_ethdev.h>
#include <rte_mbuf.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* External symbols for programs: the two that testpmd provides, so that its programs load. */
static const struct rte_bpf_xsym symbols[] = {
	{
		.name = "stdout",
		.type = RTE_BPF_XTYPE_VAR,
		.var = { .val = (void *)(uintptr_t)&stdout,
			.desc = { .type = RTE_BPF_ARG_PTR, .size = sizeof(stdout) } },
	},
	{
		.name = "rte_pktmbuf_dump",
		.type = RTE_BPF_XTYPE_FUNC,
		.func = { .val = (uint64_t (*)(uint64_t, uint64_t, uint64_t, uint64_t,
				  uint64_t))(void *)rte_pktmbuf_dump,
			.nb_args = 3,
			.args = {
				{ .type = RTE_BPF_ARG_RAW, .size = sizeof(uintptr_t) },
				{ .type = RTE_BPF_ARG_PTR_MBUF, .size = sizeof(struct rte_mbuf) },
				{ .type = RTE_BPF_ARG_RAW, .size = sizeof(uint32_t) },
			} },
	},
};

/* Parse the flags: the program's argument type and whether it is compiled. */
static int
flags_parse(const struct ports *ps, const char *letters, struct rte_bpf_arg *arg, uint32_t *flags,
	struct err *e)
{
	const size_t bytes = strtoul(setting_text(ps->settings, "mbuf-size"), NULL, 0);

	*flags = RTE_BPF_ETH_F_NONE;
	*arg = (struct rte_bpf_arg){ .type = RTE_BPF_ARG_PTR, .size = bytes };
	for (; *letters != '\0'; letters++) {
		const int letter = toupper((unsigned char)*letters);

		if (letter == 'J')
			*flags |= RTE_BPF_ETH_F_JIT;
		else if (letter == 'M')
			*arg = (struct rte_bpf_arg){ .type = RTE_BPF_ARG_PTR_MBUF,
				.size = sizeof(struct rte_mbuf),
				.buf_size = bytes };
		else if (letter != '-')
			return err_set(e, EINVAL, "unknown flag: '%c': expected J, M, both, or -",
				letter);
	}
	return 0;
}

static int
queue_check(const struct ports *ps, uint16_t id, uint16_t queue, bool rx, struct err *e)
{
	const struct port *p = port_find(ps, id, e);

	if (p == NULL)
		return -ENODEV;
	if (queue >= (rx ? p->n_rxq : p->n_txq))
		return err_set(e, ERANGE, "Invalid %s queue %u: port %u has %u",
			port_sides[rx].upper, queue, id, rx ? p->n_rxq : p->n_txq);
	return 0;
}

int
port_bpf_load(struct app *app, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a), queue = arg_queue(a);
	const char *file = arg_str(a, "file", "");
	const bool rx = arg_is(a, "way", "rx");
	struct ports *ps = &app->ports;
	struct rte_bpf_prm prm = { .xsym = symbols, .nb_xsym = ARRAY_SIZE(symbols) };
	uint32_t how;
	int ret = queue_check(ps, id, queue, rx, e);

	if (ret == 0)
		ret = flags_parse(ps, arg_str(a, "flags", ""), &prm.prog_arg, &how, e);
	if (ret != 0)
		return ret;
	ret = rx ? rte_bpf_eth_rx_elf_load(id, queue, &prm, file, ".text", how)
		 : rte_bpf_eth_tx_elf_load(id, queue, &prm, file, ".text", how);
	if (ret != 0)
		return err_set(e, abs(ret), "%d:%s: %s, section .text", ret, strerror(abs(ret)),
			file);
	out_say(ps->out, "0:Success\n");
	return 0;
}

int
port_bpf_unload(struct ports *ps, uint16_t id, uint16_t queue, bool rx, struct err *e)
{
	int ret = queue_check(ps, id, queue, rx, e);

	if (ret != 0)
		return ret;
	if (rx)
		rte_bpf_eth_rx_unload(id, queue);
	else
		rte_bpf_eth_tx_unload(id, queue);
	return 0;
}

/* Otherwise a later device with this port number would inherit the programs. */
static void
closing(struct ports *ps, struct port *p)
{
	uint16_t queue;

	for (queue = 0; queue < PORT_QUEUES_MAX; queue++) {
		rte_bpf_eth_rx_unload(p->id, queue);
		rte_bpf_eth_tx_unload(p->id, queue);
	}
}

const struct port_feature port_feature_bpf = {
	.name = "bpf",
	.at = { [PORT_CLOSING] = closing },
};
