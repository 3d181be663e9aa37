/* Receive queues of the mlx5 family: buffers that elements offer, completions one by one or
 * compressed. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/mock/mlx5_nic.h"
#include "model_nic/mock/mlx5_region.h"

/* In a completion, bytes from its start. */
enum { HASH = 12, HASH_TYPE = 16, HEADERS = 28, BYTES = 44, STAMP = 48 };
enum { RECEIVED = 2, RECEIVE_ERROR = 0xe, COMPRESSED = 3 };

/* The headers' word, before it is made big endian. */
enum {
	TAG_STRIPPED = 1 << 0,
	IS_IPV6 = 1 << 2,
	IS_IPV4 = 1 << 3,
	IS_TCP = 1 << 4,
	IS_UDP = 1 << 5,
	L2_GOOD = 1 << 8,
	L3_GOOD = 1 << 9,
	L4_GOOD = 1 << 10
};

/* Completions compressed into one; bytes of a small one, how many share an entry. */
enum { SESSION = 64, MINI = 8, MINIS = 8 };

static inline struct mlx5_rq *
queue(struct model *m, const struct ring *r)
{
	return &mlx5_nic(m)->rq[r->index];
}

static inline const uint8_t *
segment(const struct mlx5_rq *rq, uint32_t element, uint32_t i)
{
	return rq->wqe + ((size_t)(element & (rq->size - 1u)) << rq->log_segments) * MLX5_UNIT +
		(size_t)i * MLX5_UNIT;
}

static inline uint8_t *
address(const uint8_t *s)
{
	return (uint8_t *)(uintptr_t)mlx5_be64(s + 8);
}

static inline uint64_t
last_bytes(uint32_t element, unsigned opcode, unsigned format)
{
	return (uint64_t)__builtin_bswap16((uint16_t)element) << 32 |
		(uint64_t)(opcode << 4 | format << 2) << 56;
}

/* Whether the NIC may write where an element says. */
static inline bool
covered(const struct mlx5_rq *rq, uint32_t element)
{
	for (uint32_t i = 0; i < 1u << rq->log_segments; i++) {
		const uint8_t *s = segment(rq, element, i);

		if (!mlx5_region_covers(mlx5_be32(s + 4), address(s), mlx5_be32(s)))
			return false;
	}
	return true;
}

/* Nothing is received after an error until the driver makes the queue ready again. */
static void
error_write(struct model *m, const struct ring *r, struct mlx5_rq *rq)
{
	uint8_t *entry = mlx5_cq_next(m, &rq->cq);

	if (entry == NULL)
		return;
	memset(entry, 0, MLX5_BLOCK - 8);
	entry[MLX5_SYNDROME] = MLX5_ERROR_PROTECTION;
	rq->error = true;
	mlx5_cq_give(&rq->cq, entry, last_bytes(rq->given, RECEIVE_ERROR, 0));
	mlx5_region_complain(m, r, segment(rq, r->head, 0));
}

uint16_t
mlx5_rx_peek(struct model *m, struct ring *r, struct frame *f, uint16_t max)
{
	struct mlx5_rq *rq = queue(m, r);
	uint32_t tail = mlx5_record(rq->posted) & (r->size - 1u),
		 n = (tail - r->head) & (r->size - 1u);
	uint32_t room = rq->cq.size - (rq->cq.produced - mlx5_record(rq->cq.consumed)), k;

	if (rq->error)
		return 0;
	rq->tail = tail;
	n = n < max ? n : max;
	n = n < room ? n : room;
	if (rq->log_segments > 0 && n > MLX5_SCATTERED)
		n = MLX5_SCATTERED;
	for (k = 0; k < n && covered(rq, r->head + k); k++) {
		const uint8_t *s = segment(rq, r->head + k, 0);

		f[k].data = address(s);
		f[k].len = mlx5_be32(s);
		if (rq->log_segments > 0) {
			f[k].data = rq->gathered + (size_t)k * MLX5_GATHERED;
			for (uint32_t i = 1; i < 1u << rq->log_segments; i++)
				f[k].len += mlx5_be32(segment(rq, r->head + k, i));
			f[k].len = f[k].len < MLX5_GATHERED ? f[k].len : MLX5_GATHERED;
		}
	}
	if (k == 0 && n > 0)
		error_write(m, r, rq);
	return (uint16_t)k;
}

/* A gathered packet goes to its buffers. */
static void
scatter(const struct mlx5_rq *rq, uint32_t element, const struct frame *f)
{
	uint32_t done = 0;

	for (uint32_t i = 0; done < f->len && i < 1u << rq->log_segments; i++) {
		const uint8_t *s = segment(rq, element, i);
		uint32_t part = mlx5_be32(s);

		part = part < f->len - done ? part : f->len - done;
		memcpy(address(s), f->data + done, part);
		done += part;
	}
}

static inline uint16_t
headers(const struct frame *f)
{
	uint16_t h = L2_GOOD;

	if ((f->flags & (FRAME_IPV4 | FRAME_IPV6)) != 0)
		h |= ((f->flags & FRAME_IPV4) != 0 ? IS_IPV4 : IS_IPV6) |
			((f->flags & FRAME_BAD_L3) == 0 ? L3_GOOD : 0);
	if ((f->flags & (FRAME_TCP | FRAME_UDP)) != 0)
		h |= ((f->flags & FRAME_TCP) != 0 ? IS_TCP : IS_UDP) |
			((f->flags & FRAME_BAD_L4) == 0 ? L4_GOOD : 0);
	return h | ((f->flags & FRAME_VLAN) != 0 ? TAG_STRIPPED : 0);
}

static inline void
put32(uint8_t *p, uint32_t v)
{
	v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
}

/* The packet's completion but for its length and last bytes. */
static inline void
describe(uint8_t *entry, const struct frame *f)
{
	uint64_t zero[7] = { 0 };

	memcpy(entry, zero, sizeof(zero));
	put32(entry + HEADERS, (uint32_t)headers(f) << 16 | f->vlan);
	if ((f->flags & FRAME_RSS) != 0) {
		put32(entry + HASH, f->rss);
		entry[HASH_TYPE] = 1;
	}
}

static void
stamp(uint8_t *entry, const struct mlx5_clock *clock)
{
	const uint64_t ticks = mlx5_clock_ticks(clock, clock->host_ns);

	put32(entry + STAMP, (uint32_t)(ticks >> 32));
	put32(entry + STAMP + 4, (uint32_t)ticks);
}

static void
complete_one(struct model *m, struct mlx5_rq *rq, uint32_t element, const struct frame *f)
{
	uint8_t *entry = mlx5_cq_next(m, &rq->cq);

	if (entry == NULL)
		return;
	describe(entry, f);
	if (rq->stamps)
		stamp(entry, &mlx5_nic(m)->clock);
	put32(entry + BYTES, f->len);
	if ((f->flags & FRAME_ERROR) != 0)
		entry[MLX5_SYNDROME] = MLX5_ERROR_LENGTH;
	mlx5_cq_give(&rq->cq, entry,
		last_bytes(element, (f->flags & FRAME_ERROR) != 0 ? RECEIVE_ERROR : RECEIVED, 0));
}

/* How many of n frames one compressed completion can tell. */
static uint16_t
alike(const struct mlx5_rq *rq, const struct frame *f, uint16_t n)
{
	uint32_t to_end = rq->cq.size - (rq->cq.produced & (rq->cq.size - 1));
	uint16_t k = 1;

	if (rq->zip == MLX5_ZIP_NONE || (f->flags & FRAME_ERROR) != 0)
		return 1;
	n = n < SESSION ? n : SESSION;
	n = n < to_end ? n : (uint16_t)to_end;
	/* A hash of 0 means none: the title says which kind all have. */
	while (k < n && f[k].flags == f->flags && f[k].vlan == f->vlan)
		k++;
	return k;
}

/*
 * A title, then 8 bytes for each packet in the entries behind it: the first 8 right behind, later
 * ones at multiples of 8 from the title. All take as many entries as there are packets; the driver
 * invalidates them.
 */
static void
complete_together(struct mlx5_rq *rq, uint32_t element, const struct frame *f, uint16_t n)
{
	uint8_t *title = rq->cq.entry + (rq->cq.produced & (rq->cq.size - 1)) * rq->cq.stride;

	for (uint16_t k = 0; k < n; k++) {
		unsigned array = k < MINIS ? 1 : k / MINIS * MINIS;
		uint8_t *mini = title + array * rq->cq.stride + (size_t)(k % MINIS) * MINI;

		if (rq->zip == MLX5_ZIP_HASH) {
			put32(mini, (f[k].flags & FRAME_RSS) != 0 ? f[k].rss : 0);
		} else {
			/*
			 * The driver's scalar path reads one of these bytes, its vector path the
			 * other.
			 */
			mini[0] = mini[1] = (uint8_t)headers(&f[k]);
			mini[2] = mini[3] = 0;
		}
		put32(mini + 4, f[k].len);
	}
	describe(title, f);
	put32(title + BYTES, n);
	mlx5_cq_give(&rq->cq, title, last_bytes(element, RECEIVED, COMPRESSED));
	rq->cq.produced += n - 1u;
}

void
mlx5_rx_give(struct model *m, struct ring *r, const struct frame *f, uint16_t n)
{
	struct mlx5_rq *rq = queue(m, r);

	for (uint16_t k = 0, together; k < n; k += together) {
		together = alike(rq, &f[k], n - k);
		for (uint16_t i = k; i < k + together; i++) {
			if (rq->log_segments > 0)
				scatter(rq, r->head + i, &f[i]);
			r->bytes += f[i].len;
		}
		if (together > 1)
			complete_together(rq, rq->given, &f[k], together);
		else
			complete_one(m, rq, rq->given, &f[k]);
		rq->given += together;
	}
	r->packets += n;
	r->head = (uint16_t)((r->head + n) & (r->size - 1u));
}
