/* Functions of mlx5 drivers beyond ethdev that need DPDK 23.07 or later. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/vendor/port_mlx5_newer.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "features/vendor/port_driver.h"
#include "port/port.h"

#include <rte_config.h>
#include <rte_ethdev.h>
#include <rte_version.h>
#ifdef RTE_NET_MLX5
#include <rte_pmd_mlx5.h>
#endif

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define OWN(function) PORT_DRIVER_OWN("mlx5_", rte_pmd_mlx5_##function)
#define FORM(function, type) \
	static_assert(sizeof((type)NULL == &rte_pmd_mlx5_##function), "unexpected signature")

/* Same layout as struct rte_pmd_mlx5_txq_rate_limit_info of 26.07. */
struct rate {
	uint32_t mbps;
	uint16_t index, firmware_index;
};

typedef int (*rate_query)(uint16_t, uint16_t, struct rate *);
typedef int (*context_dump)(uint16_t, uint16_t, const char *);
typedef int (*mode_set)(int, uint32_t);

#if defined(RTE_NET_MLX5) && RTE_VERSION >= RTE_VERSION_NUM(26, 7, 0, 0)
static_assert(sizeof(struct rate) == sizeof(struct rte_pmd_mlx5_txq_rate_limit_info) &&
		offsetof(struct rate, firmware_index) ==
			offsetof(struct rte_pmd_mlx5_txq_rate_limit_info, fw_pp_index),
	"different from the driver's struct");
#endif
#if defined(RTE_NET_MLX5) && RTE_VERSION >= RTE_VERSION_NUM(24, 7, 0, 0)
FORM(txq_dump_contexts, context_dump);
FORM(rxq_dump_contexts, context_dump);
#endif
#if defined(RTE_NET_MLX5) && RTE_VERSION >= RTE_VERSION_NUM(23, 7, 0, 0)
static_assert(RTE_PMD_MLX5_FLOW_ENGINE_MODE_STANDBY == 1, "unexpected value");
#endif

int
port_mlx5_rate_show(struct ports *ps, uint16_t id, uint16_t queue, struct err *e)
{
	static const struct port_driver_op op = { { OWN(txq_rate_limit_query) },
		"invalid queue index (%u), out of range" };
	const uint64_t n[3] = { queue };
	const port_driver_call call = port_driver_find(ps, id, &op, NULL, e);
	struct rate rate = { 0 };
	int ret;

	if (call == NULL)
		return -e->code;
	ret = ((rate_query)call)(id, queue, &rate);
	if (ret == -EIO)
		return err_set(e, EIO, "failed to query SQ context");
	ret = port_driver_result(ps, id, &op, n, ret, e);
	if (ret != 0)
		return ret;
	out_text(ps->out, "Port %u Txq %u rate limit info:\n", id, queue);
	if (rate.mbps > 0)
		out_u64(ps->out, "rate_mbps", "  Configured rate: %" PRIu64 " Mbps\n", rate.mbps);
	else
		out_text(ps->out, "  Configured rate: disabled\n");
	out_u64(ps->out, "index", "  PP index (driver): %" PRIu64 "\n", rate.index);
	out_u64(ps->out, "firmware_index", "  PP index (FW readback): %" PRIu64 "\n",
		rate.firmware_index);
	return 0;
}

int
port_mlx5_context_dump(struct ports *ps, uint16_t id, uint16_t queue, bool tx, const char *path,
	struct err *e)
{
	static const struct port_driver_op ops[] = {
		{ { OWN(rxq_dump_contexts) }, "invalid queue index (%u), out of range" },
		{ { OWN(txq_dump_contexts) }, "invalid queue index (%u), out of range" },
	};
	const uint64_t n[3] = { queue };
	const port_driver_call call = port_driver_find(ps, id, &ops[tx], NULL, e);
	int ret;

	if (call == NULL)
		return -e->code;
	ret = ((context_dump)call)(id, queue, path);
	if (ret == -EIO)
		return err_set(e, EIO, "File Access Error (%s): %s", strerror(rte_errno), path);
	if (ret != 0 && ret != -EINVAL && ret != -ENODEV)
		return err_set(e, rte_errno != 0 ? rte_errno : EPROTO,
			"Unable to dump %s/CQ HW Context (%s)", tx ? "SQ" : "RQ",
			strerror(rte_errno));
	return port_driver_result(ps, id, &ops[tx], n, ret, e);
}

int
port_mlx5_flow_engine(struct ports *ps, bool standby, uint32_t flags, struct err *e)
{
	const char *mode = standby ? "standby" : "active";
	mode_set set;
	int ret;

	if (RTE_VERSION < RTE_VERSION_NUM(23, 7, 0, 0))
		return err_set(e, ENOSYS, "flow_engine: needs DPDK 23.07, this is %s",
			rte_version());
	set = (mode_set)port_driver_symbol("rte_pmd_mlx5_flow_engine_set_mode");
	ret = set != NULL ? set(standby, flags) : -ENOTSUP;
	if (ret < 0)
		return err_set(e, -ret,
			"Fail to set flow_engine to %s mode with flag 0x%x, error %s%s", mode,
			flags, strerror(-ret), set == NULL ? ": no mlx5 driver is loaded" : "");
	out_say(ps->out, "%d ports: flow engine %s\n", ret, mode);
	return 0;
}
