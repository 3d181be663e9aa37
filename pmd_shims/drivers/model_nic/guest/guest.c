/* Answers vfio-user messages for a card: its configuration space, registers and interrupt, and the guest's memory. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/guest/guest.h"

#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/guest/memory.h"
#include "pmd_shims/drivers/model_nic/guest/message.h"
#include "pmd_shims/drivers/model_nic/model_life.h"
#include "pmd_shims/drivers/model_nic/mover.h"
#include "pmd_shims/drivers/model_nic/trap.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	CONFIG_BYTES = 256,
	BODY_BYTES = 4096, /* of a message without its head; longer ones end the connection */
	FDS_MAX = 8,
	MSI_AT = 0x50,
	MSI_BYTES = 14,
	/* as in Intel's cards, whose drivers read there: */
	MSIX_AT = 0x70,
	EXPRESS_AT = 0xa0,
	MSIX_BYTES_MAX = 32 << 10,
};

/* A card's service. Written by its thread but for the sockets and stop. */
struct service {
	struct model *m;
	pthread_t thread;
	int listener, peer; /* sockets; -1: none */
	int stop;           /* an event that ends the thread */
	uint8_t config[CONFIG_BYTES];
	uint8_t msix[MSIX_BYTES_MAX]; /* its BAR; the events of set_irqs() decide, not the table */
	struct guest_memory memory;
	int fds[FDS_MAX]; /* that came with the message in hand */
	unsigned n_fds;
	union {
		uint8_t bytes[BODY_BYTES];
		struct message_version version;
		struct message_dma_map map;
		struct message_dma_unmap unmap;
		struct message_device_info device;
		struct message_region_info region_info;
		struct message_irq_info irq_info;
		struct message_set_irqs irqs;
		struct message_region region;
	} body;
};

static struct service services[MODEL_PORTS_MAX];
static bool served[MODEL_PORTS_MAX];

/* Set bytes of the configuration space, little endian. */
static void
config_set(struct service *s, unsigned at, uint32_t value, unsigned bytes)
{
	memcpy(s->config + at, &value, bytes);
}

/* A card with a memory BAR, a message-signalled interrupt, and MSI-X. */
static void
config_make(struct service *s)
{
	enum { STATUS_CAPABILITIES = 1 << 4, MEMORY_64 = 4, MSI = 5, MSI_64 = 1 << 7 };
	enum {
		BARS = 0x10,
		MSIX = 0x11,
		EXPRESS = 0x10,
		ENDPOINT_2 = 2,
		LANES_8_AT_8GT = 8 << 4 | 3
	};
	const struct model_family *f = s->m->family;

	memset(s->config, 0, sizeof(s->config));
	memset(s->msix, 0, sizeof(s->msix));
	config_set(s, 0x00, f->vendor_id, 2);
	config_set(s, 0x02, f->device_id, 2);
	config_set(s, 0x06, STATUS_CAPABILITIES, 2);
	config_set(s, 0x08, 1, 1);
	config_set(s, 0x0a, 0x0200, 2); /* Ethernet */
	config_set(s, BARS, MEMORY_64, 4);
	config_set(s, BARS + 4u * f->msix.bar, MEMORY_64, 4);
	config_set(s, 0x2c, f->vendor_id, 2);
	config_set(s, 0x2e, 1, 2);
	config_set(s, 0x34, MSI_AT, 1);
	config_set(s, MSI_AT, MSI | MSIX_AT << 8, 2);
	config_set(s, MSI_AT + 2, MSI_64, 2);
	config_set(s, MSIX_AT, MSIX | EXPRESS_AT << 8, 2);
	config_set(s, MSIX_AT + 2, f->msix.vectors - 1u, 2);
	config_set(s, MSIX_AT + 4, f->msix.bar, 4);
	config_set(s, MSIX_AT + 8, f->msix.pending | f->msix.bar, 4);
	config_set(s, EXPRESS_AT, EXPRESS, 2);
	config_set(s, EXPRESS_AT + 2, ENDPOINT_2, 2);
	config_set(s, EXPRESS_AT + 12, LANES_8_AT_8GT, 2);
	config_set(s, EXPRESS_AT + 18, LANES_8_AT_8GT, 2);
}

/* A guest may write its command and its interrupts; the rest stays. */
static void
config_write(struct service *s, uint64_t at, const uint8_t *data, uint32_t count)
{
	enum { MSIX_CONTROL = 0xc0 }; /* on, all masked */

	for (uint32_t i = 0; i < count; i++, at++)
		if ((at >= 4 && at < 6) || (at >= MSI_AT + 2 && at < MSI_AT + MSI_BYTES))
			s->config[at] = data[i];
		else if (at == MSIX_AT + 3)
			s->config[at] = data[i] & MSIX_CONTROL;
}

static void
fds_close(struct service *s)
{
	for (unsigned i = 0; i < s->n_fds; i++)
		if (s->fds[i] >= 0)
			close(s->fds[i]);
	s->n_fds = 0;
}

/* Take a file that came with the message; -1: none is left. */
static int
fd_take(struct service *s)
{
	for (unsigned i = 0; i < s->n_fds; i++) {
		int fd = s->fds[i];

		if (fd < 0)
			continue;
		s->fds[i] = -1;
		return fd;
	}
	return -1;
}

/* Each of the following carries out a command. Returns bytes of the answer in s->body, or -errno. */

static int
version(struct service *s, uint32_t size)
{
	static const char capabilities[] =
		"{\"capabilities\": {\"max_msg_fds\": 8, \"max_data_xfer_size\": 2048}}";

	if (size < sizeof(s->body.version) || s->body.version.major != 0)
		return -ENOTSUP;
	memcpy(s->body.bytes + sizeof(s->body.version), capabilities, sizeof(capabilities));
	return (int)(sizeof(s->body.version) + sizeof(capabilities));
}

/* Memory without a file is ROM of the guest, which no card writes. */
static int
dma_map(struct service *s, uint32_t size)
{
	const struct message_dma_map *d = &s->body.map;
	int fd = fd_take(s), ret = 0;

	if (size < sizeof(*d))
		ret = -EINVAL;
	else if (fd >= 0)
		ret = guest_memory_map(&s->memory, fd, d->offset, d->address, d->size);
	if (fd >= 0)
		close(fd);
	if (ret != 0)
		model_log(s->m, 0, "guest: %llu bytes of memory at 0x%llx: %s",
			(unsigned long long)d->size, (unsigned long long)d->address,
			strerror(-ret));
	return ret;
}

static int
dma_unmap(struct service *s, uint32_t size)
{
	if (size < sizeof(s->body.unmap))
		return -EINVAL;
	model_rings_leave(s->m, s->body.unmap.address, s->body.unmap.size);
	guest_memory_unmap(&s->memory, s->body.unmap.address, s->body.unmap.size);
	return sizeof(s->body.unmap);
}

static int
device_info(struct service *s, uint32_t size)
{
	s->body.device = (struct message_device_info){ .argsz = sizeof(s->body.device),
		.flags = DEVICE_RESETS | DEVICE_PCI,
		.regions = REGIONS,
		.irqs = IRQS };
	return sizeof(s->body.device);
}

static uint64_t
region_bytes(const struct service *s, uint32_t region)
{
	if (region == REGION_BAR0)
		return s->m->family->bar_len;
	if (region == s->m->family->msix.bar)
		return s->m->family->msix.bytes;
	return region == REGION_CONFIG ? CONFIG_BYTES : 0;
}

static int
region_info(struct service *s, uint32_t size)
{
	struct message_region_info *r = &s->body.region_info;
	const uint64_t bytes = size < sizeof(*r) ? 0 : region_bytes(s, r->index);

	if (size < sizeof(*r) || r->index >= REGIONS)
		return -EINVAL;
	*r = (struct message_region_info){ .argsz = sizeof(*r),
		.flags = bytes != 0 ? REGION_READABLE | REGION_WRITABLE : 0,
		.index = r->index,
		.size = bytes };
	return sizeof(*r);
}

static int
irq_info(struct service *s, uint32_t size)
{
	struct message_irq_info *r = &s->body.irq_info;

	if (size < sizeof(*r) || r->index >= IRQS)
		return -EINVAL;
	*r = (struct message_irq_info){ .argsz = sizeof(*r),
		.flags = IRQ_EVENT | IRQ_FIXED,
		.index = r->index,
		.count = r->index == IRQ_MSI   ? 1u
			: r->index == IRQ_MSIX ? s->m->family->msix.vectors
					       : 0u };
	return sizeof(*r);
}

/* Events of vectors, which come in messages of as many as files fit into one; without an event none. */
static int
set_vectors(struct service *s, const struct message_set_irqs *r)
{
	const uint32_t vectors = s->m->family->msix.vectors;

	if (r->start > vectors || r->count > vectors - r->start)
		return -EINVAL;
	if (r->count == 0)
		model_vectors_close(s->m);
	for (uint32_t i = 0; (r->flags & SET_DATA_EVENT) != 0 && i < r->count; i++)
		model_event_set(s->m, (int)(r->start + i), fd_take(s));
	return 0;
}

static int
set_irqs(struct service *s, uint32_t size)
{
	const struct message_set_irqs *r = &s->body.irqs;

	if (size < sizeof(*r))
		return -EINVAL;
	if ((r->flags & SET_TRIGGER) == 0)
		return 0;
	if (r->index == IRQ_MSI)
		model_event_set(s->m, MODEL_MSI,
			(r->flags & SET_DATA_EVENT) != 0 ? fd_take(s) : -1);
	return r->index == IRQ_MSIX ? set_vectors(s, r) : 0;
}

/* Checks a read or write of size bytes in the message. */
static int
region_check(const struct service *s, uint32_t size, bool write)
{
	const struct message_region *r = &s->body.region;
	const uint32_t room = BODY_BYTES - sizeof(*r);

	if (size < sizeof(*r) || r->count > room || (write && size < sizeof(*r) + r->count))
		return -EINVAL;
	if (r->offset > region_bytes(s, r->region) ||
		r->count > region_bytes(s, r->region) - r->offset)
		return -EINVAL;
	return 0;
}

static int
region_read(struct service *s, uint32_t size)
{
	const struct message_region *r = &s->body.region;
	uint8_t *data = s->body.bytes + sizeof(*r);
	int ret = region_check(s, size, false);
	uint64_t value;

	if (ret != 0)
		return ret;
	if (r->region == REGION_CONFIG) {
		memcpy(data, s->config + r->offset, r->count);
	} else if (r->region != REGION_BAR0) {
		memcpy(data, s->msix + r->offset, r->count);
	} else {
		if (!trap_read(s->m, (uint32_t)r->offset, (uint8_t)r->count, &value))
			return -EINVAL;
		memcpy(data, &value, r->count);
	}
	return (int)(sizeof(*r) + r->count);
}

static int
region_write(struct service *s, uint32_t size)
{
	const struct message_region *r = &s->body.region;
	const uint8_t *data = s->body.bytes + sizeof(*r);
	int ret = region_check(s, size, true);
	uint64_t value = 0;

	if (ret != 0)
		return ret;
	if (r->region == REGION_CONFIG) {
		config_write(s, r->offset, data, r->count);
		return sizeof(*r);
	}
	if (r->region != REGION_BAR0) {
		memcpy(s->msix + r->offset, data, r->count);
		return sizeof(*r);
	}
	if (r->count > sizeof(value))
		return -EINVAL;
	memcpy(&value, data, r->count);
	return trap_write(s->m, (uint32_t)r->offset, (uint8_t)r->count, value) ? (int)sizeof(*r)
									       : -EINVAL;
}

static int
device_reset(struct service *s, uint32_t size)
{
	config_make(s);
	model_reset(s->m);
	return 0;
}

static int (*const commands[])(struct service *s, uint32_t size) = {
	[MESSAGE_VERSION] = version,
	[MESSAGE_DMA_MAP] = dma_map,
	[MESSAGE_DMA_UNMAP] = dma_unmap,
	[MESSAGE_DEVICE_INFO] = device_info,
	[MESSAGE_REGION_INFO] = region_info,
	[MESSAGE_IRQ_INFO] = irq_info,
	[MESSAGE_SET_IRQS] = set_irqs,
	[MESSAGE_REGION_READ] = region_read,
	[MESSAGE_REGION_WRITE] = region_write,
	[MESSAGE_RESET] = device_reset,
};

/* Receive all bytes, and files with the first. Returns false at the end of the connection. */
static bool
receive(struct service *s, void *to, size_t len)
{
	union {
		struct cmsghdr head;
		uint8_t bytes[CMSG_SPACE(FDS_MAX * sizeof(int))];
	} control;

	while (len > 0) {
		struct iovec part = { .iov_base = to, .iov_len = len };
		struct msghdr h = { .msg_iov = &part,
			.msg_iovlen = 1,
			.msg_control = &control,
			.msg_controllen = sizeof(control) };
		struct pollfd p[] = { { .fd = s->peer, .events = POLLIN },
			{ .fd = s->stop, .events = POLLIN } };
		ssize_t n;

		if (poll(p, 2, -1) < 0 || p[1].revents != 0)
			return false;
		n = recvmsg(s->peer, &h, MSG_CMSG_CLOEXEC);
		if (n <= 0)
			return false;
		for (struct cmsghdr *c = CMSG_FIRSTHDR(&h); c != NULL; c = CMSG_NXTHDR(&h, c)) {
			size_t bytes = c->cmsg_len - CMSG_LEN(0);

			if (c->cmsg_type != SCM_RIGHTS || s->n_fds + bytes / sizeof(int) > FDS_MAX)
				continue;
			memcpy(s->fds + s->n_fds, CMSG_DATA(c), bytes);
			s->n_fds += (unsigned)(bytes / sizeof(int));
		}
		to = (uint8_t *)to + n;
		len -= (size_t)n;
	}
	return true;
}

static bool
answer(struct service *s, struct message_head *h, int ret)
{
	const uint32_t body = ret > 0 ? (uint32_t)ret : 0;
	struct iovec parts[] = { { .iov_base = h, .iov_len = sizeof(*h) },
		{ .iov_base = s->body.bytes, .iov_len = body } };
	struct msghdr out = { .msg_iov = parts, .msg_iovlen = 2 };

	if ((h->flags & MESSAGE_NO_REPLY) != 0)
		return true;
	h->size = (uint32_t)sizeof(*h) + body;
	h->flags = MESSAGE_REPLY | (ret < 0 ? MESSAGE_ERROR : 0);
	h->error = ret < 0 ? (uint32_t)-ret : 0;
	return sendmsg(s->peer, &out, MSG_NOSIGNAL) == (ssize_t)h->size;
}

/* Answer one message. Returns false when the connection is over. */
static bool
message(struct service *s)
{
	struct message_head h;
	uint32_t size;
	int ret = -ENOTSUP;

	if (!receive(s, &h, sizeof(h)))
		return false;
	if (h.size < sizeof(h) || h.size - sizeof(h) > sizeof(s->body.bytes)) {
		model_log(s->m, 0, "guest: command %u of %u bytes: expected %zu to %zu", h.command,
			h.size, sizeof(h), sizeof(h) + sizeof(s->body.bytes));
		return false;
	}
	size = h.size - (uint32_t)sizeof(h);
	if (!receive(s, s->body.bytes, size))
		return false;
	if (h.command < sizeof(commands) / sizeof(commands[0]) && commands[h.command] != NULL)
		ret = commands[h.command](s, size);
	if (ret < 0)
		model_log(s->m, 1, "guest: command %u of %u bytes: %s", h.command, size,
			strerror(-ret));
	fds_close(s);
	return answer(s, &h, ret);
}

/* A guest is there: the card is on until it leaves. */
static void
guest_have(struct service *s)
{
	int ret = model_power_on(s->m);

	if (ret != 0) {
		model_log(s->m, 0, "guest: %s", strerror(-ret));
		return;
	}
	config_make(s);
	model_log(s->m, 1, "guest: connected");
	while (message(s))
		;
	model_log(s->m, 1, "guest: gone");
	fds_close(s);
	model_power_off(s->m);
	model_event_set(s->m, MODEL_MSI, -1);
	model_vectors_close(s->m);
	guest_memory_close(&s->memory);
}

static void *
serve(void *arg)
{
	struct service *s = arg;
	struct pollfd p[] = { { .fd = s->listener, .events = POLLIN },
		{ .fd = s->stop, .events = POLLIN } };

	while (poll(p, 2, -1) > 0 && p[1].revents == 0) {
		s->peer = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
		if (s->peer < 0)
			continue;
		guest_have(s);
		close(s->peer);
		s->peer = -1;
	}
	return NULL;
}

/* A socket at a path, in place of one that a dead process left. Returns it, or -errno. */
static int
listen_at(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), ret;
	struct stat st;

	if (fd < 0)
		return -errno;
	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	if (stat(path, &st) == 0 && S_ISSOCK(st.st_mode) &&
		connect(fd, (struct sockaddr *)&a, sizeof(a)) != 0)
		unlink(path);
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 && listen(fd, 1) == 0)
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

int
guest_serve(struct model *m)
{
	const char *path = config_current.port[m->port].guest;
	struct service *s = &services[m->port];
	sigset_t signals;
	int ret;

	if (served[m->port])
		return 0;
	*s = (struct service){ .m = m, .peer = -1 };
	s->listener = listen_at(path);
	if (s->listener < 0) {
		model_log(m, 0, "guest=%s: %s", path, strerror(-s->listener));
		return s->listener;
	}
	s->stop = eventfd(0, EFD_CLOEXEC);
	mover_signals_block(&signals);
	ret = s->stop < 0 ? -errno : -pthread_create(&s->thread, NULL, serve, s);
	pthread_sigmask(SIG_SETMASK, &signals, NULL);
	if (ret != 0) {
		close(s->listener);
		return ret;
	}
	served[m->port] = true;
	return 0;
}

void
guest_end(void)
{
	for (unsigned i = 0; i < MODEL_PORTS_MAX; i++) {
		struct service *s = &services[i];
		const uint64_t one = 1;

		if (!served[i])
			continue;
		if (write(s->stop, &one, sizeof(one)) == sizeof(one))
			pthread_join(s->thread, NULL);
		close(s->stop);
		close(s->listener);
		unlink(config_current.port[i].guest);
		served[i] = false;
	}
}
