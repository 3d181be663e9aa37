/* net_mock: the virtual devices, each a port in whose place a real driver's would be. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "model_nic/mock/mock.h"

#include "pmd_shims/drivers/model_nic/control.h"
#include "pmd_shims/drivers/model_nic/model_life.h"
#include "pmd_shims/drivers/model_nic/mover.h"

#include <bus_vdev_driver.h>
#include <ethdev_vdev.h>
#include <rte_errno.h>
#include <rte_malloc.h>

#include <stdio.h>
#include <stdlib.h>

static const struct mock_driver *const drivers[] = { &mock_mlx5, &mock_i40e, &mock_ice, &mock_iavf,
	&mock_ixgbe, &mock_ixgbe_vf };

enum { DRIVERS = RTE_DIM(drivers) };

static struct mock mocks[MODEL_PORTS_MAX]; /* by model */
static struct mock *by_port[RTE_MAX_ETHPORTS];

static int probe(struct rte_vdev_device *vdev);
static int unplug(struct rte_vdev_device *vdev);

static struct rte_vdev_driver net_mock = { .probe = probe,
	.remove = unplug,
	.drv_flags = RTE_VDEV_DRV_NEED_IOVA_AS_VA };

/* What a device says is its driver once it is there: the name of the real one, our functions. */
static struct rte_vdev_driver faces[DRIVERS];
static char bus_infos[DRIVERS][32];

/*
 * The drivers in this plugin serve no device on a bus: those that EAL loads do, and trace points are
 * theirs. Called in place of the functions by ld's --wrap.
 */
void __wrap_rte_pci_register(void *driver);
void __wrap_mlx5_class_driver_register(void *driver);
int __wrap___rte_trace_point_register(void *handle, const char *name, void (*fields)(void));

void
__wrap_rte_pci_register(void *driver)
{
}

void
__wrap_mlx5_class_driver_register(void *driver)
{
}

int
__wrap___rte_trace_point_register(void *handle, const char *name, void (*fields)(void))
{
	return 0;
}

struct mock *
mock_of(const struct rte_eth_dev *dev)
{
	return by_port[dev->data->port_id];
}

struct mock *
mock_of_model(const struct model *m)
{
	return &mocks[m->port];
}

static void
complain(const char *name, const char *why)
{
	fprintf(stderr, "%s: %s\n", name, why);
}

static void
finish(void)
{
	mover_stop();
	control_report_write();
	models_close();
}

static const struct mock_driver *
driver_find(const struct model_family *family)
{
	for (unsigned i = 0; i < DRIVERS; i++)
		if (drivers[i]->family == family)
			return drivers[i];
	return NULL;
}

void
mock_info(struct rte_eth_dev *dev, struct rte_eth_dev_info *info)
{
	struct mock *p = mock_of(dev);

	for (unsigned i = 0; i < DRIVERS; i++) {
		if (drivers[i] != p->driver)
			continue;
		faces[i] = net_mock;
		faces[i].driver.name = p->driver->name;
		dev->device->driver = &faces[i].driver;
		snprintf(bus_infos[i], sizeof(bus_infos[i]), "model_nic=%s",
			p->driver->family->name);
		dev->device->bus_info = bus_infos[i];
	}
	info->max_rx_queues =
		RTE_MIN(info->max_rx_queues, config_current.port[p->model->port].queues);
	info->max_tx_queues =
		RTE_MIN(info->max_tx_queues, config_current.port[p->model->port].queues);
}

static int
port_make(struct rte_vdev_device *vdev, struct mock *p)
{
	struct rte_eth_dev *dev = rte_eth_vdev_allocate(vdev, p->driver->private_size);
	int ret;

	if (dev == NULL)
		return -rte_errno;
	p->dev = dev;
	by_port[dev->data->port_id] = p;
	dev->dev_ops = p->driver->ops;
	dev->data->dev_flags = RTE_ETH_DEV_INTR_LSC | RTE_ETH_DEV_AUTOFILL_QUEUE_XSTATS;
	dev->data->mac_addrs = rte_zmalloc(NULL, 128 * sizeof(struct rte_ether_addr), 0);
	ret = dev->data->mac_addrs != NULL ? model_power_on(p->model) : -ENOMEM;
	if (ret == 0) {
		memcpy(dev->data->mac_addrs, p->model->mac, sizeof(p->model->mac));
		ret = p->driver->open(p);
	}
	if (ret != 0) {
		model_power_off(p->model);
		rte_eth_dev_release_port(dev);
		p->dev = NULL;
		return ret;
	}
	rte_eth_dev_probing_finish(dev);
	return 0;
}

static int
probe(struct rte_vdev_device *vdev)
{
	static bool begun;
	const char *name = rte_vdev_device_name(vdev);
	struct mock_options options;
	char why[512];
	struct mock *p;
	int i, ret;

	if (rte_eal_process_type() != RTE_PROC_PRIMARY || rte_eal_iova_mode() != RTE_IOVA_VA) {
		complain(name, "expected a primary process and --iova-mode=va");
		return -ENOTSUP;
	}
	i = mock_config_add(name, rte_vdev_device_args(vdev), &options, why, sizeof(why));
	if (i < 0) {
		if (*why != '\0')
			complain("net_mock", why);
		return -EINVAL;
	}
	if (!begun) {
		atexit(finish);
		control_register();
		begun = true;
	}
	p = &mocks[i];
	*p = (struct mock){ .model = model_port((unsigned)i), .options = options };
	p->driver = driver_find(p->model->family);
	ret = port_make(vdev, p);
	if (ret != 0)
		complain(name, strerror(-ret));
	return ret;
}

static int
unplug(struct rte_vdev_device *vdev)
{
	struct rte_eth_dev *dev = rte_eth_dev_allocated(rte_vdev_device_name(vdev));

	if (dev == NULL)
		return 0; /* closed already */
	mock_close(dev);
	return rte_eth_dev_release_port(dev);
}

RTE_PMD_REGISTER_VDEV(net_mock, net_mock);
RTE_PMD_REGISTER_PARAM_STRING(net_mock,
	"driver=mlx5|i40e|ice|iavf|ixgbe|ixgbe_vf rx_path=<word> tx_path=<word> inline=<bytes> zip=hash|l34 <words of MODEL_NIC>");
