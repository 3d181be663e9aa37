/* Functions of mlx5 ports beyond ethdev, and their commands. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/nic/port_mlx5.h"

#include "app.h"
#include "args.h"
#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "cmdline/grammar/grammar.h"
#include "compat.h"
#include "features/nic/port_geneve.h"
#include "port/port.h"
#include "port/port_attach.h"
#include "port/port_driver.h"
#include "port/port_feature.h"

#include <rte_config.h>
#include <rte_ethdev.h>
#include <rte_version.h>

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Also declared by rte_pmd_mlx5.h, where this DPDK has mlx5 and is new enough. */
int rte_pmd_mlx5_host_shaper_config(int port, uint8_t rate, uint32_t flags);
int rte_pmd_mlx5_external_rx_queue_id_map(uint16_t port, uint16_t queue, uint32_t hardware);
int rte_pmd_mlx5_external_rx_queue_id_unmap(uint16_t port, uint16_t queue);
int rte_pmd_mlx5_rxq_dump_contexts(uint16_t port, uint16_t queue, const char *path);
int rte_pmd_mlx5_txq_dump_contexts(uint16_t port, uint16_t queue, const char *path);

/* RTE_BIT32(MLX5_HOST_SHAPER_FLAG_AVAIL_THRESH_TRIGGERED) */
#define TRIGGERED 1u

/*
 * Limit the rate to the host side of a BlueField card, in units of 100 Mbit/s (0: no limit);
 * triggered: also when the available descriptors of an Rx queue fall below their threshold. Errors
 * of all functions: -ENODEV; -ENOTSUP another driver's port; the driver's error, in testpmd's
 * words. Thread: control, for all of this file.
 */
static int
port_mlx5_shaper(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	bool triggered = arg_u64(a, "triggered", 0) != 0;
	uint8_t rate = (uint8_t)arg_u64(a, "mbps", 0);
	static const struct port_driver_op op = { "mlx5_",
		.lacks = "cmd_port_host_shaper error: (Operation not supported)",
		.always = "cmd_port_host_shaper error: (%s)" };
	int ret = PORT_DRIVER_CALL(ps, id, &op, NULL, e, rte_pmd_mlx5_host_shaper_config, triggered,
		TRIGGERED);

	if (ret != 0)
		return ret;
	return PORT_DRIVER_CALL(ps, id, &op, NULL, e, rte_pmd_mlx5_host_shaper_config, rate, 0);
}

#define QUEUE_LACKS .lacks = "function not implemented or supported"

/* Map a queue number for rte_flow to the hardware number of an external queue; remove a mapping. */
static int
port_mlx5_queue_map(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint16_t queue = arg_queue(a);
	uint32_t hardware = (uint32_t)arg_u64(a, "hardware", 0);
	static const struct port_driver_op op = { "mlx5_",
		"invalid ethdev index (%u), out of range", QUEUE_LACKS };
	const uint64_t n[3] = { queue };
	__typeof__(&rte_pmd_mlx5_external_rx_queue_id_map) map =
		PORT_DRIVER_FIND(ps, id, &op, rte_pmd_mlx5_external_rx_queue_id_map, e);
	int ret;

	if (map == NULL)
		return -e->code;
	ret = map(id, queue, hardware);
	if (ret == -EEXIST)
		return err_set(e, EEXIST, "mapping with index %u already exists", queue);
	return port_driver_result(ps, id, &op, n, ret, e);
}

static int
port_mlx5_queue_unmap(struct app *app, const struct args *a, struct err *e)
{
	struct ports *ps = &app->ports;
	uint16_t id = arg_port(a);
	uint16_t queue = arg_queue(a);
	static const struct port_driver_op op = { "mlx5_",
		"invalid rte_flow index (%u), out of range, doesn't exist or still referenced",
		QUEUE_LACKS };
	const uint64_t n[3] = { queue };

	return PORT_DRIVER_CALL(ps, id, &op, n, e, rte_pmd_mlx5_external_rx_queue_id_unmap, queue);
}

/* Connect to the socket at path; -1 with e filled. */
static int
connected(const char *path, struct err *e)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(path) >= sizeof(to.sun_path)) {
		err_set(e, ENAMETOOLONG, "%s: expected a path of at most %zu bytes", path,
			sizeof(to.sun_path) - 1);
		return -1;
	}
	strcpy(to.sun_path, path);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	err_set(e, errno, "Failed to connect %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Send an empty request; the answer is a number with a file descriptor attached. */
static int
ask(int fd, const char *path, int *handle, int *command, struct err *e)
{
	struct iovec iov = { .iov_base = handle, .iov_len = sizeof(*handle) };
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .room = { 0 } };
	struct msghdr question = { 0 };
	struct msghdr answer = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = sizeof(control.room) };
	const struct cmsghdr *beside;

	if (sendmsg(fd, &question, MSG_NOSIGNAL) < 0)
		return err_set(e, errno, "Failed to send request to (%s): %s", path,
			strerror(errno));
	if (recvmsg(fd, &answer, MSG_CMSG_CLOEXEC) != sizeof(*handle) ||
		(answer.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
		return err_set(e, EPROTO, "%s: the answer is not a handle of %zu bytes", path,
			sizeof(*handle));
	beside = CMSG_FIRSTHDR(&answer);
	if (beside == NULL || beside->cmsg_len != CMSG_LEN(sizeof(int)) ||
		beside->cmsg_level != SOL_SOCKET || beside->cmsg_type != SCM_RIGHTS)
		return err_set(e, EPROTO, "%s: the answer has no file descriptor", path);
	memcpy(command, CMSG_DATA(beside), sizeof(*command));
	return 0;
}

/*
 * Attach a device whose context another process owns. That process sends a file descriptor and a
 * handle through the socket; the driver gets them as devargs cmd_fd and pd_handle. Errors: those of
 * port_attach() and of the socket.
 */
static int
port_mlx5_attach(struct ports *ps, const char *devargs, const char *socket_path, struct err *e)
{
	int fd = connected(socket_path, e), handle = 0, command = -1, ret;
	char whole[512];

	if (fd < 0)
		return -e->code;
	ret = ask(fd, socket_path, &handle, &command, e);
	close(fd);
	if (ret != 0)
		return ret;
	snprintf(whole, sizeof(whole), "%s,cmd_fd=%d,pd_handle=%d", devargs, command, handle);
	ret = port_attach(ps, whole, e);
	if (ret != 0)
		close(command); /* on success the driver owns it */
	return ret;
}

/* Functions of mlx5 drivers beyond ethdev that need DPDK 23.07 or later. */

int
port_mlx5_rate_show(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a), queue = arg_queue(a);
	static const struct port_driver_op op = { "mlx5_",
		"invalid queue index (%u), out of range" };
	const uint64_t n[3] = { queue };
	__typeof__(&rte_pmd_mlx5_txq_rate_limit_query) query =
		PORT_DRIVER_FIND(ps, id, &op, rte_pmd_mlx5_txq_rate_limit_query, e);
	struct rte_pmd_mlx5_txq_rate_limit_info rate = { 0 };
	int ret;

	if (query == NULL)
		return -e->code;
	ret = query(id, queue, &rate);
	if (ret == -EIO)
		return err_set(e, EIO, "failed to query SQ context");
	ret = port_driver_result(ps, id, &op, n, ret, e);
	if (ret != 0)
		return ret;
	out_text(ps->out, "Port %u Txq %u rate limit info:\n", id, queue);
	if (rate.rate_mbps > 0)
		out_u64(ps->out, "rate_mbps", "  Configured rate: %" PRIu64 " Mbps\n",
			rate.rate_mbps);
	else
		out_text(ps->out, "  Configured rate: disabled\n");
	out_u64(ps->out, "index", "  PP index (driver): %" PRIu64 "\n", rate.pp_index);
	out_u64(ps->out, "firmware_index", "  PP index (FW readback): %" PRIu64 "\n",
		rate.fw_pp_index);
	return 0;
}

int
port_mlx5_context_dump(struct ports *ps, const struct args *a, struct err *e)
{
	const uint16_t id = arg_port(a), queue = arg_queue(a);
	const bool tx = arg_is(a, "what", "sq_context");
	const char *path = arg_str(a, "file", "");
	static const struct port_driver_op op = { "mlx5_",
		"invalid queue index (%u), out of range" };
	const uint64_t n[3] = { queue };
	__typeof__(&rte_pmd_mlx5_txq_dump_contexts) dump = tx
		? PORT_DRIVER_FIND(ps, id, &op, rte_pmd_mlx5_txq_dump_contexts, e)
		: PORT_DRIVER_FIND(ps, id, &op, rte_pmd_mlx5_rxq_dump_contexts, e);
	int ret;

	if (dump == NULL)
		return -e->code;
	ret = dump(id, queue, path);
	if (ret == -EIO)
		return err_set(e, EIO, "File Access Error (%s): %s", strerror(rte_errno), path);
	if (ret != 0 && ret != -EINVAL && ret != -ENODEV)
		return err_set(e, rte_errno != 0 ? rte_errno : EPROTO,
			"Unable to dump %s/CQ HW Context (%s)", tx ? "SQ" : "RQ",
			strerror(rte_errno));
	return port_driver_result(ps, id, &op, n, ret, e);
}

int
port_mlx5_flow_engine(struct ports *ps, const struct args *a, struct err *e)
{
	const bool standby = arg_is(a, "mode", "standby");
	const uint32_t flags = (uint32_t)arg_u64(a, "flags", 0);
	const char *mode = standby ? "standby" : "active";
	__typeof__(&rte_pmd_mlx5_flow_engine_set_mode) set;
	int ret;

	if (!COMPAT_FLOW_ENGINE_MODE)
		return err_set(e, ENOSYS, "flow_engine: needs DPDK 23.07, this is %s",
			rte_version());
	set = PORT_DRIVER_SYMBOL(rte_pmd_mlx5_flow_engine_set_mode);
	ret = set == NULL ? -ENOTSUP
			  : set(standby ? RTE_PMD_MLX5_FLOW_ENGINE_MODE_STANDBY
					: RTE_PMD_MLX5_FLOW_ENGINE_MODE_ACTIVE,
				    flags);
	if (ret < 0)
		return err_set(e, -ret,
			"Fail to set flow_engine to %s mode with flag 0x%x, error %s%s", mode,
			flags, strerror(-ret), set == NULL ? ": no mlx5 driver is loaded" : "");
	out_say(ps->out, "%d ports: flow engine %s\n", ret, mode);
	return 0;
}

/* Commands for mlx5 drivers, in testpmd's syntax. */

static int
attach(struct app *app, const struct args *a, struct err *e)
{
	static const char key[] = "socket=";
	const char *socket = arg_str(a, "socket", "");
	int ret;

	if (strncmp(socket, key, sizeof(key) - 1) != 0)
		return arg_err(a, "socket", e, EINVAL, "\"%s\": expected socket=PATH", socket);
	ret = port_mlx5_attach(&app->ports, arg_str(a, "device", ""), socket + sizeof(key) - 1, e);
	run_ports_changed(&app->run);
	return ret;
}

/* Read one mask per sampled word; missing masks are zero. */
static int
masks_read(const struct args *a, struct port_geneve_option *option, struct err *e)
{
	const char *at = arg_str(a, "masks", "");
	unsigned int n = 0;
	char *end;

	for (; *(at += strspn(at, " \t")) != '\0'; at = end) {
		const unsigned long long mask = strtoull(at, &end, 0);

		if (*at < '0' || *at > '9' || strcspn(end, " \t") != 0 || mask > UINT32_MAX)
			return arg_err(a, "masks", e, EINVAL,
				"\"%.*s\": expected 32-bit masks such as 0xffffffff",
				(int)strcspn(at, " \t"), at);
		if (n == option->n)
			return arg_err(a, "masks", e, EINVAL,
				"GENEVE TLV option has more data then given data length %u", n);
		option->mask[n++] = (uint32_t)mask;
	}
	return 0;
}

static int
option_set(struct app *app, const struct args *a, struct err *e)
{
	struct port_geneve_option option = {
		.class_id = (uint16_t)arg_u64(a, "class_id", 0),
		.type = (uint8_t)arg_u64(a, "type_id", 0),
		.class_mode = (enum port_geneve_class)arg_u64(a, "mode", 0),
		.length = (uint8_t)arg_u64(a, "length", 0),
		.offset = (uint8_t)arg_u64(a, "first", 0),
		.n = (uint8_t)arg_u64(a, "n", 0),
	};

	if (option.n > 0 && !arg_given(a, "masks"))
		return err_set(e, EINVAL, "sample_len is %u but any data isn't provided", option.n);
	if (option.n == 0 && arg_given(a, "masks"))
		return arg_err(a, "masks", e, EINVAL, "sample_len is 0 but data is provided (%s)",
			arg_str(a, "masks", ""));
	if (masks_read(a, &option, e) != 0)
		return -e->code;
	return port_geneve_add(port_feature_shared(&app->ports, &port_feature_geneve), &option, e);
}

#define PORT "<port:port>"
#define N8 "0..255"
#define N16 "0..65535"
#define N32 "0..4294967295"

static const struct cmd_row rows[] = {
	{ "mlx5 set port " PORT
	  " host_shaper avail_thresh_triggered <triggered:uint 0..1> rate <mbps:uint 0..255>",
		port_mlx5_shaper,
		"limit the rate to the host side of a BlueField card, in units of 100 Mbit/s (0: no limit); triggered 1: also when descriptors run short",
		NULL, NULL },
	{ "mlx5 port attach <device:str> <socket:str>", attach,
		"attach a device that another process opened, using that process's socket", NULL,
		NULL },
	{ "mlx5 port " PORT " ext_rxq map <queue:uint 0..65535> <hardware:uint " N32 ">",
		port_mlx5_queue_map,
		"make a queue that another application created available to flow rules", NULL,
		NULL },
	{ "mlx5 port " PORT " ext_rxq unmap <queue:uint 0..65535>", port_mlx5_queue_unmap,
		"remove the mapping of an external queue", NULL, NULL },
	{ "mlx5 set flow_engine <mode:word active|standby> [<flags:uint " N32 ">]", arg_on_ports,
		"make this process's flow rules active, or standby while another process's are; flags 1: duplicate received packets in standby; needs DPDK 23.07",
		NULL, ARG_ON_PORTS(port_mlx5_flow_engine) },
	{ "mlx5 set tlv_option class <class_id:uint " N16 "> type <type_id:uint " N8
	  "> len <length:uint " N8 "> offset <first:uint " N8 "> sample_len <n:uint " N8
	  "> class_mode <mode:word ignored|fixed|matchable> [data <masks:text>]",
		option_set,
		"add a GENEVE option for flow rules to the list: length, offset and sample_len in words of 4 bytes, data: one mask per sampled word",
		"mlx5 set tlv_option class 258 type 1 len 2 offset 0 sample_len 1 class_mode fixed data 0xffffffff",
		NULL },
	{ "mlx5 list tlv_options", arg_on_ports, "show the listed GENEVE options",
		"mlx5 list tlv_options", ARG_ON_PORTS(port_geneve_show), .shows = true },
	{ "mlx5 flush tlv_options max <n:uint " N8 ">", arg_on_ports,
		"remove the last n GENEVE options from the list", "mlx5 flush tlv_options max 7",
		ARG_ON_PORTS(port_geneve_flush) },
	{ "mlx5 port " PORT " apply tlv_options", arg_on_port,
		"create a port's parser of the listed GENEVE options; needs DPDK 24.03", NULL,
		ARG_ON_PORT(port_geneve_apply) },
	{ "mlx5 port " PORT " destroy tlv_options", arg_on_port,
		"destroy a port's parser of GENEVE options", NULL,
		ARG_ON_PORT(port_geneve_destroy) },
	{ "mlx5 port " PORT " queue <queue:uint " N16
	  "> dump <what:word sq_context|rq_context> <file:file>",
		arg_on_ports,
		"write the hardware context of a Tx (sq) or Rx (rq) queue to a file; needs DPDK 24.07",
		NULL, ARG_ON_PORTS(port_mlx5_context_dump) },
	{ "mlx5 port " PORT " txq <queue:uint " N16 "> rate show", arg_on_ports,
		"show the rate limit of a Tx queue and its entry in the card's table; needs DPDK 26.07",
		NULL, ARG_ON_PORTS(port_mlx5_rate_show) },
};

const struct cmd_table cmds_mlx5 = { "drivers", "single drivers", rows, ARRAY_SIZE(rows),
	CMD_DRIVERS };
