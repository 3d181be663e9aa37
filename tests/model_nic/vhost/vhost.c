/* The plugin vhost_nic.so: vhost-user backends for virtio-user ports of the same process, with a
 * modelled device behind each. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * -d vhost_nic.so, MODEL_NIC="virtio[,KEY[=VALUE]]..." (config.h) and VHOST_NIC=FOLDER in the
 * environment: port N's socket is FOLDER/N, to be given to --vdev=net_virtio_userN,path=. Devices
 * are there before EAL probes.
 */
#include "model_nic/vhost/vring.h"
#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/control.h"
#include "pmd_shims/drivers/model_nic/families.h"
#include "pmd_shims/drivers/model_nic/model_life.h"
#include "pmd_shims/drivers/model_nic/mover.h"

#include <errno.h>
#include <linux/vhost_types.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Source: vhost-user protocol, version 1, as QEMU's documentation has it. */
enum request {
	GET_FEATURES = 1,
	SET_FEATURES = 2,
	SET_VRING_NUM = 8,
	SET_VRING_ADDR = 9,
	GET_VRING_BASE = 11,
	SET_VRING_KICK = 12
};

struct message {
	uint32_t request, flags, size;
	union {
		uint64_t u64;
		struct vhost_vring_state state;
		struct vhost_vring_addr addr;
		uint8_t bytes[1024];
	};
} __attribute__((packed));

enum { MESSAGE_HEADER = 12, IS_REPLY = 1 << 2 | 1, INDEX = 0xff };

/* One port; its own thread's but for lock and peer. */
struct backend {
	struct model *m;
	struct vring_place place[VRINGS];
	int listener;
	pthread_mutex_t lock; /* held from before a message is read until it is handled */
	int peer;             /* the driver's connection, under lock; 0: none */
};

static void
complain(const char *what, const char *why)
{
	fprintf(stderr, "vhost_nic: %s: %s\n", what, why);
}

static void
reply(int peer, struct message *msg, uint32_t size)
{
	msg->flags = IS_REPLY;
	msg->size = size;
	if (send(peer, msg, MESSAGE_HEADER + size, MSG_NOSIGNAL) < 0)
		complain("reply", strerror(errno));
}

static void
rings_disable(struct backend *b)
{
	for (unsigned i = 0; i < VRINGS; i++)
		vring_disable(b->m, i);
}

/* kick: the descriptor that came along, which belongs to the ring then; or -1. */
static void
answer(struct backend *b, int peer, struct message *msg, int kick)
{
	const unsigned index = msg->state.index & INDEX;

	switch (msg->request) {
	case GET_FEATURES:
		msg->u64 = vring_features;
		reply(peer, msg, sizeof(msg->u64));
		return;
	case SET_FEATURES: /* a reset comes as all rings being stopped first */
		((struct vnic *)b->m->state)->features = msg->u64;
		return;
	case SET_VRING_NUM:
	case SET_VRING_ADDR:
	case GET_VRING_BASE:
	case SET_VRING_KICK:
		if (index < VRINGS)
			break;
		complain("message", "a ring that was not offered");
		return;
	default: /* memory is shared already; nobody is called or notified */ return;
	}
	switch (msg->request) {
	case SET_VRING_NUM: b->place[index].size = (uint16_t)msg->state.num; break;
	case SET_VRING_ADDR:
		b->place[index].desc = (void *)(uintptr_t)msg->addr.desc_user_addr;
		b->place[index].driver = (void *)(uintptr_t)msg->addr.avail_user_addr;
		b->place[index].device = (void *)(uintptr_t)msg->addr.used_user_addr;
		break;
	case GET_VRING_BASE:
		vring_disable(b->m, index);
		msg->state.num = 0;
		reply(peer, msg, sizeof(msg->state));
		break;
	default: /* the ring begins to be used when it is kicked for the first time */
		if (!vring_enable(b->m, index, &b->place[index], kick))
			complain("ring", "it is nowhere, or no power of two");
	}
}

/* Its addresses are ours only in this process. */
static bool
is_us(int peer)
{
	struct ucred who;
	socklen_t size = sizeof(who);

	return getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 && who.pid == getpid();
}

/*
 * Receive the header of a message; *fd: the first descriptor that came along (no room for more,
 * which closes them), or -1.
 */
static bool
header_receive(int peer, struct message *msg, int *fd)
{
	struct iovec part = { .iov_base = msg, .iov_len = MESSAGE_HEADER };
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} beside;
	struct msghdr all = { .msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &beside,
		.msg_controllen = sizeof(beside) };
	const struct cmsghdr *c;
	bool whole = recvmsg(peer, &all, MSG_WAITALL | MSG_CMSG_CLOEXEC) == MESSAGE_HEADER;

	*fd = -1;
	c = CMSG_FIRSTHDR(&all);
	if (c != NULL && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	return whole;
}

/* One message, which is there already or begins to come. false: none, or a broken one. */
static bool
serve_one(struct backend *b, int peer)
{
	struct message msg;
	bool kick;
	int fd;

	if (!header_receive(peer, &msg, &fd) || msg.size > sizeof(msg.bytes) ||
		(msg.size != 0 &&
			recv(peer, msg.bytes, msg.size, MSG_WAITALL) != (ssize_t)msg.size))
		return false;
	kick = msg.request == SET_VRING_KICK && (msg.state.index & INDEX) < VRINGS;
	if (fd >= 0 && !kick)
		close(fd);
	answer(b, peer, &msg, kick ? fd : -1);
	return true;
}

static void
peer_set(struct backend *b, int peer)
{
	pthread_mutex_lock(&b->lock);
	b->peer = peer;
	pthread_mutex_unlock(&b->lock);
}

static void
serve(struct backend *b, int peer)
{
	bool served = true;
	char first;

	peer_set(b, peer);
	while (served && recv(peer, &first, sizeof(first), MSG_PEEK) == sizeof(first)) {
		pthread_mutex_lock(&b->lock);
		served = serve_one(b, peer);
		pthread_mutex_unlock(&b->lock);
	}
	peer_set(b, 0);
	rings_disable(b);
}

static void *
listen_for(void *arg)
{
	struct backend *b = arg;
	int peer;

	while ((peer = accept4(b->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		if (!is_us(peer))
			complain("connection", "expected a port of this process");
		else if (model_power_on(b->m) != 0)
			complain("connection", "no memory");
		else
			serve(b, peer);
		model_power_off(b->m);
		close(peer);
	}
	return NULL;
}

static struct backend backends[MODEL_PORTS_MAX];

/*
 * A driver awaits no answer to the messages that start its rings: without this its port was stepped
 * with a receive ring alone while the thread had no CPU, and its Tx ring stayed full.
 */
void
vhost_wait_told(struct model *m)
{
	static const struct timespec wait = { .tv_nsec = 100 * 1000 };
	struct backend *b = &backends[m->port];
	int unread;

	for (;;) {
		unread = 0;
		pthread_mutex_lock(&b->lock);
		if (b->peer > 0 && ioctl(b->peer, FIONREAD, &unread) != 0)
			unread = 0;
		pthread_mutex_unlock(&b->lock);
		if (unread == 0)
			return;
		nanosleep(&wait, NULL);
	}
}

static void
sockets_remove(void)
{
	struct sockaddr_un at;
	socklen_t size;

	for (unsigned i = 0; i < config_current.ports; i++) {
		size = sizeof(at);
		if (backends[i].listener > 0 &&
			getsockname(backends[i].listener, (struct sockaddr *)&at, &size) == 0)
			unlink(at.sun_path);
	}
}

static void
finish(void)
{
	mover_stop();
	control_report_write();
	models_close();
	sockets_remove();
}

/* Returns 0 or -errno. */
static int
backend_start(struct backend *b, unsigned port, const char *folder)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	pthread_t thread;
	int ret;

	b->m = model_port(port);
	pthread_mutex_init(&b->lock, NULL);
	if ((size_t)snprintf(at.sun_path, sizeof(at.sun_path), "%s/%u", folder, port) >=
		sizeof(at.sun_path))
		return -ENAMETOOLONG;
	b->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (b->listener < 0 || bind(b->listener, (struct sockaddr *)&at, sizeof(at)) < 0 ||
		listen(b->listener, 1) < 0)
		return -errno;
	ret = pthread_create(&thread, NULL, listen_for, b);
	if (ret == 0)
		pthread_detach(thread);
	return -ret;
}

/* EAL goes on after a plugin that failed, without the devices that were asked for. */
__attribute__((constructor)) static void
start(void)
{
	const struct config_words words =
		config_words(model_families, getenv("MODEL_NIC"), "MODEL_NIC: ");
	const char *folder = getenv("VHOST_NIC");
	char why[512];
	int ret;

	if (folder == NULL) {
		complain("VHOST_NIC", "not set: expected a folder for sockets: no devices");
		return;
	}
	if (config_parse(&words, &config_current, why, sizeof(why)) != 0 ||
		models_create(why, sizeof(why)) != 0) {
		complain("configuration", why);
		exit(EXIT_FAILURE);
	}
	atexit(finish);
	for (unsigned i = 0; i < config_current.ports; i++) {
		ret = backend_start(&backends[i], i, folder);
		if (ret != 0) {
			complain(folder, strerror(-ret));
			exit(EXIT_FAILURE);
		}
	}
	control_register();
}
