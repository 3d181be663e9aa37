/* Hand-made mlx5 queues for tests of the family. */
#include "model_nic_mlx5_bed.h"

struct model bed;
struct ring *const bed_rx = &bed.rx[0], *const bed_tx = &bed.tx[0];
uint8_t bed_memory[65536];
uint32_t bed_key;
uint8_t bed_cq[BED_COMPLETIONS][MLX5_BLOCK];

static struct mlx5_nic state;
static uint8_t elements[4096];
static volatile uint32_t posted, consumed;
static unsigned log_segments;

/* The one function of the core that the family calls. */
void
model_log(const struct model *m, int level, const char *format, ...)
{
}

void
bed_put16(uint8_t *p, uint16_t v)
{
	v = __builtin_bswap16(v);
	memcpy(p, &v, sizeof(v));
}

void
bed_put32(uint8_t *p, uint32_t v)
{
	v = __builtin_bswap32(v);
	memcpy(p, &v, sizeof(v));
}

static void
pointer_put(uint8_t *p, const uint8_t *to)
{
	uint64_t v = __builtin_bswap64((uint64_t)(uintptr_t)to);

	memcpy(p, &v, sizeof(v));
}

static struct mlx5_cq
cq_fresh(void)
{
	bed.state = &state;
	if (bed_key == 0)
		bed_key = mlx5_region_add(bed_memory, sizeof(bed_memory));
	memset(bed_cq, BED_EMPTY, sizeof(bed_cq));
	memset(elements, 0, sizeof(elements));
	memset(&state.faults, 0, sizeof(state.faults));
	posted = consumed = 0;
	return (struct mlx5_cq){ .entry = bed_cq[0],
		.size = BED_COMPLETIONS,
		.consumed = &consumed };
}

uint8_t *
bed_buffer(unsigned element, unsigned segment)
{
	return bed_memory + ((element % BED_ELEMENTS << log_segments) + segment) * (size_t)BED_ROOM;
}

void
bed_rx_set(unsigned log, unsigned zip)
{
	struct mlx5_rq rq = { .cq = cq_fresh(),
		.wqe = elements,
		.size = BED_ELEMENTS,
		.log_segments = (uint8_t)log,
		.zip = (uint8_t)zip,
		.posted = &posted };

	log_segments = log;
	for (unsigned i = 0; i < (unsigned)BED_ELEMENTS << log; i++) {
		uint8_t *s = elements + (size_t)i * MLX5_UNIT;

		bed_put32(s, BED_ROOM);
		bed_put32(s + 4, bed_key);
		pointer_put(s + 8, bed_memory + (size_t)i * BED_ROOM);
	}
	mlx5_rq_set(&bed, 0, &rq);
}

void
bed_rx_spoil(unsigned element)
{
	bed_put32(elements + ((size_t)element << log_segments) * MLX5_UNIT + 4, 1);
}

void
bed_rx_post(uint32_t n)
{
	posted = __builtin_bswap32(n);
}

void
bed_consumed(uint32_t n)
{
	consumed = __builtin_bswap32(n);
}

void
bed_tx_set(void)
{
	static struct mlx5_sq sq;

	sq = (struct mlx5_sq){ .cq = cq_fresh(),
		.wqe = elements,
		.size = BED_BLOCKS,
		.number = BED_NUMBER,
		.posted = &posted };
	mlx5_sq_set(&bed, 0, &sq);
}

uint8_t *
bed_segment(uint32_t i)
{
	return elements + (size_t)(i % (BED_BLOCKS * 4)) * MLX5_UNIT;
}

void
bed_tx_post(uint16_t n)
{
	posted = __builtin_bswap32(n);
}

void
bed_control(uint16_t element, uint32_t opcode, uint32_t segments, bool report)
{
	const uint32_t always = 2 << 2;
	uint8_t *control = bed_segment(element * 4u);

	memset(control, 0, (size_t)2 * MLX5_UNIT);
	bed_put32(control, (opcode & 0xff0000ff) | (uint32_t)element << 8);
	bed_put32(control + 4, BED_NUMBER << 8 | segments);
	bed_put32(control + 8, report ? always : 0);
}

uint32_t
bed_data(uint32_t i, const uint8_t *p, uint32_t len)
{
	uint8_t *s = bed_segment(i);

	bed_put32(s, len);
	bed_put32(s + 4, bed_key);
	pointer_put(s + 8, p);
	return 1;
}

uint32_t
bed_inline(uint32_t i, const uint8_t *p, uint32_t len)
{
	const uint32_t in_line = UINT32_C(1) << 31;
	uint32_t at = 4;

	bed_put32(bed_segment(i), in_line | len);
	for (uint32_t k = 0; k < len; k++, at++)
		bed_segment(i + at / MLX5_UNIT)[at % MLX5_UNIT] = p[k];
	return (len + 4 + MLX5_UNIT - 1) / MLX5_UNIT;
}
