/* Mbufs that the vhost library takes during one call, so that its errors cannot free them twice. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <rte_mempool.h>

struct vhost_loan;

/* Lend mbufs of a pool. Returns NULL if memory is short. Thread: control. */
struct vhost_loan *vhost_loan_new(struct rte_mempool *pool, int socket);

/* Free it; NULL is fine. Thread: control, while no call is under way. */
void vhost_loan_free(struct vhost_loan *l);

/*
 * Returns the mempool to give to the library for its next call. Thread: the one that calls it, as
 * for vhost_loan_end().
 */
struct rte_mempool *vhost_loan_begin(struct vhost_loan *l);

/*
 * The call is over: mbufs that the library freed, once or twice, go back to their pool. The others
 * have one reference from now on.
 */
void vhost_loan_end(struct vhost_loan *l);
