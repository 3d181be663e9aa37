/* Functions of net_ice and net_iavf beyond ethdev, most of them without a public header. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/vendor/port_ice.h"

#include "base/err.h"
#include "base/out.h"
#include "features/device/port_file.h"
#include "features/vendor/port_driver.h"
#include "port/port.h"

#include <rte_errno.h>
#include <rte_mbuf_dyn.h>
#include <rte_version.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sources: ice_ethdev.h of DPDK 22.11 and 24.11, rte_pmd_iavf.h of 26.07. */
typedef int (*dump)(uint16_t, uint8_t **, uint32_t *);
typedef int (*schedule_dump)(uint16_t, bool, FILE *);

#define OWN(function) PORT_DRIVER_OWN("net_ice", rte_pmd_ice_##function)
#define PROFILE_BYTES 0xc9000u
#define SWITCH_BYTES (4u << 20)

static const uint64_t none[3];

int
port_ice_profile(struct ports *ps, uint16_t id, bool switch_only, const char *path, struct err *e)
{
	static const struct port_driver_op ops[] = {
		{ { OWN(dump_package) }, "Invalid buffer size",
			.lacks = "Device doesn't support dump DDP runtime configure." },
		{ { OWN(dump_switch) }, "Invalid buffer size",
			.lacks = "Device doesn't support dump DDP switch runtime configure." },
	};
	const struct port_driver_op *op = &ops[switch_only];
	const port_driver_call call = port_driver_find(ps, id, op, NULL, e);
	uint32_t n = switch_only ? SWITCH_BYTES : PROFILE_BYTES;
	uint8_t *data = call != NULL ? calloc(1, n) : NULL;
	int ret;

	if (call == NULL)
		return -e->code;
	if (data == NULL)
		return err_set(e, ENOMEM, "no memory for %u bytes", n);
	ret = port_driver_result(ps, id, op, none, ((dump)call)(id, &data, &n), e);
	if (ret == 0)
		ret = port_file_write(path, data, n, e);
	free(data);
	return ret;
}

int
port_ice_schedule(struct ports *ps, uint16_t id, bool detail, const char *path, struct err *e)
{
	static const struct port_driver_op op = { { OWN(dump_txsched) }, NULL,
		.always = "Failed to dump Tx scheduling runtime configure: %s" };
	const port_driver_call call = port_driver_find(ps, id, &op, NULL, e);
	char *text = NULL;
	size_t n = 0;
	FILE *f;
	int ret;

	if (call == NULL)
		return -e->code;
	f = open_memstream(&text, &n);
	if (f == NULL)
		return err_set(e, errno, "no memory for the dump");
	ret = port_driver_result(ps, id, &op, none, ((schedule_dump)call)(id, detail, f), e);
	fclose(f);
	if (ret == 0)
		ret = port_file_write(path, text, n, e);
	free(text);
	return ret;
}

int
port_ice_vf_reinit(struct ports *ps, uint16_t id, struct err *e)
{
	static const struct port_driver_op op = { { { "net_iavf", "rte_pmd_iavf_reinit",
							  PORT_DRIVER_NONE } },
		.always = "Request to reinit VF failed: %s" };
	const struct port_driver_args args = { 0 };
	int ret = port_driver_do(ps, id, &op, &args, e);

	if (ret == 0)
		out_say(ps->out, "VF reinit requested for port %u\n", id);
	return ret;
}

int
port_ice_vf_lldp(struct ports *ps, struct err *e)
{
	static const struct rte_mbuf_dynfield field = {
		.name = "intel_pmd_dynfield_tx_lldp", /* iavf_rxtx.h of DPDK 24.03 */
		.size = sizeof(uint8_t),
		.align = sizeof(uint8_t),
	};
	int at;

	if (RTE_VERSION < RTE_VERSION_NUM(24, 3, 0, 0))
		return err_set(e, ENOSYS, "set tx lldp: needs DPDK 24.03, this is %s",
			rte_version());
	at = rte_mbuf_dynfield_register(&field);
	if (at < 0)
		return err_set(e, rte_errno,
			"cannot reserve the mbuf field that marks LLDP frames: %s",
			strerror(rte_errno));
	out_say(ps->out, "rte_pmd_iavf_tx_lldp_dynfield_offset: %d\n", at);
	return 0;
}
