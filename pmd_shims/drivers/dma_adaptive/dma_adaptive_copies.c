/* dma_adaptive, a DMA device on top of another one, the engine: the length of a copy and the NUMA
 * nodes involved decide whether the CPU or the engine makes it. Copies complete in call order. */
/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A ring of jobs has one entry per call. Jobs of the CPU are done when the call returns. For jobs
 * of the engine the parts that it has not returned are counted; a count suffices, since an engine
 * reports in order. Completions are reported up to the first job with parts left.
 */
#include "pmd_shims/drivers/dma_adaptive/dma_adaptive_priv.h"

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_pause.h>

#include <errno.h>
#include <string.h>

/* The CPU cannot copy from or to addresses below this; an engine reports them as errors. */
enum { NO_ADDRESS = 4096, STATUSES = 32 };

static inline void
count(_Atomic(uint64_t) *counter, uint64_t n)
{
	atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n,
		memory_order_relaxed);
}

static inline uint32_t
threshold(const _Atomic(uint32_t) *t)
{
	return atomic_load_explicit(t, memory_order_relaxed);
}

/* True if two of the NUMA nodes involved differ. Unknown nodes are ignored. */
static bool
is_far(const struct dma_adaptive *a, struct dma_adaptive_vchan *v, rte_iova_t src, rte_iova_t dst)
{
	const int nodes[] = { a->engine_node, (int)rte_socket_id(),
		dma_adaptive_nodes_find(&a->nodes, &v->src_hit, src),
		dma_adaptive_nodes_find(&a->nodes, &v->dst_hit, dst) };
	int first = -1;

	for (unsigned int i = 0; i < RTE_DIM(nodes); i++) {
		if (nodes[i] < 0)
			continue;
		if (first >= 0 && nodes[i] != first)
			return true;
		first = nodes[i];
	}
	return false;
}

/* True if the CPU should make the copy, by its length and the NUMA nodes. */
static inline bool
is_short(const struct dma_adaptive *a, struct dma_adaptive_vchan *v, rte_iova_t src, rte_iova_t dst,
	uint64_t length)
{
	bool far;

	if (length >= threshold(&v->high) || src < NO_ADDRESS || dst < NO_ADDRESS)
		return false;
	if (length < threshold(&v->low))
		return true;
	far = is_far(a, v, src, dst);
	count(&v->stats.far_copies, far);
	return length < threshold(far ? &v->far : &v->near);
}

/*
 * True if a copy may be made now, ahead of copies that the engine still has. Not after a fence: on
 * an engine, copies after a fence start after it, so they must not overtake it here either. If the
 * engine has nothing, a fence has nothing to wait for and is cleared.
 */
static inline bool
is_free(const struct dma_adaptive_vchan *v, uint64_t *flags)
{
	if (v->sent == v->returned && v->failed == 0) {
		*flags &= ~RTE_DMA_OP_FLAG_FENCE;
		return true;
	}
	return (*flags & RTE_DMA_OP_FLAG_FENCE) == 0 && v->fence <= v->returned;
}

/* True if the CPU makes the next copy of length bytes. Clears a fence with nothing to wait for. */
static inline bool
is_cpu(const struct dma_adaptive *a, struct dma_adaptive_vchan *v, rte_iova_t src, rte_iova_t dst,
	uint64_t length, uint64_t *flags)
{
	bool free = is_free(v, flags);

	if (!is_short(a, v, src, dst, length))
		return false;
	if (!free)
		count(&v->stats.fenced, 1);
	return free;
}

static inline void
cpu_did(struct dma_adaptive_vchan *v, uint64_t bytes)
{
	count(&v->stats.cpu_copies, 1);
	count(&v->stats.cpu_bytes, bytes);
}

/* Account for a part that the engine has accepted. part: of length 0 if it is no plain copy. */
static inline void
engine_took(struct dma_adaptive_vchan *v, struct dma_adaptive_part part, uint64_t bytes,
	uint64_t flags)
{
	if (unlikely(v->parts != NULL))
		v->parts[v->sent & v->mask] = part;
	v->sent++;
	if (flags & RTE_DMA_OP_FLAG_FENCE)
		v->fence = v->sent;
	if (flags & RTE_DMA_OP_FLAG_SUBMIT)
		v->rung = v->sent;
	count(&v->stats.dma_copies, 1);
	count(&v->stats.dma_bytes, bytes);
}

static int
refuse(struct dma_adaptive_vchan *v, int why)
{
	if (why == -ENOSPC)
		count(&v->stats.full, 1);
	return why;
}

static inline bool
is_full(const struct dma_adaptive_vchan *v)
{
	return v->head - v->tail >= v->room;
}

static inline struct dma_adaptive_job *
job_at(const struct dma_adaptive_vchan *v, uint64_t position)
{
	return &v->jobs[position & v->mask];
}

static inline int
submit(struct dma_adaptive *a, struct dma_adaptive_vchan *v, uint16_t vchan)
{
	int ret = 0;

	if (v->rung != v->sent) {
		ret = rte_dma_submit(a->engine, vchan);
		if (ret == 0)
			v->rung = v->sent;
	}
	count(&v->submitted, v->head - v->counted);
	v->counted = v->head;
	return ret;
}

/* Append a job of which left parts are in the engine and all others done. Returns its index. */
static inline int
job_add(struct dma_adaptive *a, struct dma_adaptive_vchan *v, uint16_t vchan, uint16_t left,
	uint64_t flags)
{
	struct dma_adaptive_job *job = job_at(v, v->head);

	job->left = left;
	job->status = RTE_DMA_STATUS_SUCCESSFUL;
	v->head++;
	if (flags & RTE_DMA_OP_FLAG_SUBMIT)
		submit(a, v, vchan);
	return (uint16_t)(v->head - 1);
}

int
dma_adaptive_copy(void *device, uint16_t vchan, rte_iova_t src, rte_iova_t dst, uint32_t length,
	uint64_t flags)
{
	struct dma_adaptive *a = device;
	struct dma_adaptive_vchan *v = &a->vchan[vchan];
	int ret;

	if (unlikely(is_full(v)))
		return refuse(v, -ENOSPC);
	if (is_cpu(a, v, src, dst, length, &flags)) {
		memcpy((void *)dst, (const void *)src, length);
		cpu_did(v, length);
		return job_add(a, v, vchan, 0, flags);
	}
	ret = rte_dma_copy(a->engine, vchan, src, dst, length, flags);
	if (unlikely(ret < 0))
		return refuse(v, ret);
	engine_took(v, (struct dma_adaptive_part){ src, dst, length }, length, flags);
	return job_add(a, v, vchan, 1, flags);
}

/* A walk through two lists in pieces, each of which is in one entry of both lists. */
struct walk {
	const struct rte_dma_sge *src, *dst;
	uint16_t n_src, n_dst;
	uint32_t src_at, dst_at;
};

/* Find the next piece. Returns its bytes, 0 at the end of a list. */
static uint32_t
walk_next(struct walk *w, rte_iova_t *src, rte_iova_t *dst)
{
	uint32_t n;

	while (w->n_src > 0 && w->src_at == w->src->length) {
		w->src++, w->n_src--;
		w->src_at = 0;
	}
	while (w->n_dst > 0 && w->dst_at == w->dst->length) {
		w->dst++, w->n_dst--;
		w->dst_at = 0;
	}
	if (w->n_src == 0 || w->n_dst == 0)
		return 0;
	*src = w->src->addr + w->src_at;
	*dst = w->dst->addr + w->dst_at;
	n = RTE_MIN(w->src->length - w->src_at, w->dst->length - w->dst_at);
	w->src_at += n;
	w->dst_at += n;
	return n;
}

/* Bytes of a list. *address: an address in it that the CPU cannot copy, otherwise its first. */
static uint64_t
list_length(const struct rte_dma_sge *list, uint16_t n, rte_iova_t *address)
{
	uint64_t length = 0;

	*address = n > 0 ? list[0].addr : 0;
	for (uint16_t i = 0; i < n; i++) {
		length += list[i].length;
		if (list[i].addr < NO_ADDRESS)
			*address = list[i].addr;
	}
	return length;
}

/* Copy piece by piece as one job; each piece's length decides between CPU and engine. */
static int
copy_pieces(struct dma_adaptive *a, struct dma_adaptive_vchan *v, uint16_t vchan, struct walk w,
	uint64_t flags)
{
	uint64_t piece_flags = flags & ~RTE_DMA_OP_FLAG_SUBMIT;
	uint16_t left = 0;
	rte_iova_t src, dst;
	uint32_t n;
	int ret, status = RTE_DMA_STATUS_SUCCESSFUL;

	while ((n = walk_next(&w, &src, &dst)) > 0) {
		if (is_cpu(a, v, src, dst, n, &piece_flags)) {
			memcpy((void *)dst, (const void *)src, n);
			cpu_did(v, n);
			continue;
		}
		ret = rte_dma_copy(a->engine, vchan, src, dst, n, piece_flags);
		if (ret < 0 && left == 0)
			return refuse(v, ret); /* the CPU's pieces are copied again on retry */
		if (ret < 0) {
			status = RTE_DMA_STATUS_ERROR_UNKNOWN;
			break;
		}
		engine_took(v, (struct dma_adaptive_part){ src, dst, n }, n, piece_flags);
		left++;
	}
	ret = job_add(a, v, vchan, left, flags);
	if (status != RTE_DMA_STATUS_SUCCESSFUL)
		job_at(v, v->head - 1)->status = (uint16_t)status;
	return ret;
}

int
dma_adaptive_copy_sg(void *device, uint16_t vchan, const struct rte_dma_sge *src,
	const struct rte_dma_sge *dst, uint16_t n_src, uint16_t n_dst, uint64_t flags)
{
	struct dma_adaptive *a = device;
	struct dma_adaptive_vchan *v = &a->vchan[vchan];
	const struct walk walk = { .src = src, .dst = dst, .n_src = n_src, .n_dst = n_dst };
	rte_iova_t from, to;
	uint64_t length = list_length(src, n_src, &from);
	int ret;

	if (length != list_length(dst, n_dst, &to) || length == 0)
		return -EINVAL;
	if (unlikely(is_full(v)))
		return refuse(v, -ENOSPC);
	if (!a->engine_sg) {
		uint32_t pieces = (uint32_t)n_src + n_dst - 1;

		if (pieces > v->room)
			return -EINVAL;
		if (rte_dma_burst_capacity(a->engine, vchan) < pieces)
			return refuse(v, -ENOSPC);
		return copy_pieces(a, v, vchan, walk, flags);
	}
	if (is_cpu(a, v, from, to, length, &flags)) {
		struct walk w = walk;

		for (uint32_t n; (n = walk_next(&w, &from, &to)) > 0;)
			memcpy((void *)to, (const void *)from, n);
		cpu_did(v, length);
		return job_add(a, v, vchan, 0, flags);
	}
	ret = rte_dma_fp_objs[a->engine].copy_sg(rte_dma_fp_objs[a->engine].dev_private, vchan, src,
		dst, n_src, n_dst, flags);
	if (unlikely(ret < 0))
		return refuse(v, ret);
	engine_took(v, (struct dma_adaptive_part){ 0 }, length, flags);
	return job_add(a, v, vchan, 1, flags);
}

static void
fill(uint8_t *to, uint64_t pattern, uint32_t length)
{
	uint32_t i;

	for (i = 0; i + sizeof(pattern) <= length; i += sizeof(pattern))
		memcpy(to + i, &pattern, sizeof(pattern));
	memcpy(to + i, &pattern, length - i);
}

int
dma_adaptive_fill(void *device, uint16_t vchan, uint64_t pattern, rte_iova_t dst, uint32_t length,
	uint64_t flags)
{
	struct dma_adaptive *a = device;
	struct dma_adaptive_vchan *v = &a->vchan[vchan];
	int ret;

	if (unlikely(is_full(v)))
		return refuse(v, -ENOSPC);
	if (is_cpu(a, v, dst, dst, length, &flags)) {
		fill((uint8_t *)dst, pattern, length);
		cpu_did(v, length);
		return job_add(a, v, vchan, 0, flags);
	}
	ret = rte_dma_fill(a->engine, vchan, pattern, dst, length, flags);
	if (unlikely(ret < 0))
		return refuse(v, ret);
	engine_took(v, (struct dma_adaptive_part){ 0 }, length, flags);
	return job_add(a, v, vchan, 1, flags);
}

int
dma_adaptive_submit(void *device, uint16_t vchan)
{
	struct dma_adaptive *a = device;

	return submit(a, &a->vchan[vchan], vchan);
}

/* Account for a job that is done, perhaps with an error. */
static void
job_over(struct dma_adaptive_vchan *v, const struct dma_adaptive_job *job)
{
	v->done++;
	if (unlikely(job->status != RTE_DMA_STATUS_SUCCESSFUL)) {
		v->failed++;
		count(&v->stats.errors, 1);
	}
}

/* Account for the next n parts in order, which the engine returned with this status. */
static void
engine_returned(struct dma_adaptive_vchan *v, uint32_t n, enum rte_dma_status_code status)
{
	v->returned += n;
	while (n > 0) {
		struct dma_adaptive_job *job = job_at(v, v->done);
		uint16_t parts = (uint16_t)RTE_MIN(job->left, n);

		if (parts > 0 && job->status == RTE_DMA_STATUS_SUCCESSFUL)
			job->status = (uint16_t)status;
		job->left -= parts;
		n -= parts;
		if (job->left == 0)
			job_over(v, job);
	}
}

/* Number of parts that the engine has, as a maximum for completion calls. */
static uint16_t
engine_has(const struct dma_adaptive_vchan *v)
{
	return (uint16_t)RTE_MIN(v->sent - v->returned, (uint64_t)UINT16_MAX);
}

/* The engine's next part has failed. Returns the number of parts whose status it reported. */
static uint16_t
collect_failed(struct dma_adaptive *a, struct dma_adaptive_vchan *v, uint16_t vchan)
{
	enum rte_dma_status_code status[STATUSES];
	uint16_t n = rte_dma_completed_status(a->engine, vchan,
		RTE_MIN(engine_has(v), (uint16_t)STATUSES), NULL, status);

	for (uint16_t i = 0; i < n; i++)
		engine_returned(v, 1, status[i]);
	return n;
}

/* Process all completions that are available now. */
static inline void
collect(struct dma_adaptive *a, struct dma_adaptive_vchan *v, uint16_t vchan)
{
	uint64_t before = v->done;
	bool failed = v->sent != v->returned;

	while (failed && v->sent != v->returned) {
		uint16_t n = rte_dma_completed(a->engine, vchan, engine_has(v), NULL, &failed);

		engine_returned(v, n, RTE_DMA_STATUS_SUCCESSFUL);
		if (unlikely(failed))
			failed = v->sent != v->returned && collect_failed(a, v, vchan) > 0;
	}
	/* Jobs of the CPU never fail; as on an engine they are reported only once submitted. */
	if (v->sent == v->returned)
		v->done = RTE_MAX(v->done, v->counted);
	while (v->done < v->counted && job_at(v, v->done)->left == 0)
		v->done++;
	count(&v->completed, v->done - before);
}

/* How many of the next n jobs, which are done, precede the first failed one. */
static uint16_t
good_jobs(const struct dma_adaptive_vchan *v, uint16_t n, bool *has_error)
{
	for (uint16_t i = 0; i < n; i++)
		if (job_at(v, v->tail + i)->status != RTE_DMA_STATUS_SUCCESSFUL) {
			*has_error = true;
			return i;
		}
	return n;
}

uint16_t
dma_adaptive_completed(void *device, uint16_t vchan, const uint16_t max, uint16_t *last,
	bool *has_error)
{
	struct dma_adaptive *a = device;
	struct dma_adaptive_vchan *v = &a->vchan[vchan];
	uint16_t n;

	collect(a, v, vchan);
	n = (uint16_t)RTE_MIN(v->done - v->tail, (uint64_t)max);
	if (unlikely(v->failed > 0))
		n = good_jobs(v, n, has_error);
	v->tail += n;
	*last = (uint16_t)(v->tail - 1);
	return n;
}

uint16_t
dma_adaptive_completed_status(void *device, uint16_t vchan, const uint16_t max, uint16_t *last,
	enum rte_dma_status_code *status)
{
	struct dma_adaptive *a = device;
	struct dma_adaptive_vchan *v = &a->vchan[vchan];
	uint16_t n;

	collect(a, v, vchan);
	n = (uint16_t)RTE_MIN(v->done - v->tail, (uint64_t)max);
	for (uint16_t i = 0; i < n; i++) {
		status[i] = job_at(v, v->tail + i)->status;
		v->failed -= status[i] != RTE_DMA_STATUS_SUCCESSFUL;
	}
	v->tail += n;
	*last = (uint16_t)(v->tail - 1);
	return n;
}

uint16_t
dma_adaptive_burst_capacity(const void *device, uint16_t vchan)
{
	const struct dma_adaptive *a = device;
	const struct dma_adaptive_vchan *v = &a->vchan[vchan];
	uint16_t engine = rte_dma_burst_capacity(a->engine, vchan);

	return (uint16_t)RTE_MIN(v->room - (v->head - v->tail), (uint64_t)engine);
}

void
dma_adaptive_thresholds(struct dma_adaptive *a, struct dma_adaptive_vchan *v,
	struct dma_min_len want)
{
	uint32_t far = a->one_node ? want.near : want.far;
	uint32_t low = a->lost ? UINT32_MAX : RTE_MIN(want.near, far);
	uint32_t high = a->lost ? UINT32_MAX : RTE_MAX(want.near, far);

	atomic_store_explicit(&v->near, want.near, memory_order_relaxed);
	atomic_store_explicit(&v->far, want.far, memory_order_relaxed);
	atomic_store_explicit(&v->low, low, memory_order_relaxed);
	atomic_store_explicit(&v->high, high, memory_order_relaxed);
}

struct dma_min_len
dma_adaptive_thresholds_of(const struct dma_adaptive_vchan *v)
{
	return (struct dma_min_len){ .near = threshold(&v->near), .far = threshold(&v->far) };
}

void
dma_adaptive_see_nodes(struct dma_adaptive *a)
{
	uint64_t mask = dma_adaptive_nodes_mask(&a->nodes);

	for (unsigned int i = 0; i < rte_socket_count(); i++)
		mask |= UINT64_C(1) << rte_socket_id_by_idx(i) % 64;
	if (a->engine_node >= 0)
		mask |= UINT64_C(1) << a->engine_node;
	a->one_node = (mask & (mask - 1)) == 0;
	for (uint16_t i = 0; i < a->n_vchans; i++)
		dma_adaptive_thresholds(a, &a->vchan[i], dma_adaptive_thresholds_of(&a->vchan[i]));
}

void
dma_adaptive_begin(struct dma_adaptive_vchan *v, uint32_t room)
{
	v->room = room;
	v->head = v->done = v->tail = v->counted = 0;
	v->sent = v->returned = v->rung = v->fence = 0;
	v->failed = 0;
	v->src_hit = v->dst_hit = (struct dma_adaptive_nodes_hit){ 0 };
}

void
dma_adaptive_drain(struct dma_adaptive *a, uint16_t vchan)
{
	struct dma_adaptive_vchan *v = &a->vchan[vchan];
	uint64_t second = rte_get_timer_hz(), seen = v->returned, since = rte_get_timer_cycles();

	while (v->returned < v->rung && rte_get_timer_cycles() - since < second) {
		collect(a, v, vchan);
		if (v->returned != seen) {
			seen = v->returned;
			since = rte_get_timer_cycles();
		}
		rte_pause();
	}
	engine_returned(v, (uint32_t)(v->sent - v->returned), RTE_DMA_STATUS_USER_ABORT);
	v->counted = v->head; /* the others will not be submitted */
	collect(a, v, vchan);
}

void
dma_adaptive_collect(struct dma_adaptive *a, uint16_t vchan)
{
	if (a->vchan[vchan].jobs != NULL)
		collect(a, &a->vchan[vchan], vchan);
}

bool
dma_adaptive_finish(struct dma_adaptive *a, uint16_t vchan)
{
	struct dma_adaptive_vchan *v = &a->vchan[vchan];
	bool all = v->parts != NULL && v->sent - v->returned <= v->mask + 1;

	if (v->jobs == NULL)
		return true;
	while (all && v->returned < v->sent) {
		const struct dma_adaptive_part part = v->parts[v->returned & v->mask];

		all = part.length > 0;
		if (!all)
			break;
		if (part.src < NO_ADDRESS || part.dst < NO_ADDRESS) {
			engine_returned(v, 1, RTE_DMA_STATUS_INVALID_ADDR);
			continue;
		}
		memcpy((void *)part.dst, (const void *)part.src, part.length);
		engine_returned(v, 1, RTE_DMA_STATUS_SUCCESSFUL);
	}
	engine_returned(v, (uint32_t)(v->sent - v->returned), RTE_DMA_STATUS_USER_ABORT);
	v->rung = v->sent;
	submit(a, v, vchan);
	collect(a, v, vchan);
	return all;
}
