/* Drivers that a build lacks: by their devices, by their plugins, among EAL's options. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/left_out.h"

#include "base/base.h"
#include "base/err.h"
#include "fixtures/unit.h"

#include <errno.h>
#include <string.h>

static const char *const drivers[] = { "net_async_vhost", "dma_adaptive", NULL };
static const char *const none[] = { NULL };

TEST(devices)
{
	static const struct {
		const char *device, *driver;
	} rows[] = {
		{ "net_async_vhost0,iface=/run/a.sock", "net_async_vhost" },
		{ "net_async_vhost", "net_async_vhost" },
		{ "net_async_vhost12", "net_async_vhost" },
		{ "dma_adaptive0,dev=dma_skeleton0", "dma_adaptive" },
		{ "/usr/lib/none/dma_adaptive.so", "dma_adaptive" },
		{ "dma_adaptive.so", "dma_adaptive" },
		{ "net_vhost0,iface=/run/net_async_vhost0", NULL },
		{ "net_async_vhosts0", NULL },
		{ "dma_adaptive_2", NULL },
		{ "net_null0", NULL },
		{ "", NULL },
		{ "/proc/self/exe", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = { 0 };
		int ret = left_out_device(drivers, rows[i].device, &e);

		print_message("# %s: %s\n", rows[i].device, e.text);
		assert_int_equal(ret, rows[i].driver != NULL ? -ENODEV : 0);
		assert_int_equal(left_out_device(none, rows[i].device, &e), 0);
		if (rows[i].driver == NULL)
			continue;
		assert_memory_equal(e.text, rows[i].device, strlen(rows[i].device));
		assert_non_null(strstr(e.text, ": this build lacks the driver "));
		assert_non_null(strstr(e.text, rows[i].driver));
		assert_non_null(strstr(e.text, "devtools/driver-source"));
	}
}

TEST(options)
{
	static char *const rows[][4] = {
		{ "zcfwd", "--vdev=net_null0", "--vdev=dma_adaptive0,dev=x", NULL },
		{ "zcfwd", "--vdev", "dma_adaptive0,dev=x", NULL },
		{ "zcfwd", "--no-pci", "--vdev", NULL },
		{ "zcfwd", "--vdev=net_null0", "dma_adaptive0", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char *argv[] = { rows[i][0], rows[i][1], rows[i][2], NULL };
		struct err e = { 0 };

		assert_int_equal(left_out_option(drivers, "--vdev", 3, argv, &e),
			i < 2 ? -ENODEV : 0);
		assert_int_equal(left_out_option(drivers, "-d", 3, argv, &e), 0);
	}
}
