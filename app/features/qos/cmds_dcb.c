/* Commands for data center bridging and congestion management, in testpmd's syntax. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "app.h"
#include "base/base.h"
#include "base/err.h"
#include "cmdline/commands/types_app.h"
#include "cmdline/grammar/grammar.h"
#include "features/qos/port_cman.h"
#include "features/qos/port_dcb.h"
#include "run/run_classes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int
show(struct app *app, const struct args *a, struct err *e)
{
	return port_dcb_show(&app->ports, arg_port(a), e);
}

/* Read the class of a priority, "P:C", at *text and move *text past it. */
static int
priority_read(const struct args *a, const char **text, struct port_dcb *dcb, struct err *e)
{
	const char *at = *text;

	if (at[0] < '0' || at[0] >= '0' + PORT_DCB_PRIORITIES || at[1] != ':' || at[2] < '0' ||
		at[2] >= '0' + dcb->classes || strcspn(at, " ") != 3)
		return arg_err(a, "more", e, EINVAL,
			"\"%.*s\": expected PRIORITY:CLASS, 0..%d and 0..%u", (int)strcspn(at, " "),
			at, PORT_DCB_PRIORITIES - 1, dcb->classes - 1u);
	dcb->class_of[at[0] - '0'] = (uint8_t)(at[2] - '0');
	*text = at + 3;
	return 0;
}

/* Read "prio-tc P:C [P:C ...]" and "keep-qnum", in any order. */
static int
more_read(const struct args *a, struct port_dcb *dcb, struct err *e)
{
	const char *at = arg_str(a, "more", "");
	bool priorities = false;

	while (*(at += strspn(at, " ")) != '\0') {
		const size_t n = strcspn(at, " ");

		if (n == strlen("prio-tc") && strncmp(at, "prio-tc", n) == 0) {
			priorities = true;
			at += n;
		} else if (n == strlen("keep-qnum") && strncmp(at, "keep-qnum", n) == 0) {
			dcb->keep_queues = true;
			at += n;
		} else if (!priorities) {
			return arg_err(a, "more", e, EINVAL,
				"\"%.*s\": expected prio-tc or keep-qnum", (int)n, at);
		} else if (priority_read(a, &at, dcb, e) != 0) {
			return -e->code;
		}
	}
	return 0;
}

static int
config(struct app *app, const struct args *a, struct err *e)
{
	struct port_dcb dcb = {
		.classes = (uint8_t)arg_u64(a, "classes", 0),
		.vt = arg_is(a, "pools", "on"),
		.pfc = arg_is(a, "pause", "on"),
	};

	for (unsigned int i = 0; i < PORT_DCB_PRIORITIES; i++)
		dcb.class_of[i] = (uint8_t)(i % dcb.classes);
	if (more_read(a, &dcb, e) != 0)
		return -e->code;
	return port_dcb_set(&app->ports, arg_port(a), &dcb, e);
}

static int
pause(struct app *app, const struct args *a, struct err *e)
{
	const struct port_dcb_pause p = {
		.rx = arg_is(a, "receive", "on"),
		.tx = arg_is(a, "send", "on"),
		.high_water = (uint32_t)arg_u64(a, "high_water", 0),
		.low_water = (uint32_t)arg_u64(a, "low_water", 0),
		.pause_time = (uint16_t)arg_u64(a, "pause_time", 0),
		.priority = (uint8_t)arg_u64(a, "priority", 0),
	};

	return port_dcb_pause(&app->ports, arg_port(a), &p, e);
}

static int
queue_pause(struct app *app, const struct args *a, struct err *e)
{
	const struct port_dcb_queue_pause p = {
		.rx = arg_is(a, "receive", "on"),
		.tx = arg_is(a, "send", "on"),
		.txq = (uint16_t)arg_u64(a, "txq", 0),
		.txq_class = (uint8_t)arg_u64(a, "txq_class", 0),
		.rxq = (uint16_t)arg_u64(a, "rxq", 0),
		.rxq_class = (uint8_t)arg_u64(a, "rxq_class", 0),
		.pause_time = (uint16_t)arg_u64(a, "pause_time", 0),
	};

	return port_dcb_queue_pause(&app->ports, arg_port(a), &p, e);
}

static int
forward(struct app *app, const struct args *a, struct err *e)
{
	return run_classes_choose(&app->run, arg_u64(a, "mask", 0), e);
}

static int
forward_lcores(struct app *app, const struct args *a, struct err *e)
{
	return run_classes_lcores(&app->run, arg_u64(a, "n", 0), e);
}

static int
forward_show(struct app *app, const struct args *a, struct err *e)
{
	run_classes_show(&app->run);
	return 0;
}

static int
cman_show(struct app *app, const struct args *a, struct err *e)
{
	return port_cman_show(&app->ports, arg_port(a), e);
}

static int
cman_config_show(struct app *app, const struct args *a, struct err *e)
{
	return port_cman_config_show(&app->ports, arg_port(a), e);
}

static int
cman_default(struct app *app, const struct args *a, struct err *e)
{
	return port_cman_set(&app->ports, arg_port(a), (uint16_t)arg_u64(a, "queue_number", 0),
		NULL, e);
}

static int
cman_red(struct app *app, const struct args *a, struct err *e)
{
	const struct port_cman_red red = {
		.mempool = arg_is(a, "object", "queue_mempool"),
		.min_percent = (uint8_t)arg_u64(a, "min", 0),
		.max_percent = (uint8_t)arg_u64(a, "max", 0),
		.inverse = (uint16_t)arg_u64(a, "inverse", 0),
	};

	return port_cman_set(&app->ports, arg_port(a), (uint16_t)arg_u64(a, "queue_number", 0),
		&red, e);
}

#define PORT "<port:port>"
#define N8 "0..255"
#define N16 "0..65535"
#define N32 "0..4294967295"

static const struct cmd_row rows[] = {
	{ "port config " PORT
	  " dcb vt <pools:word off|on> <classes:uint 1..8> pfc <pause:word off|on> [<more:text>]",
		config,
		"configure traffic classes by VLAN priority, each with its own queues; vt on: within pools by VLAN; prio-tc PRIORITY:CLASS ...: map priorities (default: priority modulo classes); keep-qnum: keep the numbers of queues; the port must be stopped",
		NULL, NULL },
	{ "show port dcb_tc <port:ports>", show, "show traffic classes and their queues", NULL,
		NULL },
	{ "set dcb fwd_tc <mask:uint " N8 ">", forward,
		"set the traffic classes to forward from the next start on, as a bit mask; each class gets its own lcore",
		"set dcb fwd_tc 3", NULL },
	{ "set dcb fwd_tc_cores <n:uint " N8 ">", forward_lcores,
		"set the number of lcores per traffic class; they share its queues",
		"set dcb fwd_tc_cores 2", NULL },
	{ "show config dcbfwdtc", forward_show,
		"show the forwarded traffic classes and their number of lcores",
		"show config dcbfwdtc", NULL },
	{ "set pfc_ctrl rx <receive:word off|on> tx <send:word off|on> <high_water:uint " N32
	  "> <low_water:uint " N32 "> <pause_time:uint " N16 "> <priority:uint " N8 "> " PORT,
		pause, "set priority flow control (pause frames) of one priority", NULL, NULL },
	{ "set pfc_queue_ctrl " PORT " rx <receive:word off|on> <txq:uint " N16
	  "> <txq_class:uint " N8 "> tx <send:word off|on> <rxq:uint " N16 "> <rxq_class:uint " N8
	  "> <pause_time:uint " N16 ">",
		queue_pause, "set priority flow control by queue and traffic class", NULL, NULL },
	{ "show port cman capa " PORT, cman_show,
		"show the congestion management capabilities of a port", NULL, NULL },
	{ "show port cman config " PORT, cman_config_show,
		"show the congestion management configuration of a port", NULL, NULL },
	{ "set port cman config " PORT " <queue_number:uint " N16 "> default", cman_default,
		"reset congestion management of a queue to the driver's default", NULL, NULL },
	{ "set port cman config " PORT " <queue_number:uint " N16
	  "> obj <object:word queue|queue_mempool> mode red <min:uint 0..100> <max:uint 0..100> <inverse:uint " N16
	  ">",
		cman_red,
		"set random early drop of an Rx queue: minimum and maximum fill of the queue or its mempool in percent, and the inverse drop probability",
		NULL, NULL },
};

const struct cmd_table cmds_dcb = { "dcb", "data center bridging and congestion", rows,
	ARRAY_SIZE(rows) };
