/* A bug for the program: before libmbuf, of each burst that is dropped the last buffer is not freed
 * (UNBALANCED=missing), or the first one is freed twice (UNBALANCED=twice). */
/* SPDX-License-Identifier: BSD-3-Clause */
#include <rte_mbuf.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

void
rte_pktmbuf_free_bulk(struct rte_mbuf **mbufs, unsigned int count)
{
	void (*real)(struct rte_mbuf **, unsigned int) = NULL;
	const char *how = getenv("UNBALANCED");

	*(void **)&real = dlsym(RTLD_NEXT, "rte_pktmbuf_free_bulk");
	if (strcmp(how, "twice") == 0)
		real(mbufs, 1);
	real(mbufs, strcmp(how, "missing") == 0 ? count - 1 : count);
}
