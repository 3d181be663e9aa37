/* The objects that mlx5 asks a device for, in plain memory: queues, doorbell records, memory
 * regions. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/mock/mlx5_nic.h"
#include "model_nic/mock/mlx5_region.h"
#include "model_nic/mock/mock_mlx5.h"
#include "pmd_shims/drivers/model_nic/model_life.h"

#include <rte_malloc.h>

#include <assert.h>
#include <stdlib.h>

static_assert(offsetof(struct mlx5_mr_share_cache, dev_gen) == 0,
	"the first member is the generation");

enum { UNUSED = 0xff, RECORDS = 2, NUMBER = 0x100 };

/* Where a completion begins in its entry. */
enum { COMPLETION = RTE_CACHE_LINE_SIZE - MLX5_BLOCK };

/* The layouts that the family has of its own, as numbers. */
static_assert(sizeof(struct mlx5_cqe) == COMPLETION + MLX5_BLOCK &&
		offsetof(struct mlx5_cqe, rx_hash_res) == COMPLETION + 12 &&
		offsetof(struct mlx5_cqe, hdr_type_etc) == COMPLETION + 28 &&
		offsetof(struct mlx5_cqe, byte_cnt) == COMPLETION + 44 &&
		offsetof(struct mlx5_cqe, timestamp) == COMPLETION + 48 &&
		offsetof(struct mlx5_cqe, op_own) == COMPLETION + 63,
	"completions are laid out otherwise");
static_assert(offsetof(struct mlx5_error_cqe, syndrome) == COMPLETION + 55,
	"error completions are laid out otherwise");

/*
 * Completions, then elements, then doorbell records: in what order the driver has them too, a cache
 * line between.
 */
struct memory {
	uint8_t *completions, *elements;
	volatile uint32_t *records[RECORDS];
};

static struct memory
memory_get(uint32_t completions, uint32_t element_bytes, int socket)
{
	size_t first = completions * sizeof(struct mlx5_cqe),
	       all = first + element_bytes + RECORDS * RTE_CACHE_LINE_SIZE;
	uint8_t *at = rte_zmalloc_socket("mock mlx5 queue", all, 4096, socket);
	struct memory mem = { 0 };

	if (at == NULL)
		return mem;
	memset(at, UNUSED, first);
	mem.completions = at;
	mem.elements = at + first;
	for (unsigned i = 0; i < RECORDS; i++)
		mem.records[i] =
			(volatile uint32_t *)(void *)(at + all - (i + 1) * RTE_CACHE_LINE_SIZE);
	return mem;
}

static struct mlx5_cq
cq_of(volatile void *cqes, uint32_t size, const volatile uint32_t *consumed)
{
	return (struct mlx5_cq){ .entry = (uint8_t *)(uintptr_t)cqes + COMPLETION,
		.stride = sizeof(struct mlx5_cqe),
		.size = size,
		.consumed = consumed };
}

static void
rq_show(struct mock *p, struct mlx5_rxq_data *rxq, bool zip)
{
	const struct mlx5_rq rq = { .cq = cq_of(rxq->cqes, 1u << rxq->cqe_n, rxq->cq_db),
		.wqe = (const uint8_t *)(uintptr_t)rxq->wqes,
		.size = (uint16_t)(1u << (rxq->elts_n - rxq->sges_n)),
		.log_segments = rxq->sges_n,
		.zip = zip ? p->options.zip : MLX5_ZIP_NONE,
		.stamps = rxq->hw_timestamp,
		.posted = rxq->rq_db };

	mlx5_rq_set(p->model, rxq->idx, &rq);
	model_ring_enable(p->model, &p->model->rx[rxq->idx]);
}

static int
rx_new(struct mlx5_rxq_priv *priv)
{
	struct mlx5_rxq_ctrl *control = priv->ctrl;
	struct mlx5_rxq_data *rxq = &control->rxq;
	struct mock *p = mock_of(ETH_DEV(priv->priv));
	bool vector = mlx5_rxq_check_vec_support(rxq) > 0,
	     zip = priv->priv->config.cqe_comp && !rxq->lro && !rxq->hw_timestamp;
	uint32_t cqe_n = log2above(mlx5_rxq_cqe_num(rxq)) + (zip && !vector);
	struct memory mem = memory_get(1u << cqe_n,
		(1u << rxq->elts_n) * sizeof(struct mlx5_wqe_data_seg), (int)control->socket);

	if (mem.completions == NULL)
		return -ENOMEM;
	if (zip) {
		rxq->mcqe_format = priv->priv->config.cqe_comp_fmt;
		rxq->byte_mask = UINT32_MAX;
	}
	rxq->cqes = (volatile struct mlx5_cqe(*)[])(uintptr_t)mem.completions;
	rxq->cqe_n = cqe_n;
	rxq->cqn = NUMBER + rxq->idx;
	rxq->cq_db = mem.records[0];
	rxq->cq_ci = 0;
	rxq->wqes = mem.elements;
	rxq->rq_db = mem.records[1];
	control->wqn = NUMBER + rxq->idx;
	control->obj->ibv_cq = mem.completions;
	if (mlx5_rxq_initialize(rxq) != 0)
		return -ENOMEM;
	rq_show(p, rxq, zip);
	return 0;
}

static void
rx_release(struct mlx5_rxq_priv *priv)
{
	struct mlx5_rxq_ctrl *control = priv->ctrl;
	struct mock *p = mock_of(ETH_DEV(priv->priv));

	model_ring_disable(p->model, &p->model->rx[control->rxq.idx]);
	mlx5_rq_clear(p->model, control->rxq.idx);
	control->started = false;
	if (control->obj == NULL)
		return;
	rte_free(control->obj->ibv_cq);
	control->obj->ibv_cq = NULL;
}

/* The driver resets a queue after an error. Completions stay as they are. */
static int
rx_modify(struct mlx5_rxq_priv *priv, uint8_t type)
{
	struct mock *p = mock_of(ETH_DEV(priv->priv));
	struct ring *r = &p->model->rx[priv->ctrl->rxq.idx];

	model_ring_disable(p->model, r);
	if (type != MLX5_RXQ_MOD_RST2RDY)
		return 0;
	mlx5_rq_reset(p->model, r->index);
	model_ring_enable(p->model, r);
	return 0;
}

/*
 * As many completions as the driver asks for at most, and blocks for elements of the longest kind.
 */
static void
sizes(const struct mlx5_txq_ctrl *control, unsigned *cqe_n, unsigned *wqe_n)
{
	const struct mlx5_txq_data *txq = &control->txq;
	unsigned descs = 1u << txq->elts_n, bytes = 3 * MLX5_UNIT;

	*cqe_n = log2above(descs / MLX5_TX_COMP_THRESH + 1 + MLX5_TX_COMP_THRESH_INLINE_DIV);
	if (txq->inlen_send != 0)
		bytes = RTE_MAX(bytes,
			2 * MLX5_UNIT + RTE_ALIGN(txq->inlen_send + sizeof(uint32_t), MLX5_UNIT));
	descs *= RTE_ALIGN(bytes, MLX5_BLOCK) / MLX5_BLOCK;
	*wqe_n = log2above(RTE_MIN(descs, mlx5_dev_get_max_wq_size(control->priv->sh)));
}

static void
sq_fill(struct mlx5_txq_data *txq, const struct memory *mem, unsigned cqe_n, unsigned wqe_n)
{
	txq->cqe_n = (uint16_t)cqe_n;
	txq->cqe_s = (uint16_t)(1u << cqe_n);
	txq->cqe_m = txq->cqe_s - 1;
	txq->cqes = (volatile struct mlx5_cqe *)(void *)mem->completions;
	txq->cq_ci = txq->cq_pi = 0;
	txq->cq_db = mem->records[0];
	txq->wqe_n = (uint16_t)wqe_n;
	txq->wqe_s = (uint16_t)(1u << wqe_n);
	txq->wqe_m = txq->wqe_s - 1;
	txq->wqes = (struct mlx5_wqe *)(void *)mem->elements;
	txq->wqes_end = txq->wqes + txq->wqe_s;
	txq->wqe_ci = txq->wqe_pi = txq->wqe_comp = 0;
	txq->wqe_thres = txq->wqe_s / MLX5_TX_COMP_THRESH_INLINE_DIV;
	txq->qp_db = mem->records[1];
	txq->qp_num_8s = (NUMBER + txq->idx) << 8;
	txq->db_heu = txq->db_nc = 0;
	txq->wait_on_time = 0;
}

static int
tx_new(struct rte_eth_dev *dev, uint16_t i)
{
	struct mlx5_priv *priv = dev->data->dev_private;
	struct mlx5_txq_data *txq = (*priv->txqs)[i];
	struct mlx5_txq_ctrl *control = container_of(txq, struct mlx5_txq_ctrl, txq);
	struct mock *p = mock_of(dev);
	unsigned cqe_n, wqe_n;
	struct memory mem;
	struct mlx5_sq *sq;

	sizes(control, &cqe_n, &wqe_n);
	mem = memory_get(1u << cqe_n, MLX5_BLOCK << wqe_n, (int)control->socket);
	control->obj->txq_ctrl = control;
	control->obj->cq = mem.completions;
	txq->fcqs = mlx5_malloc(MLX5_MEM_RTE | MLX5_MEM_ZERO, sizeof(*txq->fcqs) << cqe_n,
		RTE_CACHE_LINE_SIZE, control->socket);
	sq = malloc(sizeof(*sq));
	if (mem.completions == NULL || txq->fcqs == NULL || sq == NULL) {
		free(sq);
		return -ENOMEM;
	}
	sq_fill(txq, &mem, cqe_n, wqe_n);
	MLX5_PROC_PRIV(dev->data->port_id)->uar_table[i].db =
		(void *)(p->model->bar + i * RTE_CACHE_LINE_SIZE);
	*sq = (struct mlx5_sq){ .cq = cq_of(mem.completions, txq->cqe_s, txq->cq_db),
		.wqe = mem.elements,
		.size = txq->wqe_s,
		.number = txq->qp_num_8s >> 8,
		.posted = txq->qp_db };
	mlx5_sq_set(p->model, i, sq);
	free(sq);
	model_ring_enable(p->model, &p->model->tx[i]);
	return 0;
}

static void
tx_release(struct mlx5_txq_obj *object)
{
	struct mlx5_txq_ctrl *control = object->txq_ctrl;
	struct mock *p;

	if (control == NULL)
		return;
	p = mock_of(ETH_DEV(control->priv));
	model_ring_disable(p->model, &p->model->tx[control->txq.idx]);
	rte_free(object->cq);
	object->cq = NULL;
}

/* The driver makes a queue ready again after an error; its mbufs it frees itself. */
static int
tx_modify(struct mlx5_txq_obj *object, enum mlx5_txq_modify_type type, uint8_t port)
{
	const struct mlx5_txq_ctrl *control = object->txq_ctrl;
	struct mock *p = mock_of(ETH_DEV(control->priv));
	struct ring *r = &p->model->tx[control->txq.idx];

	if (type != MLX5_TXQ_MOD_ERR2RDY)
		return 0;
	model_ring_disable(p->model, r);
	mlx5_sq_reset(p->model, control->txq.idx);
	model_ring_enable(p->model, r);
	return 0;
}

const struct mlx5_obj_ops mock_mlx5_objects = {
	.rxq_obj_new = rx_new,
	.rxq_obj_modify = rx_modify,
	.rxq_obj_release = rx_release,
	.txq_obj_new = tx_new,
	.txq_obj_modify = tx_modify,
	.txq_obj_release = tx_release,
};

static int
region_register(void *pd, void *start, size_t bytes, struct mlx5_pmd_mr *region)
{
	uint32_t key = mlx5_region_add(start, bytes);

	/* Without an object the driver takes memory that belongs to no mempool for refused. */
	*region = (struct mlx5_pmd_mr){ .lkey = key, .addr = start, .len = bytes, .obj = start };
	return key != 0 ? 0 : -1;
}

static void
region_forget(struct mlx5_pmd_mr *region)
{
	mlx5_region_remove(region->lkey);
	*region = (struct mlx5_pmd_mr){ 0 };
}

/* Since 26.07 the driver asks libibverbs at once. */
#if RTE_VERSION >= RTE_VERSION_NUM(26, 7, 0, 0)
static struct ibv_mr *
verbs_register(struct ibv_pd *pd, void *start, size_t bytes, int access)
{
	struct ibv_mr *mr = calloc(1, sizeof(*mr));
	struct mlx5_pmd_mr region;

	if (mr == NULL || region_register(pd, start, bytes, &region) != 0) {
		free(mr);
		return NULL;
	}
	*mr = (struct ibv_mr){ .addr = start, .length = bytes, .lkey = region.lkey };
	return mr;
}

static int
verbs_forget(struct ibv_mr *mr)
{
	struct mlx5_pmd_mr region = { .lkey = mr->lkey };

	region_forget(&region);
	free(mr);
	return 0;
}

static void
regions_divert(struct mlx5_mr_share_cache *regions)
{
	static struct mlx5_glue glue;

	glue = *mlx5_glue;
	glue.reg_mr = verbs_register;
	glue.dereg_mr = verbs_forget;
	mlx5_glue = &glue;
}
#else
static void
regions_divert(struct mlx5_mr_share_cache *regions)
{
	regions->reg_mr_cb = region_register;
	regions->dereg_mr_cb = region_forget;
}
#endif

struct mlx5_common_device *
mock_mlx5_device(void)
{
	static struct rte_device device = { .name = "mock mlx5", .numa_node = SOCKET_ID_ANY };
	static struct mlx5_common_device common;
	struct mlx5_mr_share_cache *regions = &common.mr_scache;
	struct mlx5_mr_ctrl control;
	void *generation = regions;

	if (common.dev != NULL)
		return &common;
	/*
	 * Locks that are free are zero. The table for memory that belongs to no mempool: the kind
	 * that queues have is the same, but for its length.
	 */
	memset(&control, 0, sizeof(control));
	if (mlx5_mr_ctrl_init(&control, generation, SOCKET_ID_ANY) != 0)
		return NULL;
	regions->cache = control.cache_bh;
	regions_divert(regions);
	common.config.mr_mempool_reg_en = 1;
	common.config.mr_ext_memseg_en = 1;
	common.dev = &device;
	return &common;
}
