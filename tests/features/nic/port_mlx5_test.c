/* What mlx5 drivers have beyond ethdev, on a port of net_null under their name: the driver's
 * functions are this program's, exported, and found as those of a driver are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/nic/port_mlx5.h"

#include "base/err.h"
#include "compat.h"
#include "features/nic/port_geneve.h"
#include "fixtures/port_fixture.h"
#include "fixtures/unit.h"
#include "port/port_driver.h"
#include "port/port_feature.h"

#include <rte_byteorder.h>
#include <rte_errno.h>
#include <rte_version.h>

#include <errno.h>

static int parser; /* what a GENEVE parser is */

int rte_pmd_mlx5_txq_dump_contexts(uint16_t port, uint16_t queue, const char *path);
int rte_pmd_mlx5_rxq_dump_contexts(uint16_t port, uint16_t queue, const char *path);

int
rte_pmd_mlx5_txq_rate_limit_query(uint16_t port, uint16_t queue,
	struct rte_pmd_mlx5_txq_rate_limit_info *rate)
{
	if (queue < 2)
		*rate = (struct rte_pmd_mlx5_txq_rate_limit_info){ queue == 0 ? 2500 : 0, 7, 8 };
	return port_fixture_card;
}

int
rte_pmd_mlx5_txq_dump_contexts(uint16_t port, uint16_t queue, const char *path)
{
	rte_errno = (int)-port_fixture_card;
	return port_fixture_tell("tx %u %u %s", port, queue, path);
}

int
rte_pmd_mlx5_rxq_dump_contexts(uint16_t port, uint16_t queue, const char *path)
{
	rte_errno = ENOENT;
	return port_fixture_tell("rx %u %u %s", port, queue, path);
}

void *
rte_pmd_mlx5_create_geneve_tlv_parser(uint16_t port, const struct rte_pmd_mlx5_geneve_tlv *list,
	uint8_t n)
{
	const struct rte_pmd_mlx5_geneve_tlv *last = &list[n - 1];

	rte_errno = EEXIST;
	return port_fixture_tell("%u: %u options, the last %x %u %u %u %u %u mask %x", port, n,
		       rte_be_to_cpu_16(last->option_class), last->option_type, last->option_len,
		       last->match_on_class_mode, last->offset, last->sample_len,
		       last->sample_len > 0 ? rte_be_to_cpu_32(last->match_data_mask[0]) : 0) == 0
		? &parser
		: NULL;
}

int
rte_pmd_mlx5_destroy_geneve_tlv_parser(void *made)
{
	return port_fixture_tell("destroyed%s", made == &parser ? "" : " what was not made");
}

static int
rename_driver(void **state)
{
	((struct app *)*state)->ports.port[0].info.driver_name = "mlx5_pci";
	return 0;
}

#define RATE(queue) "mlx5 port 0 txq " queue " rate show"
#define DUMP(queue, what) "mlx5 port 0 queue " queue " dump " what "_context "
#define BAD_QUEUE(queue) \
	NULL, "invalid queue index (" queue "), out of range: port 0 (mlx5_pci)\n", "EINVAL", \
		.card = -EINVAL

TEST(answers)
{
	static const struct port_fixture_row rows[] = {
		{ RATE("0"),
			"Port 0 Txq 0 rate limit info:\n  Configured rate: 2500 Mbps\n"
			"  PP index (driver): 7\n  PP index (FW readback): 8\n" },
		{ RATE("1"),
			"Port 0 Txq 1 rate limit info:\n  Configured rate: disabled\n"
			"  PP index (driver): 7\n  PP index (FW readback): 8\n" },
		{ RATE("9"), BAD_QUEUE("9") },
		{ RATE("0"), NULL, "failed to query SQ context\n", "EIO", .card = -EIO },
		{ "mlx5 port 5 txq 0 rate show", NULL, "Invalid port 5: expected 0\n", "ENODEV" },
		{ DUMP("3", "sq") "/a", .told = "tx 0 3 /a" },
		{ DUMP("4", "rq") "/b", .told = "rx 0 4 /b" },
		{ DUMP("4", "rq") "/b", NULL, "File Access Error (No such file or directory): /b\n",
			"EIO", .card = -EIO },
		{ DUMP("4", "sq") "/b", NULL,
			"Unable to dump SQ/CQ HW Context (Operation not permitted)\n", "EPERM",
			.card = -EPERM },
		{ DUMP("4", "sq") "/b", BAD_QUEUE("4") },
	};

	PORT_FIXTURE_ROWS(rows);
}

static const struct port_geneve_option option = { 0x102, 1, PORT_GENEVE_FIXED, 4, 1, 2,
	{ UINT32_MAX, 0xff } };

TEST(lists)
{
	struct app *app = *state;
	struct port_geneve_option bad = option;
	struct port_geneve *list = port_feature_shared(&app->ports, &port_feature_geneve);
	struct err e = { 0 };
	unsigned int i;

	bad.n = 4;
	assert_int_equal(port_geneve_add(list, &bad, &e), -ERANGE);
	bad.length = 33;
	assert_int_equal(port_geneve_add(list, &bad, &e), -ERANGE);
	assert_string_equal(e.text, "GENEVE TLV option length (33) must be less than 32");
	for (i = 0; i < PORT_GENEVE_OPTIONS; i++)
		assert_int_equal(port_geneve_add(list, &option, &e), 0);
	assert_int_equal(port_geneve_add(list, &option, &e), -ENOSPC);
	port_fixture_says("mlx5 flush tlv_options max 6", NULL, NULL);
	assert_int_equal(list->n, 1);
	port_fixture_says("mlx5 list tlv_options",
		"ID\tType\tClass\tClass_mode\tLen\tOffset\tSample_len\tData\n"
		"0\t1\t258\tfixed\t\t4\t1\t2\t\t0xffffffff 0xff \n",
		NULL);
	port_fixture_says("mlx5 flush tlv_options max 255", NULL, NULL);
	assert_int_equal(list->n, 0);
}

#define APPLY "mlx5 port 0 apply tlv_options"
#define DESTROY "mlx5 port 0 destroy tlv_options"

TEST(parsers)
{
	static const struct port_fixture_row made[] = {
		{ APPLY, NULL, "The option list is empty, please set options\n", "ENOENT" },
		{ "mlx5 set tlv_option class 258 type 1 len 4 offset 1 sample_len 2 class_mode fixed data 0xffffffff 0xff" },
		{ APPLY, .told = "0: 1 options, the last 102 1 4 1 1 2 mask ffffffff" },
		{ DESTROY, NULL,
			"Fail to destroy GENEVE TLV parser: Device or resource busy: port 0 (mlx5_pci)\n",
			"EBUSY", .card = -EBUSY },
		{ DESTROY, .told = "destroyed" },
		{ DESTROY, .told = "" }, /* there is none */
		{ APPLY },
	};
	struct ports *ps = &((struct app *)*state)->ports;
	struct port *p = &ps->port[0];
	void **has = port_feature_state(p, &port_feature_geneve);

	PORT_FIXTURE_ROWS(made);
	port_features_at(ps, p, PORT_CLOSED);
	assert_string_equal(port_fixture_told(), "destroyed");
	assert_null(*has);
	port_fixture_card = -EEXIST;
	port_fixture_says(APPLY, NULL,
		"Fail to create GENEVE TLV parser, nb_option=1: File exists: port 0 (mlx5_pci)\n");
	assert_null(*has);
}

TEST(others)
{
	static const struct port_fixture_row rows[] = {
#define OTHER \
	NULL, "function not implemented: port 0 (net_null); this command needs a port of mlx5_\n", \
		"EOPNOTSUPP"
		{ RATE("0"), OTHER },
		{ DUMP("0", "sq") "/a", OTHER },
	};
	int ret;

	((struct app *)*state)->ports.port[0].info.driver_name = "net_null";
	PORT_FIXTURE_ROWS(rows);
	ret = -port_fixture_run("mlx5 set flow_engine standby 1").code;
	if (RTE_VERSION < RTE_VERSION_NUM(23, 7, 0, 0))
		assert_int_equal(ret, -ENOSYS);
	else /* of no port, where the driver is loaded */
		assert_true(ret == 0 || ret == -ENOTSUP);
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown, .before = rename_driver);
