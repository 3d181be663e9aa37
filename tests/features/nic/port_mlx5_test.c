/* What mlx5 drivers have beyond ethdev, on a port of net_null under their name: the driver's
 * functions are this program's, exported, and found as those of a driver are. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "features/nic/port_mlx5.h"

#include "base/base.h"
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
#include <stdio.h>
#include <string.h>

static struct {
	char told[256];
	int ret;
	bool none;
} fake;

#define TELL(...) snprintf(fake.told, sizeof(fake.told), __VA_ARGS__)

int rte_pmd_mlx5_txq_dump_contexts(uint16_t port, uint16_t queue, const char *path);
int rte_pmd_mlx5_rxq_dump_contexts(uint16_t port, uint16_t queue, const char *path);

int
rte_pmd_mlx5_txq_rate_limit_query(uint16_t port, uint16_t queue,
	struct rte_pmd_mlx5_txq_rate_limit_info *rate)
{
	if (queue < 2)
		*rate = (struct rte_pmd_mlx5_txq_rate_limit_info){ queue == 0 ? 2500 : 0, 7, 8 };
	return fake.ret;
}

int
rte_pmd_mlx5_txq_dump_contexts(uint16_t port, uint16_t queue, const char *path)
{
	TELL("tx %u %u %s", port, queue, path);
	return fake.ret;
}

int
rte_pmd_mlx5_rxq_dump_contexts(uint16_t port, uint16_t queue, const char *path)
{
	TELL("rx %u %u %s", port, queue, path);
	return fake.ret;
}

void *
rte_pmd_mlx5_create_geneve_tlv_parser(uint16_t port, const struct rte_pmd_mlx5_geneve_tlv *list,
	uint8_t n)
{
	const struct rte_pmd_mlx5_geneve_tlv *last = &list[n - 1];

	if (fake.none) {
		rte_errno = EEXIST;
		return NULL;
	}
	TELL("%u: %u options, the last %x %u %u %u %u %u mask %x", port, n,
		rte_be_to_cpu_16(last->option_class), last->option_type, last->option_len,
		last->match_on_class_mode, last->offset, last->sample_len,
		last->sample_len > 0 ? rte_be_to_cpu_32(last->match_data_mask[0]) : 0);
	return &fake;
}

int
rte_pmd_mlx5_destroy_geneve_tlv_parser(void *parser)
{
	TELL("destroyed%s", parser == &fake ? "" : " what was not made");
	return fake.ret;
}

static struct ports *
mlx5_port(void **state)
{
	struct port_fixture *b = *state;

	memset(&fake, 0, sizeof(fake));
	b->ports.port[0].info.driver_name = "mlx5_pci";
	return &b->ports;
}

TEST(rates)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	mlx5_port(state);
	out_begin(b->out, "x");
	assert_int_equal(ON_PORTS(port_mlx5_rate_show, "port=0 queue=0"), 0);
	assert_int_equal(ON_PORTS(port_mlx5_rate_show, "port=0 queue=1"), 0);
	out_end(b->out, &e, NULL);
	assert_string_equal(out_check_results(&b->printed),
		"Port 0 Txq 0 rate limit info:\n  Configured rate: 2500 Mbps\n"
		"  PP index (driver): 7\n  PP index (FW readback): 8\n"
		"Port 0 Txq 1 rate limit info:\n  Configured rate: disabled\n"
		"  PP index (driver): 7\n  PP index (FW readback): 8\n");
	fake.ret = -EINVAL;
	assert_int_equal(ON_PORTS(port_mlx5_rate_show, "port=0 queue=9"), -EINVAL);
	assert_non_null(strstr(e.text, "invalid queue index (9), out of range"));
	fake.ret = -EIO;
	assert_int_equal(ON_PORTS(port_mlx5_rate_show, "port=0 queue=0"), -EIO);
	assert_string_equal(e.text, "failed to query SQ context");
	assert_int_equal(ON_PORTS(port_mlx5_rate_show, "port=5 queue=0"), -ENODEV);
}

TEST(contexts)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };

	mlx5_port(state);
	assert_int_equal(ON_PORTS(port_mlx5_context_dump, "port=0 queue=3 what=sq_context file=/a"),
		0);
	assert_string_equal(fake.told, "tx 0 3 /a");
	assert_int_equal(ON_PORTS(port_mlx5_context_dump, "port=0 queue=4 what=rq_context file=/b"),
		0);
	assert_string_equal(fake.told, "rx 0 4 /b");
	fake.ret = -EIO;
	rte_errno = ENOENT;
	assert_int_equal(ON_PORTS(port_mlx5_context_dump, "port=0 queue=4 what=rq_context file=/b"),
		-EIO);
	assert_string_equal(e.text, "File Access Error (No such file or directory): /b");
	fake.ret = -EPERM;
	rte_errno = EPERM;
	assert_int_equal(ON_PORTS(port_mlx5_context_dump, "port=0 queue=4 what=sq_context file=/b"),
		-EPERM);
	assert_string_equal(e.text, "Unable to dump SQ/CQ HW Context (Operation not permitted)");
	fake.ret = -EINVAL;
	assert_int_equal(ON_PORTS(port_mlx5_context_dump, "port=0 queue=4 what=sq_context file=/b"),
		-EINVAL);
	assert_non_null(strstr(e.text, "invalid queue index (4), out of range"));
}

static const struct port_geneve_option option = { 0x102, 1, PORT_GENEVE_FIXED, 4, 1, 2,
	{ UINT32_MAX, 0xff } };

TEST(lists)
{
	struct port_fixture *b = *state;
	struct port_geneve_option bad = option;
	struct port_geneve *list = port_feature_shared(&b->ports, &port_feature_geneve);
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
	assert_int_equal(ON_PORTS(port_geneve_flush, "n=6"), 0);
	assert_int_equal(list->n, 1);
	err_clear(&e);
	out_begin(b->out, "x");
	assert_int_equal(ON_PORTS(port_geneve_show, "%s", ""), 0);
	out_end(b->out, &e, NULL);
	assert_string_equal(out_check_results(&b->printed),
		"ID\tType\tClass\tClass_mode\tLen\tOffset\tSample_len\tData\n"
		"0\t1\t258\tfixed\t\t4\t1\t2\t\t0xffffffff 0xff \n");
	assert_int_equal(ON_PORTS(port_geneve_flush, "n=255"), 0);
	assert_int_equal(list->n, 0);
}

TEST(parsers)
{
	struct ports *ps = mlx5_port(state);
	struct port_geneve *list = port_feature_shared(ps, &port_feature_geneve);
	struct port *p = &ps->port[0];
	void **parser = port_feature_state(p, &port_feature_geneve);
	struct err e = { 0 };

	assert_int_equal(port_geneve_apply(ps, 0, &e), -ENOENT);
	assert_int_equal(port_geneve_add(list, &option, &e), 0);
	assert_int_equal(port_geneve_apply(ps, 0, &e), 0);
	assert_string_equal(fake.told, "0: 1 options, the last 102 1 4 1 1 2 mask ffffffff");
	fake.ret = -EBUSY;
	assert_int_equal(port_geneve_destroy(ps, 0, &e), -EBUSY);
	assert_ptr_equal(*parser, &fake);
	fake.ret = 0;
	assert_int_equal(port_geneve_destroy(ps, 0, &e), 0);
	assert_string_equal(fake.told, "destroyed");
	fake.told[0] = '\0';
	assert_int_equal(port_geneve_destroy(ps, 0, &e), 0); /* there is none */
	port_features_at(ps, p, PORT_CLOSED);
	assert_string_equal(fake.told, "");
	assert_int_equal(port_geneve_apply(ps, 0, &e), 0);
	port_features_at(ps, p, PORT_CLOSED);
	assert_string_equal(fake.told, "destroyed");
	assert_null(*parser);
	fake.none = true;
	assert_int_equal(port_geneve_apply(ps, 0, &e), -EEXIST);
	assert_string_equal(e.text,
		"Fail to create GENEVE TLV parser, nb_option=1: File exists: port 0 (mlx5_pci)");
	assert_null(*parser);
}

TEST(others)
{
	struct port_fixture *b = *state;
	struct err e = { 0 };
	int ret;

	mlx5_port(state)->port[0].info.driver_name = "net_null";
	assert_int_equal(ON_PORTS(port_mlx5_rate_show, "port=0 queue=0"), -ENOTSUP);
	assert_int_equal(ON_PORTS(port_mlx5_context_dump, "port=0 queue=0 what=sq_context file=/a"),
		-ENOTSUP);
	assert_string_equal(e.text,
		"function not implemented: port 0 (net_null); this command needs a port of mlx5_");
	ret = ON_PORTS(port_mlx5_flow_engine, "mode=standby flags=1");
	if (RTE_VERSION < RTE_VERSION_NUM(23, 7, 0, 0))
		assert_int_equal(ret, -ENOSYS);
	else /* of no port, where the driver is loaded */
		assert_true(ret == 0 || ret == -ENOTSUP);
}

TESTS(.setup = port_fixture_setup, .teardown = port_fixture_teardown);
