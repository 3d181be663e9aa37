/* Internals of dma_adaptive: a device, its vchans, and the functions that dmadev calls for each
 * copy. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "pmd_shims/drivers/dma_adaptive/dma_adaptive.h"
#include "pmd_shims/drivers/dma_adaptive/dma_adaptive_nodes.h"

#include <rte_common.h>
#include <rte_dmadev.h>
#include <rte_spinlock.h>

/* A copy or fill whose completion was not reported to the program yet. */
struct dma_adaptive_job {
	uint16_t left;   /* number of its parts that the engine has not returned yet */
	uint16_t status; /* enum rte_dma_status_code of the first part that failed */
};

/* A copy that the engine has. */
struct dma_adaptive_part {
	rte_iova_t src, dst;
	uint32_t length; /* 0: a list or a fill */
};

/*
 * A vchan. Written by the thread that uses it, except for the thresholds. Positions count jobs, or
 * parts sent to the engine, since the start.
 */
struct dma_adaptive_vchan {
	/* Copies below low: the CPU; from high on: the engine; in between the nodes decide. */
	_Atomic(uint32_t) low, high;
	_Atomic(uint32_t) near, far; /* thresholds as they were set */
	uint32_t room;               /* maximum jobs at a time */
	uint32_t mask;               /* applied to positions to index jobs[] */
	struct dma_adaptive_job *jobs;
	struct dma_adaptive_part *parts; /* as many entries; NULL: dma_adaptive_keep() is off */
	uint64_t head;                   /* position of the next job */
	uint64_t done;                   /* all jobs before it are done */
	uint64_t tail;                   /* all jobs before it were reported to the program */
	uint64_t sent;                   /* parts sent to the engine */
	uint64_t returned;               /* parts that the engine has returned */
	uint64_t rung;                   /* parts that were submitted by a doorbell */
	uint64_t fence;   /* later copies have to wait until this many parts have returned */
	uint32_t failed;  /* failed jobs that were not reported yet */
	uint64_t counted; /* jobs that are counted in submitted */
	struct dma_adaptive_nodes_hit src_hit, dst_hit;

	struct dma_adaptive_stats stats __rte_cache_aligned;
	_Atomic(uint64_t) submitted, completed; /* jobs, for struct rte_dma_stats */
	/* Counts at the last rte_dma_stats_reset(). Written by control. */
	_Atomic(uint64_t) base_submitted, base_completed, base_errors;
} __rte_cache_aligned;

struct dma_adaptive {
	int16_t engine;
	int engine_node; /* -1: unknown */
	uint16_t n_vchans;
	bool engine_sg;
	bool one_node; /* only one node is known, so nodes do not matter */
	bool keeps;    /* the next set-up makes parts; dma_adaptive_keep() */
	bool lost;     /* dma_adaptive_take_over(): the CPU makes all copies until the next start */
	struct dma_adaptive_vchan *vchan;
	rte_spinlock_t lock; /* protects writes of nodes and thresholds by control threads */
	struct dma_adaptive_nodes nodes;
	char engine_name[64];
};

/* Functions that dmadev calls for each copy; they work as dmadev's functions of these names. */
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

/* Thresholds of a vchan as they were set. Thread: any. */
struct dma_min_len dma_adaptive_thresholds_of(const struct dma_adaptive_vchan *v);

/* Determine again which nodes there are and so which thresholds apply. Thread: control, any. */
void dma_adaptive_see_nodes(struct dma_adaptive *a);

/*
 * Begin at job 0. room: maximum jobs at a time. Thread: control, while no thread uses the vchan; also
 * for dma_adaptive_drain().
 */
void dma_adaptive_begin(struct dma_adaptive_vchan *v, uint32_t room);

/*
 * Wait for the engine to complete submitted parts, up to a second without progress. Others fail
 * with RTE_DMA_STATUS_USER_ABORT. The program can still poll for completions.
 */
void dma_adaptive_drain(struct dma_adaptive *a, uint16_t vchan);

/* Account for what the engine has completed. Does nothing if the vchan is not set up. Thread: as drain. */
void dma_adaptive_collect(struct dma_adaptive *a, uint16_t vchan);

/*
 * Make the copies that a stopped engine has not returned. Returns false if there were others, which fail
 * with RTE_DMA_STATUS_USER_ABORT. Thread: as drain.
 */
bool dma_adaptive_finish(struct dma_adaptive *a, uint16_t vchan);
