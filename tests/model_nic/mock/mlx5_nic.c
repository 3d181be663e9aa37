/* Queues of the mlx5 family: geometry, completions, the clock of time stamps. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/mock/mlx5_nic.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

int
mlx5_rq_set(struct model *m, unsigned queue, const struct mlx5_rq *layout)
{
	struct mlx5_rq *rq = &mlx5_nic(m)->rq[queue];
	struct ring *r = &m->rx[queue];

	mlx5_rq_clear(m, queue);
	*rq = *layout;
	if (rq->log_segments > 0) {
		rq->gathered = malloc(MLX5_SCATTERED * MLX5_GATHERED);
		if (rq->gathered == NULL)
			return -ENOMEM;
	}
	/* Twice the elements: all of them may be armed, which none armed must not look like. */
	*r = (struct ring){ .index = (uint16_t)queue,
		.data_queue = (int16_t)queue,
		.size = (uint16_t)(2 * rq->size),
		.desc_size = (uint8_t)(MLX5_UNIT << rq->log_segments),
		.desc = (uint8_t *)(uintptr_t)rq->wqe,
		.tail = &rq->tail,
		.buf_len = (uint16_t)(mlx5_be32(rq->wqe) & 0xffff) };
	return 0;
}

void
mlx5_rq_clear(struct model *m, unsigned queue)
{
	struct mlx5_rq *rq = &mlx5_nic(m)->rq[queue];

	free(rq->gathered);
	rq->gathered = NULL;
}

void
mlx5_sq_set(struct model *m, unsigned queue, const struct mlx5_sq *layout)
{
	struct mlx5_sq *sq = &mlx5_nic(m)->sq[queue];

	sq->cq = layout->cq;
	sq->wqe = layout->wqe;
	sq->size = layout->size;
	sq->number = layout->number;
	sq->posted = layout->posted;
	sq->parsed = 0;
	sq->tail = 0;
	sq->error = 0;
	sq->error_told = false;
	m->tx[queue] = (struct ring){ .index = (uint16_t)queue,
		.data_queue = (int16_t)queue,
		.size = MLX5_SENT,
		.desc_size = sizeof(sq->sent[0]),
		.desc = (uint8_t *)sq->sent,
		.tail = &sq->tail };
}

void
mlx5_rq_reset(struct model *m, unsigned queue)
{
	struct mlx5_rq *rq = &mlx5_nic(m)->rq[queue];

	rq->error = false;
	rq->given = 0;
}

void
mlx5_sq_reset(struct model *m, unsigned queue)
{
	struct mlx5_sq *sq = &mlx5_nic(m)->sq[queue];

	sq->parsed = 0;
	sq->tail = 0;
	sq->error = 0;
	sq->error_told = false;
	/* A NIC reads it when the doorbell rings, the model all the time. */
	*sq->posted = 0;
}

uint8_t *
mlx5_cq_next(struct model *m, struct mlx5_cq *cq)
{
	/* Drivers keep 16 bits of the counter for send queues. */
	if ((uint16_t)(cq->produced - mlx5_record(cq->consumed)) >= cq->size) {
		atomic_fetch_add(&mlx5_nic(m)->faults.overrun, 1);
		return NULL;
	}
	return cq->entry + (size_t)(cq->produced & (cq->size - 1)) * cq->stride;
}

uint64_t
mlx5_clock_ticks(const struct mlx5_clock *c, uint64_t ago_ns)
{
	/* Nothing of the TSC: the two have to be compared. A jump is longer than an lcore waits for a CPU. */
	enum { SECOND = 1000000000, JUMP_EVERY = SECOND / 2, JUMP = SECOND };
	struct timespec t;
	uint64_t ns;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	ns = (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec - ago_ns;
	switch (c->kind) {
	case MLX5_CLOCK_TIMESYNC: return c->timesync ? ns : 1;
	case MLX5_CLOCK_STOPPED: return 1;
	case MLX5_CLOCK_JUMP: ns += ns / JUMP_EVERY * JUMP; break;
	default: break;
	}
	return ns * 5 / 32; /* 156.25 MHz */
}
