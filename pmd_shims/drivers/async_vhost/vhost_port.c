/* A port of net_async_vhost: found among all ports of ethdev, its DMA devices, messages that librte_vhost must not see, its statistics. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_priv.h"

#include <ethdev_driver.h>
#include <rte_common.h>
#include <rte_dmadev.h>
#include <rte_eal.h>
#include <rte_vhost.h>

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/vhost_types.h>
#include <linux/virtio_config.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vhost_user.h>

/* The device argument dmas: parsed when the port is probed, but looked up when it is configured, so
 * that the DMA devices may be probed later. */

static void
forget(struct vhost_dma *d)
{
	d->name[0] = '\0';
	d->dev = -1;
}

/* Parse one "txq0@NAME". */
static int
parse_one(struct vhost_dmas *d, const char *word, uint16_t queues, char *why, unsigned int size)
{
	const char *at = strchr(word, '@');
	struct vhost_dma *to;
	char *end;
	unsigned long queue;
	bool rx = strncmp(word, "rxq", 3) == 0;

	if (at == NULL || (!rx && strncmp(word, "txq", 3) != 0) || word[3] < '0' || word[3] > '9' ||
		at[1] == '\0' || strlen(at + 1) >= VHOST_DMAS_NAME) {
		snprintf(why, size, "dmas: %s: expected txqN@DEVICE or rxqN@DEVICE", word);
		return -EINVAL;
	}
	queue = strtoul(word + 3, &end, 10);
	if (end != at || queue >= queues) {
		snprintf(why, size, "dmas: %s: expected a queue in 0..%u", word, queues - 1);
		return -EINVAL;
	}
	to = rx ? &d->rxq[queue] : &d->txq[queue];
	if (to->name[0] != '\0') {
		snprintf(why, size, "dmas: %s: the queue already has %s", word, to->name);
		return -EINVAL;
	}
	snprintf(to->name, sizeof(to->name), "%s", at + 1);
	return 0;
}

int
vhost_dmas_parse(struct vhost_dmas *d, const char *text, uint16_t queues, char *why,
	unsigned int size)
{
	char *copy, *rest, *word;
	size_t n;
	int ret = 0;

	for (unsigned int i = 0; i < RTE_DIM(d->rxq); i++) {
		forget(&d->rxq[i]);
		forget(&d->txq[i]);
	}
	d->movable = text != NULL && strcmp(text, "auto") == 0;
	if (text == NULL || d->movable)
		return 0;
	n = strlen(text);
	if (n < 2 || text[0] != '[' || text[n - 1] != ']') {
		snprintf(why, size, "dmas=%s: expected [txq0@DEVICE;rxq0@DEVICE] or auto", text);
		return -EINVAL;
	}
	copy = strdup(text + 1);
	if (copy == NULL) {
		snprintf(why, size, "dmas=%s: no memory", text);
		return -ENOMEM;
	}
	copy[n - 2] = '\0';
	for (word = strtok_r(copy, ";", &rest); ret == 0 && word != NULL;
		word = strtok_r(NULL, ";", &rest))
		ret = parse_one(d, word, queues, why, size);
	free(copy);
	return ret;
}

/* Entry i of all queues: the receive queues, then the transmit queues. */
static struct vhost_dma *
nth(struct vhost_dmas *d, unsigned int i)
{
	return i < RTE_DIM(d->rxq) ? &d->rxq[i] : &d->txq[i - RTE_DIM(d->rxq)];
}

#define ALL (2 * RTE_DIM(((struct vhost_dmas *)NULL)->rxq))

/* Assign a vchan to each queue that names the same device as entry first. Returns their number. */
static uint16_t
share(struct vhost_dmas *d, unsigned int first, int16_t dev)
{
	uint16_t vchans = 0;

	for (unsigned int i = first; i < ALL; i++)
		if (strcmp(nth(d, i)->name, nth(d, first)->name) == 0) {
			nth(d, i)->dev = dev;
			nth(d, i)->vchan = vchans++;
		}
	return vchans;
}

int
vhost_dmas_start(int16_t dev, const struct rte_dma_info *info, uint16_t vchans)
{
	const struct rte_dma_conf conf = { .nb_vchans = vchans };
	const struct rte_dma_vchan_conf vchan = { .direction = RTE_DMA_DIR_MEM_TO_MEM,
		.nb_desc = info->max_desc };
	int ret = rte_eal_iova_mode() == RTE_IOVA_VA ? rte_dma_configure(dev, &conf) : -ENOTSUP;

	for (uint16_t i = 0; ret == 0 && i < vchans; i++)
		ret = rte_dma_vchan_setup(dev, i, &vchan);
	if (ret == 0)
		ret = rte_dma_start(dev);
	return ret;
}

static int
take(struct vhost_dmas *d, unsigned int first, char *why, unsigned int size)
{
	const char *name = nth(d, first)->name;
	int16_t dev = (int16_t)rte_dma_get_dev_id_by_name(name);
	struct rte_dma_info info;
	uint16_t vchans;
	int ret;

	if (dev < 0 || rte_dma_info_get(dev, &info) != 0) {
		snprintf(why, size, "dmas: no DMA device %s", name);
		return -ENODEV;
	}
	vchans = share(d, first, dev);
	if (vchans > info.max_vchans)
		ret = -ENOSPC;
	else
		ret = vhost_dmas_start(dev, &info, vchans);
	if (ret == -EBUSY)
		snprintf(why, size, "dmas: DMA device %s is in use", name);
	else if (ret == -ENOTSUP && rte_eal_iova_mode() != RTE_IOVA_VA)
		snprintf(why, size, "dmas: DMA device %s: use --iova-mode=va", name);
	else if (ret == -ENOSPC)
		snprintf(why, size,
			"dmas: DMA device %s has %u vchans, but %u queues need one each", name,
			info.max_vchans, vchans);
	else if (ret != 0)
		snprintf(why, size, "dmas: DMA device %s: %s", name, strerror(-ret));
	for (unsigned int i = first; ret != 0 && i < ALL; i++)
		if (nth(d, i)->dev == dev)
			nth(d, i)->dev = -1;
	return ret;
}

int
vhost_dmas_take(struct vhost_dmas *d, char *why, unsigned int size)
{
	int ret = 0;

	for (unsigned int i = 0; ret == 0 && i < ALL; i++)
		if (nth(d, i)->name[0] != '\0' && nth(d, i)->dev < 0)
			ret = take(d, i, why, size);
	if (ret != 0)
		vhost_dmas_release(d);
	return ret;
}

void
vhost_dmas_release(struct vhost_dmas *d)
{
	for (unsigned int i = 0; i < ALL; i++) {
		struct vhost_dma *v = nth(d, i);

		if (v->dev < 0)
			continue;
		/* Stop the device only after its last vchan was unconfigured. */
		for (unsigned int k = i + 1; k < ALL && v->dev >= 0; k++)
			if (nth(d, k)->dev == v->dev)
				v->dev = -1;
		if (v->dev >= 0)
			rte_dma_stop(v->dev);
		v->dev = -1;
	}
}

/* Refuses vhost-user messages that librte_vhost would trust although they are unsafe. */

enum { RING_OF_EVENT = 0xff };

/* A message as on the wire, which is how the library stores it. */
struct message {
	uint32_t request, flags, size;
	union {
		uint64_t u64;
		struct vhost_vring_state state;
		VhostUserMemory memory;
	};
} __attribute__((packed));

static_assert(offsetof(struct message, u64) == VHOST_USER_HDR_SIZE, "the library's messages");

/* True if the library has mapped ring n or a guest may kick it, so that its length is in use. */
static bool
in_use(int vid, unsigned int n, struct rte_vhost_vring *ring)
{
	return n < rte_vhost_get_vring_num(vid) &&
		rte_vhost_get_vhost_vring(vid, (uint16_t)n, ring) == 0 &&
		(ring->desc != NULL || ring->kickfd >= 0);
}

static const char *
features_refused(struct vhost_message_said *said, int vid, uint64_t features)
{
	struct rte_vhost_vring ring;
	uint64_t had = 0;
	bool used = false;

	for (unsigned int n = 0; n < VHOST_MESSAGE_RINGS; n++)
		used |= in_use(vid, n, &ring);
	rte_vhost_get_negotiated_features(vid, &had);
	if (used && ((had ^ features) & 1ULL << VIRTIO_F_RING_PACKED))
		return "cannot switch between split and packed rings while rings are in use";
	if (!used && vid == said->vid)
		memset(said->sized, 0, sizeof(said->sized));
	return NULL;
}

/* True if the library's mmap() will succeed and the file has all of the region. */
static bool
maps(const VhostUserMemoryRegion *region, int fd)
{
	const uint64_t size = region->mmap_offset + region->memory_size;
	struct stat file;
	void *at;

	if (size <= region->mmap_offset || fstat(fd, &file) != 0 ||
		(!S_ISCHR(file.st_mode) && size > (uint64_t)file.st_size))
		return false;
	at = mmap(NULL, RTE_ALIGN_CEIL(size, (uint64_t)file.st_blksize), PROT_READ | PROT_WRITE,
		MAP_SHARED, fd, 0);
	return at != MAP_FAILED && munmap(at, RTE_ALIGN_CEIL(size, (uint64_t)file.st_blksize)) == 0;
}

/*
 * The library would touch memory beyond the file's end (SIGBUS). If it cannot map a region, it has
 * already unmapped the old regions, which are still used by the rings.
 */
static const char *
memory_refused(const struct message *m, const int *fds)
{
	const uint32_t regions = RTE_MIN(m->memory.nregions, (uint32_t)VHOST_MEMORY_MAX_NREGIONS);
	VhostUserMemoryRegion region;

	for (uint32_t n = 0; n < regions; n++) {
		region = m->memory.regions[n];
		if (fds[n] >= 0 && !maps(&region, fds[n]))
			return "a memory region cannot be mapped, or is longer than its file";
	}
	return NULL;
}

static const char *
number_refused(struct vhost_message_said *said, int vid, unsigned int n, uint32_t number)
{
	struct rte_vhost_vring ring;

	if (vid != said->vid || n >= VHOST_MESSAGE_RINGS)
		return vid != said->vid ? "another frontend has connected"
					: NULL; /* the library refuses it */
	if (in_use(vid, n, &ring) && ring.size != number)
		return "a ring changes its length while it is in use";
	said->sized[n] = true;
	return NULL;
}

static const char *
start_refused(const struct vhost_message_said *said, int vid, unsigned int n)
{
	if (vid != said->vid)
		return "another frontend has connected";
	return n < VHOST_MESSAGE_RINGS && !said->sized[n] ? "a ring starts before its length is set"
							  : NULL;
}

static const char *
refused(struct vhost_message_said *said, int vid, const struct message *m, const int *fds)
{
	switch (m->request) {
	case VHOST_MESSAGE_SET_FEATURES: return features_refused(said, vid, m->u64);
	case VHOST_MESSAGE_SET_MEM_TABLE: return memory_refused(m, fds);
	case VHOST_MESSAGE_SET_VRING_NUM:
		return number_refused(said, vid, m->state.index, m->state.num);
	case VHOST_MESSAGE_SET_VRING_ADDR: return start_refused(said, vid, m->state.index);
	case VHOST_MESSAGE_SET_VRING_KICK: return start_refused(said, vid, m->u64 & RING_OF_EVENT);
	case VHOST_MESSAGE_GET_VRING_BASE: /* the library frees the ring's arrays */
		if (vid == said->vid && m->state.index < VHOST_MESSAGE_RINGS)
			said->sized[m->state.index] = false;
		return NULL;
	/* The library compares neither offset nor length with the file or with the rings. */
	case VHOST_MESSAGE_SET_LOG_BASE: return "logging of changed memory is not supported";
	case VHOST_MESSAGE_GET_INFLIGHT_FD:
	case VHOST_MESSAGE_SET_INFLIGHT_FD: return "sharing of packets in flight is not supported";
	default: return NULL;
	}
}

void
vhost_message_begin(struct vhost_message_said *said, int vid)
{
	*said = (struct vhost_message_said){ .vid = vid };
}

const char *
vhost_message_refused(struct vhost_message_said *said, int vid, void *context)
{
	struct vhu_msg_context *all = context; /* packed: its file descriptors may be unaligned */
	int fds[RTE_DIM(all->fds)];
	const char *why;

	memcpy(fds, (const char *)all + offsetof(struct vhu_msg_context, fds), sizeof(fds));
	why = refused(said, vid, context, fds);
	for (unsigned int n = 0; why != NULL && n < RTE_DIM(fds); n++)
		if (fds[n] >= 0) {
			close(fds[n]);
			all->fds[n] = -1;
		}
	return why;
}

bool
vhost_message_changes_memory(const void *context)
{
	const struct message *m = context;

	return m->request == VHOST_MESSAGE_SET_MEM_TABLE ||
		m->request == VHOST_MESSAGE_ADD_MEM_REG || m->request == VHOST_MESSAGE_REM_MEM_REG;
}

bool
vhost_message_changes(const void *context, unsigned int n)
{
	const struct message *m = context;

	if (vhost_message_changes_memory(context))
		return true;
	switch (m->request) {
	case VHOST_MESSAGE_SET_VRING_KICK: return (m->u64 & RING_OF_EVENT) == n;
	case VHOST_MESSAGE_SET_VRING_NUM:
	case VHOST_MESSAGE_SET_VRING_ADDR: /* also begins with the ring's number */
	case VHOST_MESSAGE_SET_VRING_BASE:
	case VHOST_MESSAGE_SET_VRING_ENABLE: return m->state.index == n;
	default: return false;
	}
}

struct vhost_port *
vhost_port_of(uint16_t id)
{
	const struct rte_eth_dev *dev;

	if (id >= RTE_MAX_ETHPORTS)
		return NULL;
	dev = &rte_eth_devices[id];
	/* Identify the driver by a burst function: guests may connect while the port is probed. */
	return dev->tx_pkt_burst == vhost_queue_tx ? dev->data->dev_private : NULL;
}

struct vhost_port *
vhost_port_by_path(const char *path)
{
	struct vhost_port *p;

	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++) {
		p = vhost_port_of(id);
		if (p != NULL && strcmp(p->path, path) == 0)
			return p;
	}
	return NULL;
}

/* Lock all queues of all ports that use the device, or end that with their packets in flight. */
static void
engine_hold(int16_t dma, bool hold)
{
	for (uint16_t id = 0; id < RTE_MAX_ETHPORTS; id++) {
		struct vhost_port *p = vhost_port_of(id);

		for (unsigned int i = 0; p != NULL && i < 2u * p->queues; i++) {
			struct vhost_queue *q = vhost_port_vring(p, i);

			if (!atomic_load(&q->setup))
				continue;
			if (hold && q->path.dma == dma) {
				rte_spinlock_lock(&q->path.lock);
				q->path.held = true;
			} else if (!hold && q->path.held) {
				q->path.held = false;
				vhost_queue_abandon(q);
				rte_spinlock_unlock(&q->path.lock);
			}
		}
	}
}

void
vhost_port_engine_stop(int16_t dma)
{
	engine_hold(dma, true);
	rte_dma_stop(dma);
	engine_hold(dma, false);
}

void
vhost_port_link(const struct vhost_port *p, bool up)
{
	struct rte_eth_dev *dev = &rte_eth_devices[p->id];
	struct rte_eth_link link = dev->data->dev_link;

	if (link.link_status == up)
		return;
	link.link_status = up;
	rte_eth_linkstatus_set(dev, &link);
	rte_eth_dev_callback_process(dev, RTE_ETH_EVENT_INTR_LSC, NULL);
}

/* ethdev's statistics of net_async_vhost: counts of each virtqueue since the last reset. */

#define WORDS (sizeof(struct net_async_vhost_stats) / sizeof(uint64_t))

static const struct {
	const char *name;
	size_t at;
} rows[] = {
	{ "packets", offsetof(struct net_async_vhost_stats, packets) },
	{ "bytes", offsetof(struct net_async_vhost_stats, bytes) },
	{ "cpu_bytes", offsetof(struct net_async_vhost_stats, cpu_bytes) },
	{ "dma_bytes", offsetof(struct net_async_vhost_stats, dma_bytes) },
	{ "in_flight", offsetof(struct net_async_vhost_stats, in_flight) },
	{ "drained", offsetof(struct net_async_vhost_stats, drained) },
	{ "refused", offsetof(struct net_async_vhost_stats, refused) },
	{ "csum", offsetof(struct net_async_vhost_stats, csum) },
};

/* A virtqueue's statistics since the last reset. */
static struct net_async_vhost_stats
since_reset(struct vhost_queue *q)
{
	struct net_async_vhost_stats now;
	const uint64_t level = (vhost_queue_stats(q, &now), now.in_flight);
	uint64_t *word = (uint64_t *)&now;
	const uint64_t *base = (const uint64_t *)&q->base;

	for (unsigned int i = 0; i < WORDS; i++)
		word[i] -= base[i];
	now.in_flight = level;
	return now;
}

/* The port's i-th virtqueue that was set up; NULL: there are no more. */
static struct vhost_queue *
virtqueue(struct vhost_port *p, unsigned int i)
{
	for (unsigned int vring = 0; vring < 2u * p->queues; vring++)
		if (atomic_load(&vhost_port_vring(p, vring)->setup) && i-- == 0)
			return vhost_port_vring(p, vring);
	return NULL;
}

#if RTE_VERSION >= RTE_VERSION_NUM(25, 11, 0, 0)
int
vhost_port_stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *to,
	struct eth_queue_stats *queues)
#else
int
vhost_port_stats_get(struct rte_eth_dev *dev, struct rte_eth_stats *to)
#endif
{
	struct vhost_queue *q;

	for (unsigned int i = 0; (q = virtqueue(dev->data->dev_private, i)) != NULL; i++) {
		const struct net_async_vhost_stats s = since_reset(q);

		if (q->rx) {
			to->ipackets += s.packets;
			to->ibytes += s.bytes;
			to->ierrors += s.drained;
		} else {
			to->opackets += s.packets;
			to->obytes += s.bytes;
			to->oerrors += s.refused;
		}
#if RTE_VERSION < RTE_VERSION_NUM(25, 11, 0, 0)
		if (q->vring / 2 < RTE_ETHDEV_QUEUE_STAT_CNTRS) {
			*(q->rx ? &to->q_ipackets[q->vring / 2] : &to->q_opackets[q->vring / 2]) =
				s.packets;
			*(q->rx ? &to->q_ibytes[q->vring / 2] : &to->q_obytes[q->vring / 2]) =
				s.bytes;
		}
#endif
	}
	return 0;
}

int
vhost_port_stats_reset(struct rte_eth_dev *dev)
{
	struct vhost_queue *q;

	for (unsigned int i = 0; (q = virtqueue(dev->data->dev_private, i)) != NULL; i++)
		vhost_queue_stats(q, &q->base);
	return 0;
}

static unsigned int
xstats_all(struct vhost_port *p)
{
	unsigned int n = 0;

	while (virtqueue(p, n) != NULL)
		n++;
	return n * RTE_DIM(rows);
}

int
vhost_port_stats_xstats(struct rte_eth_dev *dev, struct rte_eth_xstat *to, unsigned int n)
{
	const unsigned int all = xstats_all(dev->data->dev_private);
	struct net_async_vhost_stats s;

	for (unsigned int i = 0; to != NULL && n >= all && i < all; i++) {
		if (i % RTE_DIM(rows) == 0)
			s = since_reset(virtqueue(dev->data->dev_private, i / RTE_DIM(rows)));
		to[i].id = i;
		to[i].value = *(const uint64_t *)((const char *)&s + rows[i % RTE_DIM(rows)].at);
	}
	return (int)all;
}

int
vhost_port_stats_names(struct rte_eth_dev *dev, struct rte_eth_xstat_name *to, unsigned int n)
{
	const unsigned int all = xstats_all(dev->data->dev_private);

	for (unsigned int i = 0; to != NULL && n >= all && i < all; i++) {
		const struct vhost_queue *q = virtqueue(dev->data->dev_private, i / RTE_DIM(rows));

		snprintf(to[i].name, sizeof(to[i].name), "%s_q%u_%s", q->rx ? "rx" : "tx",
			q->vring / 2u, rows[i % RTE_DIM(rows)].name);
	}
	return (int)all;
}
