/* Mode pinned: a pool in external memory into which all ports receive, large enough and accessible
 * by all of them. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "engines/extbuf/extbuf_pinned.h"

#include "base/err.h"
#include "base/setting.h"
#include "engines/common/pinned.h"
#include "engines/engine.h"
#include "engines/extbuf/extbuf_config.h"
#include "engines/extbuf/extbuf_state.h"
#include "memory/pool_memory.h"

#define OWN_NAME "pinned.1" /* region that is created if no memory is set */

int
extbuf_pinned_prepare(const void *config, const struct engine_ports *ports,
	struct rte_mempool **pool, struct err *e)
{
	const struct extbuf_config *c = config;
	const struct pinned_ask ask = { c->settings, c->extmems, "extbuf-memory", "extbuf-buffer",
		OWN_NAME, EXTMEM_HEAP, 0 };
	struct extmem *m;

	*pool = NULL;
	if (setting_u64(c->settings, "extbuf-mode") != EXTBUF_PINNED)
		return 0;
	/* With --mp-alloc=xbuf all pools are pinned already. */
	if (setting_text(c->settings, "extbuf-memory")[0] == '\0' && ports->instead == NULL &&
		setting_u64(c->settings, "mp-alloc") == POOL_XBUF)
		return 0;
	m = pinned_prepare(&ask, ports, e);
	if (m == NULL)
		return -e->code;
	*pool = m->pinned;
	return 0;
}
