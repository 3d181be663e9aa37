/* Mode pinned: a pool in external memory that ports receive into, large enough, and within reach
 * of all of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/extbuf/extbuf_pinned.h"

#include "base/err.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "engines/extbuf/extbuf_config.h"
#include "engines/extbuf/extbuf_state.h"
#include "memory/extmem.h"
#include "memory/extmem_device.h"
#include "memory/extmem_pin.h"
#include "memory/pool.h"
#include "memory/pool_memory.h"
#include "pmd_shims/extbuf.h"

#include <rte_mbuf.h>

#include <errno.h>
#include <inttypes.h>

#define PINNED_MOST 65472u  /* bytes of a buffer */
#define OWN_NAME "pinned.1" /* region of the program's own, when none is named */

static struct extmem *
own_region(const struct extbuf_config *c, uint64_t bytes, struct err *e)
{
	const struct extmem_ask ask = { .name = OWN_NAME,
		.type = EXTMEM_HEAP,
		.bytes = RTE_ALIGN_CEIL(bytes, UINT64_C(4096)),
		.socket = SOCKET_ID_ANY,
		.own = true };
	struct extmem *m = extmem_find(c->extmems, OWN_NAME, NULL);

	if (m != NULL && m->bytes >= ask.bytes)
		return m;
	if (m != NULL && extmem_delete(c->extmems, OWN_NAME, e) != 0)
		return NULL;
	return extmem_create(c->extmems, &ask, &m, e) == 0 ? m : NULL;
}

/* The memory and the pool in it that the settings ask for; NULL with e filled. */
static struct extmem *
pinned_find(const struct extbuf_config *c, const struct engine_ports *ports, struct err *e)
{
	struct rte_mempool *usual = ports->usual;
	const char *name = setting_text(c->settings, "extbuf-memory");
	const unsigned int cache = (unsigned int)setting_u64(c->settings, "mbcache");
	uint64_t bytes = setting_u64(c->settings, "extbuf-buffer");
	struct extmem *m;

	if (usual == NULL) {
		err_set(e, ENOENT, "no pool of packets, and so no port that could receive");
		return NULL;
	}
	if (bytes == 0)
		bytes = rte_pktmbuf_data_room_size(usual);
	if (bytes < RTE_PKTMBUF_HEADROOM + 64 || bytes > PINNED_MOST) {
		err_set(e, ERANGE,
			"extbuf-buffer %" PRIu64
			": want %u..%u with mode pinned, headroom included",
			bytes, RTE_PKTMBUF_HEADROOM + 64, PINNED_MOST);
		return NULL;
	}
	m = name[0] != '\0'
		? extmem_find(c->extmems, name, e)
		: own_region(c, (uint64_t)usual->size * RTE_ALIGN_CEIL(bytes, UINT64_C(64)), e);
	if (m == NULL)
		return NULL;
	if (!m->writable) {
		err_set(e, EINVAL, "memory %s is read-only: ports cannot receive into it", m->name);
		return NULL;
	}
	return extmem_pin(m, (uint16_t)bytes,
		       (unsigned int)RTE_MIN(pool_least(ports->need, cache), UINT32_MAX),
		       usual->size, cache, e) != NULL
		? m
		: NULL;
}

static int
regions_reach(const struct engine_ports *ports, struct extmem *m, struct err *e)
{
	int ret = 0;

	for (unsigned int i = 0; i < ports->n && ret == 0; i++) {
		ret = extmem_reach(m, ports->ids[i], e);
		if (ret == 0)
			ret = extbuf_pages_check(ports->ids[i],
				rte_pktmbuf_data_room_size(m->pinned), m->page, e);
	}
	return ret;
}

int
extbuf_pinned_prepare(const void *config, const struct engine_ports *ports,
	struct rte_mempool **pool, struct err *e)
{
	const struct extbuf_config *c = config;
	struct extmem *m;

	*pool = NULL;
	if (setting_u64(c->settings, "extbuf-mode") != EXTBUF_PINNED)
		return 0;
	/* With --mp-alloc=xbuf every pool is pinned already. */
	if (setting_text(c->settings, "extbuf-memory")[0] == '\0' && ports->instead == NULL &&
		setting_u64(c->settings, "mp-alloc") == POOL_XBUF)
		return 0;
	m = pinned_find(c, ports, e);
	if (m == NULL || regions_reach(ports, m, e) != 0)
		return -e->code;
	*pool = m->pinned;
	return 0;
}
