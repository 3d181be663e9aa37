/* A mock port of mlx5: the driver's queue set-up, selection and burst functions on a port that it
 * did not probe. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/mock/mock_mlx5.h"

#include "model_nic/mock/mlx5_nic.h"

#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_time.h>

enum {
	DESCS_MAX = 16384,
	SEGMENTATION_MAX = 262144,
	MTU_MIN = 68,
	MTU_MAX = 9978,
	INDIRECTION = 512
};

#define RX_OFFLOADS \
	(RTE_ETH_RX_OFFLOAD_SCATTER | RTE_ETH_RX_OFFLOAD_RSS_HASH | \
		RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_UDP_CKSUM | \
		RTE_ETH_RX_OFFLOAD_TCP_CKSUM | RTE_ETH_RX_OFFLOAD_VLAN_STRIP | \
		RTE_ETH_RX_OFFLOAD_TIMESTAMP)

static struct mlx5_priv *
priv_of(const struct mock *p)
{
	return p->dev->data->dev_private;
}

/* As of a ConnectX-6 with default devargs, but for what the model has not. */
static void
capabilities_set(struct mlx5_dev_ctx_shared *sh)
{
	sh->dev_cap = (struct mlx5_dev_cap){ .max_cq = 1024,
		.max_qp = 1024,
		.max_qp_wr = DESCS_MAX,
		.max_sge = 30,
		.mps = MLX5_MPW_ENHANCED,
		.cqe_comp = 1,
		.hw_csum = 1,
		.tso = 1,
		.tso_max_payload_sz = SEGMENTATION_MAX,
		.hw_vlan_strip = 1,
		.ind_table_max_size = INDIRECTION };
}

static void
config_set(struct mlx5_port_config *c, const struct mock_options *o)
{
	*c = (struct mlx5_port_config){ .hw_vlan_insert = 1,
		.rx_vec_en = o->rx_path == PATH_BEST,
		.cqe_comp = o->zip != MLX5_ZIP_NONE,
		.cqe_comp_fmt = o->zip == MLX5_ZIP_L34 ? MLX5_CQE_RESP_FORMAT_L34H_STRIDX
						       : MLX5_CQE_RESP_FORMAT_HASH,
		.mps = o->tx_path == PATH_BEST      ? MLX5_MPW_ENHANCED
			: o->tx_path == PATH_LEGACY ? MLX5_MPW
						    : MLX5_MPW_DISABLED,
		.txqs_inline = o->in_line != 0 ? 0 : MLX5_ARG_UNSET,
		.txq_inline_max = o->in_line != 0 ? o->in_line : MLX5_ARG_UNSET,
		.txq_inline_mpw = o->in_line != 0 ? o->in_line : MLX5_ARG_UNSET };
	c->log_hp_size = (unsigned)MLX5_ARG_UNSET;
	c->mprq.min_rxqs_num = UINT32_MAX;
}

static int
port_open(struct mock *p)
{
	struct mlx5_priv *priv = priv_of(p);
	struct mlx5_dev_ctx_shared *sh = rte_zmalloc("mock mlx5", sizeof(*sh), 0);
	struct mlx5_common_device *device = mock_mlx5_device();

	if (sh == NULL || device == NULL) {
		rte_free(sh);
		return -ENOMEM;
	}
	sh->cdev = device;
	sh->refcnt = 1;
	sh->max_port = 1;
	sh->numa_node = SOCKET_ID_ANY;
	capabilities_set(sh);
	priv->sh = sh;
	priv->dev_data = p->dev->data;
	priv->dev_port = 1;
	MOCK_MLX5_MTU_SET(priv, p->dev->data->mtu);
	priv->min_mtu = MTU_MIN;
	priv->max_mtu = MTU_MAX;
	priv->representor_id = UINT16_MAX;
	priv->domain_id = RTE_ETH_DEV_SWITCH_DOMAIN_ID_INVALID;
	priv->pf_bond = -1;
	priv->link_speed_capa = RTE_ETH_LINK_SPEED_100G;
	priv->obj_ops = mock_mlx5_objects;
	config_set(&priv->config, &p->options);
	mlx5_nic(p->model)->clock =
		(struct mlx5_clock){ .kind = p->options.clock, .host_ns = p->options.host_ns };
	p->dev->rx_descriptor_status = mlx5_rx_descriptor_status;
	p->dev->tx_descriptor_status = mlx5_tx_descriptor_status;
	p->dev->rx_queue_count = mlx5_rx_queue_count;
	return 0;
}

static void
port_close(struct mock *p)
{
	struct mlx5_priv *priv = priv_of(p);

	mlx5_proc_priv_uninit(p->dev);
	mlx5_free(priv->rxq_privs);
	priv->rxq_privs = NULL;
	priv->txqs = NULL;
	rte_free(priv->sh);
	priv->sh = NULL;
}

static int
port_configure(struct mock *p)
{
	struct rte_eth_dev_data *data = p->dev->data;
	struct mlx5_priv *priv = priv_of(p);
	unsigned had = priv->rxqs_n, want = data->nb_rx_queues;
	void *queues = mlx5_malloc(MLX5_MEM_RTE | MLX5_MEM_ZERO, sizeof(void *) * (want + 1), 0,
		SOCKET_ID_ANY);

	if (queues == NULL)
		return -ENOMEM;
	if (priv->rxq_privs != NULL)
		memcpy(queues, priv->rxq_privs, sizeof(void *) * RTE_MIN(had, want));
	mlx5_free(priv->rxq_privs);
	priv->rxq_privs = queues;
	priv->rxqs_n = want;
	priv->txqs = (void *)data->tx_queues;
	priv->txqs_n = data->nb_tx_queues;
	priv->rss_conf.rss_hf = data->dev_conf.rx_adv_conf.rss_conf.rss_hf;
	MOCK_MLX5_MTU_SET(priv, data->mtu);
	return mlx5_proc_priv_init(p->dev);
}

/*
 * Let the queue reach its pools, as the driver's own start does: of pools with pinned buffers, the
 * memory that those lie in.
 */
static int
rx_reach(struct mock *p, struct mlx5_rxq_data *rxq)
{
	for (uint32_t s = 0; s < rxq->rxseg_n; s++) {
		struct rte_mempool *mp = rxq->rxseg[s].mp;
		const bool pinned =
			(rte_pktmbuf_priv_flags(mp) & RTE_PKTMBUF_POOL_F_PINNED_EXT_BUF) != 0;

		if (mlx5_mr_mempool_register(priv_of(p)->sh->cdev, mp, pinned) < 0 &&
			rte_errno != EEXIST)
			return -rte_errno;
		if (mlx5_mr_mempool_populate_cache(&rxq->mr_ctrl, mp) < 0)
			return -rte_errno;
	}
	return 0;
}

static int
rx_start(struct mock *p, uint16_t i)
{
	struct mlx5_rxq_priv *rxq = mlx5_rxq_ref(p->dev, i);
	struct mlx5_rxq_ctrl *control;
	int ret;

	if (rxq == NULL)
		return -EINVAL;
	control = rxq->ctrl;
	mlx5_mr_flush_local_cache(&control->rxq.mr_ctrl);
	ret = rx_reach(p, &control->rxq);
	if (ret != 0)
		return ret;
	ret = rxq_alloc_elts(control);
	if (ret != 0)
		return ret;
	control->obj = mlx5_malloc(MLX5_MEM_RTE | MLX5_MEM_ZERO, sizeof(*control->obj), 0,
		control->socket);
	if (control->obj == NULL)
		return -ENOMEM;
	LIST_INSERT_HEAD(&priv_of(p)->rxqsobj, control->obj, next);
	control->started = true;
	return mock_mlx5_objects.rxq_obj_new(rxq);
}

static int
tx_start(struct mock *p, uint16_t i)
{
	struct mlx5_txq_ctrl *control = mlx5_txq_get(p->dev, i);

	if (control == NULL)
		return -EINVAL;
	txq_alloc_elts(control);
	control->obj = mlx5_malloc(MLX5_MEM_RTE | MLX5_MEM_ZERO, sizeof(*control->obj), 0,
		control->socket);
	if (control->obj == NULL)
		return -ENOMEM;
	LIST_INSERT_HEAD(&priv_of(p)->txqsobj, control->obj, next);
	return mock_mlx5_objects.txq_obj_new(p->dev, i);
}

static int
port_start(struct mock *p)
{
	struct rte_eth_dev *dev = p->dev;
	int ret = 0;

	if (mlx5_dev_mempool_subscribe(priv_of(p)->sh->cdev) != 0)
		return -ENOMEM;
	for (uint16_t i = 0; ret == 0 && i < dev->data->nb_tx_queues; i++)
		ret = tx_start(p, i);
	for (uint16_t i = 0; ret == 0 && i < dev->data->nb_rx_queues; i++)
		ret = rx_start(p, i);
	if (ret != 0)
		return ret;
	dev->tx_pkt_burst = mlx5_select_tx_function(dev);
	dev->rx_pkt_burst = mlx5_select_rx_function(dev);
	return dev->tx_pkt_burst != NULL ? 0 : -ENOTSUP;
}

/* Also after a start that got half way: a queue that was referred to once has not been started. */
static void
port_stop(struct mock *p)
{
	struct mlx5_priv *priv = priv_of(p);

	p->dev->rx_pkt_burst = rte_eth_pkt_burst_dummy;
	p->dev->tx_pkt_burst = rte_eth_pkt_burst_dummy;
	for (uint16_t i = 0; i < priv->rxqs_n; i++) {
		struct mlx5_rxq_priv *rxq = (*priv->rxq_privs)[i];

		if (rxq != NULL && rxq->refcnt > 1)
			mlx5_rxq_release(p->dev, i);
	}
	for (uint16_t i = 0; i < priv->txqs_n; i++) {
		struct mlx5_txq_data *txq = (*priv->txqs)[i];

		if (txq != NULL && container_of(txq, struct mlx5_txq_ctrl, txq)->refcnt > 1)
			mlx5_txq_release(p->dev, i);
	}
}

static int
port_info(struct rte_eth_dev *dev, struct rte_eth_dev_info *info)
{
	int ret = mlx5_dev_infos_get(dev, info);

	info->rx_offload_capa &= RX_OFFLOADS;
	info->rx_queue_offload_capa &= RX_OFFLOADS;
	info->if_index = 0;
	mock_info(dev, info);
	return ret;
}

static int
port_stats(MOCK_STATS_ARGS)
{
	const struct mlx5_priv *priv = dev->data->dev_private;

	for (unsigned i = 0; i < priv->rxqs_n; i++) {
		const struct mlx5_rxq_data *rxq = dev->data->rx_queues[i];

		if (rxq != NULL) {
			s->rx_nombuf += rxq->stats.rx_nombuf;
			s->ierrors += rxq->stats.idropped;
		}
	}
	return mock_stats_get(MOCK_STATS_PASS);
}

static unsigned
counters(struct mock *p, const char **names, uint64_t *values, unsigned max)
{
	static const char *const all[] = { "mock_bad_elements", "mock_bad_keys",
		"mock_completion_overruns" };
	struct mlx5_faults *faults = &mlx5_nic(p->model)->faults;

	memcpy(names, all, sizeof(all));
	values[0] = atomic_load(&faults->wqe);
	values[1] = atomic_load(&faults->region);
	values[2] = atomic_load(&faults->overrun);
	return RTE_DIM(all);
}

/* The driver asks libibverbs. */
static int
clock_read(struct rte_eth_dev *dev, uint64_t *ticks)
{
	const struct mlx5_clock *c = &mlx5_nic(mock_of(dev)->model)->clock;

	*ticks = mlx5_clock_ticks(c, 0);
	return c->kind == MLX5_CLOCK_TIMESYNC || c->kind == MLX5_CLOCK_NONE ? -ENOTSUP : 0;
}

/* Not of mlx5, but of drivers without read_clock. */
static int
timesync_begin(struct rte_eth_dev *dev)
{
	struct mlx5_clock *c = &mlx5_nic(mock_of(dev)->model)->clock;

	c->timesync = true;
	return c->kind == MLX5_CLOCK_TIMESYNC ? 0 : -ENOTSUP;
}

static int
timesync_read(struct rte_eth_dev *dev, struct timespec *t)
{
	const struct mlx5_clock *c = &mlx5_nic(mock_of(dev)->model)->clock;

	*t = rte_ns_to_timespec(mlx5_clock_ticks(c, 0));
	return c->kind == MLX5_CLOCK_TIMESYNC ? 0 : -ENOTSUP;
}

static const struct eth_dev_ops ops = {
	MOCK_COMMON_OPS,
	.stats_get = port_stats,
	.dev_infos_get = port_info,
	.read_clock = clock_read,
	.timesync_enable = timesync_begin,
	.timesync_read_time = timesync_read,
	.rx_queue_setup = mlx5_rx_queue_setup,
	.rx_queue_release = mlx5_rx_queue_release,
	.tx_queue_setup = mlx5_tx_queue_setup,
	.tx_queue_release = mlx5_tx_queue_release,
	.rxq_info_get = mlx5_rxq_info_get,
	.txq_info_get = mlx5_txq_info_get,
	.rx_burst_mode_get = mlx5_rx_burst_mode_get,
	.tx_burst_mode_get = mlx5_tx_burst_mode_get,
	.dev_supported_ptypes_get = mlx5_dev_supported_ptypes_get,
};

extern const struct model_family mock_mlx5_family;

const struct model_family mock_mlx5_family = { .name = "mlx5",
	.text = "ConnectX queues (mlx5)",
	.bar_len = 4096,
	.state_size = sizeof(struct mlx5_nic),
	.queues_max = MLX5_QUEUES,
	.reset = mock_reset,
	.link = mock_link,
	.rss = mock_rss,
	.rx_peek = mlx5_rx_peek,
	.rx_give = mlx5_rx_give,
	.tx_take = mlx5_tx_take,
	.tx_done = mlx5_tx_done,
	.buffer = mlx5_buffer };

const struct mock_driver mock_mlx5 = { .family = &mock_mlx5_family,
	.name = "mlx5_pci",
	.ops = &ops,
	.private_size = sizeof(struct mlx5_priv),
	.link_speed = RTE_ETH_SPEED_NUM_100G,
	.open = port_open,
	.close = port_close,
	.configure = port_configure,
	.start = port_start,
	.stop = port_stop,
	.counters = counters };
