/* Functions of mlx5 ports beyond ethdev. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/vendor/port_mlx5.h"

#include "base/base.h"
#include "base/err.h"
#include "features/vendor/port_driver.h"
#include "port/port.h"
#include "port/port_attach.h"

#include <rte_config.h>
#include <rte_ethdev.h>
#ifdef RTE_NET_MLX5
#include <rte_pmd_mlx5.h>
#endif

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define OWN(function) PORT_DRIVER_OWN("mlx5_", rte_pmd_mlx5_##function)
#ifdef RTE_NET_MLX5
#define FORM(function, type) \
	static_assert(sizeof((type)NULL == &rte_pmd_mlx5_##function), "unexpected signature")
#else
#define FORM(function, type) static_assert(1, "not in this DPDK")
#endif

typedef int (*shaper_set)(int, uint8_t, uint32_t);
typedef int (*queue_map)(uint16_t, uint16_t, uint32_t);
typedef int (*queue_unmap)(uint16_t, uint16_t);

FORM(host_shaper_config, shaper_set);
FORM(external_rx_queue_id_map, queue_map);
FORM(external_rx_queue_id_unmap, queue_unmap);

/* RTE_BIT32(MLX5_HOST_SHAPER_FLAG_AVAIL_THRESH_TRIGGERED) */
#define TRIGGERED 1u

int
port_mlx5_shaper(struct ports *ps, uint16_t id, bool triggered, uint8_t rate, struct err *e)
{
	static const struct port_driver_op op = { { OWN(host_shaper_config) }, NULL,
		.lacks = "cmd_port_host_shaper error: (Operation not supported)",
		.always = "cmd_port_host_shaper error: (%s)" };
	static const uint64_t none[3];
	const port_driver_call call = port_driver_find(ps, id, &op, NULL, e);
	int ret;

	if (call == NULL)
		return -e->code;
	ret = ((shaper_set)call)(id, triggered, TRIGGERED);
	if (ret == 0)
		ret = ((shaper_set)call)(id, rate, 0);
	return port_driver_result(ps, id, &op, none, ret, e);
}

#define QUEUE_LACKS .lacks = "function not implemented or supported"

int
port_mlx5_queue_map(struct ports *ps, uint16_t id, uint16_t queue, uint32_t hardware, struct err *e)
{
	static const struct port_driver_op op = { { OWN(external_rx_queue_id_map) },
		"invalid ethdev index (%u), out of range", QUEUE_LACKS };
	const uint64_t n[3] = { queue };
	const port_driver_call call = port_driver_find(ps, id, &op, NULL, e);
	int ret;

	if (call == NULL)
		return -e->code;
	ret = ((queue_map)call)(id, queue, hardware);
	if (ret == -EEXIST)
		return err_set(e, EEXIST, "mapping with index %u already exists", queue);
	return port_driver_result(ps, id, &op, n, ret, e);
}

int
port_mlx5_queue_unmap(struct ports *ps, uint16_t id, uint16_t queue, struct err *e)
{
	static const struct port_driver_op op = { { OWN(external_rx_queue_id_unmap) },
		"invalid rte_flow index (%u), out of range, doesn't exist or still referenced",
		QUEUE_LACKS };
	const uint64_t n[3] = { queue };
	const port_driver_call call = port_driver_find(ps, id, &op, NULL, e);

	if (call == NULL)
		return -e->code;
	return port_driver_result(ps, id, &op, n, ((queue_unmap)call)(id, queue), e);
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

int
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
