/* ConnectX work and completion queues as the NIC sees them: what mlx5's real receive and transmit
 * functions run over. */
/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "model_nic/mock/mlx5_words.h"
#include "pmd_shims/drivers/model_nic/model.h"

enum {
	MLX5_QUEUES = 16,
	MLX5_UNIT = 16,       /* bytes: a segment of a work queue element */
	MLX5_BLOCK = 64,      /* bytes: what a send queue counts in; also what a completion has */
	MLX5_SENT = 2048,     /* frames of a send queue that are taken but not done; a power of 2 */
	MLX5_STRAIGHT = 1024, /* bytes: the longest element is shorter */
	MLX5_SCATTERED = 64,  /* packets at a time where one takes several buffers, ... */
	MLX5_GATHERED = 16384, /* ... and the bytes of one at most */
};

/* What a completion queue compresses to, as the driver's rxq_cqe_comp_en has it; 0: nothing. */
enum mlx5_zip { MLX5_ZIP_NONE, MLX5_ZIP_HASH, MLX5_ZIP_L34 = 4 };

/* Where a completion has its error, and those that the family makes. */
enum {
	MLX5_SYNDROME = 55,
	MLX5_ERROR_LENGTH = 0x01,
	MLX5_ERROR_OPERATION = 0x02,
	MLX5_ERROR_PROTECTION = 0x04
};

/*
 * Entries, valid when their owner bit tells the round. A driver for cache lines of 128 bytes has
 * entries of that size, of which a completion is the second half.
 */
struct mlx5_cq {
	uint8_t *entry;                    /* the first completion */
	size_t stride;                     /* bytes from one to the next */
	uint32_t size;                     /* entries, a power of 2 */
	uint32_t produced;                 /* free running */
	const volatile uint32_t *consumed; /* doorbell record, big endian */
};

struct mlx5_rq {
	struct mlx5_cq cq;
	const uint8_t *wqe; /* size << log_segments data segments of 16 bytes */
	uint16_t size;      /* elements, a power of 2 */
	uint16_t given;     /* elements so far, free running, as completions number them */
	uint8_t log_segments;
	uint8_t zip;                     /* enum mlx5_zip */
	bool stamps;                     /* completions have time stamps */
	const volatile uint32_t *posted; /* doorbell record, big endian */
	bool error;                      /* told by a completion: nothing is received any more */
	volatile uint32_t tail;          /* struct ring's: posted, modulo twice the size */
	uint8_t *gathered;               /* with several segments: packets before they are cut */
};

/* A frame of a send queue's element. */
struct mlx5_sent {
	struct frame frame;
	uint16_t element; /* first block of the element */
	bool report;      /* last of an element whose end is to be reported */
	bool in_line;     /* the data is in the element */
};

struct mlx5_sq {
	struct mlx5_cq cq;
	const uint8_t *wqe;
	uint16_t size;             /* blocks, a power of 2 */
	uint8_t error;             /* MLX5_ERROR_*; 0: none */
	bool error_told;           /* by a completion */
	uint16_t parsed;           /* first block that was not looked at */
	uint32_t number;           /* as elements and completions name the queue */
	volatile uint32_t *posted; /* doorbell record, big endian */
	volatile uint32_t tail;    /* struct ring's: frames parsed, modulo MLX5_SENT */
	struct mlx5_sent sent[MLX5_SENT];
	/* inline data that goes over the queue's end, in one piece */
	uint8_t straight[MLX5_STRAIGHT];
};

/* How the clock of time stamps behaves. */
enum mlx5_clock_kind {
	MLX5_CLOCK_READ,     /* 156.25 MHz, for read_clock */
	MLX5_CLOCK_TIMESYNC, /* 1 GHz, runs for timesync only */
	MLX5_CLOCK_NONE,     /* as the first, but cannot be read */
	MLX5_CLOCK_STOPPED,
	MLX5_CLOCK_JUMP /* by 1 s, every 0.5 s */
};

struct mlx5_clock {
	uint8_t kind;     /* enum mlx5_clock_kind */
	uint32_t host_ns; /* from a packet's time stamp to its completion */
	_Atomic bool timesync;
};

/* What a driver must never do, counted. */
struct mlx5_faults {
	_Atomic uint64_t wqe;     /* malformed or out of order */
	_Atomic uint64_t region;  /* memory that the key given for it does not cover */
	_Atomic uint64_t overrun; /* more completions asked for than the queue has room for */
};

struct mlx5_nic {
	struct mlx5_rq rq[MLX5_QUEUES];
	struct mlx5_sq sq[MLX5_QUEUES];
	struct mlx5_faults faults;
	struct mlx5_clock clock;
};

static inline struct mlx5_nic *
mlx5_nic(const struct model *m)
{
	return m->state;
}

/*
 * A doorbell record's counter. What it announces was written before: pairs with the driver's
 * barrier.
 */
static inline uint32_t
mlx5_record(const volatile uint32_t *record)
{
	uint32_t v = __builtin_bswap32(*record);

	atomic_thread_fence(memory_order_acquire);
	return v;
}

/*
 * Queues as their owner laid them out, before their ring is enabled. m->rx[queue] or tx[queue] is
 * filled. With several segments a receive queue allocates; mlx5_rq_clear() frees, with the ring
 * disabled. Returns 0 or -ENOMEM.
 */
int mlx5_rq_set(struct model *m, unsigned queue, const struct mlx5_rq *rq);
void mlx5_rq_clear(struct model *m, unsigned queue);
void mlx5_sq_set(struct model *m, unsigned queue, const struct mlx5_sq *sq);

/*
 * After an error, with the ring disabled: rq receives again; of sq, elements are numbered from 0
 * again and none is posted.
 */
void mlx5_rq_reset(struct model *m, unsigned queue);
void mlx5_sq_reset(struct model *m, unsigned queue);

/* Where the next completion goes; NULL: the driver left no room, which is counted. */
uint8_t *mlx5_cq_next(struct model *m, struct mlx5_cq *cq);

/* Hand entry, the next one, to the driver: last are its last 8 bytes but for the owner bit. */
static inline void
mlx5_cq_give(struct mlx5_cq *cq, uint8_t *entry, uint64_t last)
{
	uint64_t owner = (cq->produced & cq->size) != 0;

	/* The driver looks at the last byte first. */
	atomic_thread_fence(memory_order_release);
	*(volatile uint64_t *)(void *)(entry + MLX5_BLOCK - 8) = last | owner << 56;
	cq->produced++;
}

/* Ticks of the clock, that many ns ago. */
uint64_t mlx5_clock_ticks(const struct mlx5_clock *c, uint64_t ago_ns);

/* The ring operations of the family; see model.h. */
uint16_t mlx5_rx_peek(struct model *m, struct ring *r, struct frame *f, uint16_t max);
void mlx5_rx_give(struct model *m, struct ring *r, const struct frame *f, uint16_t n);
uint16_t mlx5_tx_take(struct model *m, struct ring *r, struct frame *f, uint16_t max,
	uint16_t *descs);
void mlx5_tx_done(struct model *m, struct ring *r, uint16_t descs);
uint8_t *mlx5_buffer(const struct ring *r, uint16_t i, bool rx);
