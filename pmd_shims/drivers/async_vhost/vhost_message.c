/* Refuses vhost-user messages that librte_vhost would trust although they are unsafe. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/async_vhost/vhost_message.h"

#include <rte_common.h>
#include <rte_vhost.h>

#include <assert.h>
#include <linux/vhost_types.h>
#include <linux/virtio_config.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vhost_user.h>

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
vhost_message_changes(const void *context, unsigned int n)
{
	const struct message *m = context;

	switch (m->request) {
	case VHOST_MESSAGE_SET_MEM_TABLE: return true;
	case VHOST_MESSAGE_SET_VRING_KICK: return (m->u64 & RING_OF_EVENT) == n;
	case VHOST_MESSAGE_SET_VRING_NUM:
	case VHOST_MESSAGE_SET_VRING_ADDR: /* also begins with the ring's number */
	case VHOST_MESSAGE_SET_VRING_BASE:
	case VHOST_MESSAGE_SET_VRING_ENABLE: return m->state.index == n;
	default: return false;
	}
}
