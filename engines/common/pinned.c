/* A pool in external memory into which all ports receive: large enough, and accessible by all of
 * them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/common/pinned.h"

#include "base/err.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "memory/extmem.h"
#include "memory/extmem_device.h"
#include "memory/extmem_pin.h"
#include "memory/pool.h"
#include "pmd_shims/extbuf.h"

#include <rte_mbuf.h>

#include <errno.h>
#include <inttypes.h>

#define PINNED_MOST 65472u /* maximum bytes per buffer */

static struct extmem *
own_region(const struct pinned_ask *a, uint64_t bytes, struct err *e)
{
	const struct extmem_ask ask = { .name = a->own,
		.type = a->type,
		.gpu = a->gpu,
		.bytes = RTE_ALIGN_CEIL(bytes, UINT64_C(4096)),
		.socket = SOCKET_ID_ANY,
		.own = true };
	struct extmem *m = extmem_find(a->extmems, a->own, NULL);

	if (m != NULL && m->bytes >= ask.bytes)
		return m;
	if (m != NULL && extmem_delete(a->extmems, a->own, e) != 0)
		return NULL;
	return extmem_create(a->extmems, &ask, &m, e) == 0 ? m : NULL;
}

/* Find or create the memory and its pool by the settings. Returns NULL with e set if it fails. */
static struct extmem *
pinned_find(const struct pinned_ask *a, const struct engine_ports *ports, struct err *e)
{
	struct rte_mempool *usual = ports->usual;
	const char *name = setting_text(a->settings, a->memory);
	const unsigned int cache = (unsigned int)setting_u64(a->settings, "mbcache");
	uint64_t bytes = setting_u64(a->settings, a->buffer);
	struct extmem *m;

	if (usual == NULL) {
		err_set(e, ENOENT, "there is no packet pool, so no port can receive");
		return NULL;
	}
	if (bytes == 0)
		bytes = rte_pktmbuf_data_room_size(usual);
	if (bytes < RTE_PKTMBUF_HEADROOM + 64 || bytes > PINNED_MOST) {
		err_set(e, ERANGE, "%s %" PRIu64 ": expected %u..%u bytes, including headroom",
			a->buffer, bytes, RTE_PKTMBUF_HEADROOM + 64, PINNED_MOST);
		return NULL;
	}
	m = name[0] != '\0'
		? extmem_find(a->extmems, name, e)
		: own_region(a, (uint64_t)usual->size * RTE_ALIGN_CEIL(bytes, UINT64_C(64)), e);
	if (m == NULL)
		return NULL;
	if (!m->writable) {
		err_set(e, EINVAL, "memory %s is read-only, so ports cannot receive into it",
			m->name);
		return NULL;
	}
	return extmem_pin(m, (uint16_t)bytes,
		       (unsigned int)RTE_MIN(pool_least(ports->need, cache), UINT32_MAX),
		       usual->size, cache, e) != NULL
		? m
		: NULL;
}

static int
region_reaches(const struct engine_ports *ports, struct extmem *m, struct err *e)
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

struct extmem *
pinned_prepare(const struct pinned_ask *a, const struct engine_ports *ports, struct err *e)
{
	struct extmem *m = pinned_find(a, ports, e);

	return m != NULL && region_reaches(ports, m, e) == 0 ? m : NULL;
}
