/* Inside dma_adaptive: a device, its vchans, and the functions that dmadev calls for each copy. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/dma_adaptive/dma_adaptive.h"
#include "pmd_shims/drivers/dma_adaptive/dma_adaptive_nodes.h"

#include <rte_common.h>
#include <rte_dmadev.h>
#include <rte_spinlock.h>

/* A copy or fill that the program has had no completion of. */
struct dma_adaptive_job {
	uint16_t left; /* of its parts, the engine's that have not come back; the CPU's are done */
	uint16_t status; /* enum rte_dma_status_code; the first that failed */
};

/*
 * Written by the thread that has it, but for the thresholds. Positions count jobs, or parts sent to
 * the engine, since the start.
 */
struct dma_adaptive_vchan {
	/* Shorter than low: the CPU; from high on: the engine; between, the nodes decide. */
	_Atomic(uint32_t) low, high;
	_Atomic(uint32_t) near, far; /* as they were set */
	uint32_t room;               /* jobs at a time */
	uint32_t mask;               /* of positions, for jobs[] */
	struct dma_adaptive_job *jobs;
	uint64_t head;     /* next job */
	uint64_t done;     /* all before it are done */
	uint64_t tail;     /* all before it the program knows */
	uint64_t sent;     /* parts */
	uint64_t returned; /* of them */
	uint64_t rung;     /* of sent, those behind which a doorbell was rung */
	uint64_t fence;    /* the parts before it, at least, go before whatever follows */
	uint32_t failed;   /* jobs done that the program does not know */
	uint64_t counted;  /* of head, in submitted */
	struct dma_adaptive_nodes_hit src_hit, dst_hit;

	struct dma_adaptive_stats stats __rte_cache_aligned;
	_Atomic(uint64_t) submitted, completed; /* jobs, as struct rte_dma_stats has them */
	/* What rte_dma_stats_reset() found. Written by control. */
	_Atomic(uint64_t) base_submitted, base_completed, base_errors;
} __rte_cache_aligned;

struct dma_adaptive {
	int16_t engine;
	int engine_node; /* -1: not known */
	uint16_t n_vchans;
	bool engine_sg;
	bool one_node; /* of all that is known, so that the nodes decide nothing */
	bool started;
	struct dma_adaptive_vchan *vchan;
	rte_spinlock_t lock; /* of nodes and thresholds, for control threads */
	struct dma_adaptive_nodes nodes;
	char engine_name[64];
};

/* What dmadev calls for each copy: as its functions of those names. */
int dma_adaptive_copy(void *device, uint16_t vchan, rte_iova_t src, rte_iova_t dst, uint32_t length,
	uint64_t flags);
int dma_adaptive_copy_sg(void *device, uint16_t vchan, const struct rte_dma_sge *src,
	const struct rte_dma_sge *dst, uint16_t n_src, uint16_t n_dst, uint64_t flags);
int dma_adaptive_fill(void *device, uint16_t vchan, uint64_t pattern, rte_iova_t dst,
	uint32_t length, uint64_t flags);
int dma_adaptive_submit(void *device, uint16_t vchan);
uint16_t dma_adaptive_completed(void *device, uint16_t vchan, const uint16_t max, uint16_t *last,
	bool *has_error);
uint16_t dma_adaptive_completed_status(void *device, uint16_t vchan, const uint16_t max,
	uint16_t *last, enum rte_dma_status_code *status);
uint16_t dma_adaptive_burst_capacity(const void *device, uint16_t vchan);

/* Set both thresholds of a vchan. Thread: control, any. */
void dma_adaptive_thresholds(struct dma_adaptive *a, struct dma_adaptive_vchan *v,
	struct dma_min_len want);

/* See anew which nodes there are, and by that which thresholds hold. Thread: control, any. */
void dma_adaptive_see_nodes(struct dma_adaptive *a);

/*
 * Begin at job 0, with room for so many at once. Thread: control, while nobody has the vchan, and
 * the next.
 */
void dma_adaptive_begin(struct dma_adaptive_vchan *v, uint32_t room);

/*
 * Wait for what the engine was told to do, as long as it goes on; what does not come back has failed
 * with RTE_DMA_STATUS_USER_ABORT. The program may still ask for completions.
 */
void dma_adaptive_drain(struct dma_adaptive *a, uint16_t vchan);
