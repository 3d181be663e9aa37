/* The journal: what is kept, what takes the place of what, how much there is room for. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/shell/journal.h"

#include "base/base.h"
#include "fixtures/unit.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const struct {
	const char *syntax, *line;
} typed[] = {
	{ "show settings [changed]", "show settings" },
	{ "set burst <value:uint 1..512>", "set burst 8" },
	{ "set flow_ctrl rx <on:word on|off> <port:port>", "set flow_ctrl rx on 0" },
	{ "set flow_ctrl rx <on:word on|off> <port:port>", "set flow_ctrl rx on 1" },
	{ "set promisc <port:ports> <state:word on|off>", "set promisc 0 off" },
	{ "set output <format:word json|text>", "set output json" },
	{ "set burst <value:uint 1..512>", "se bur 9" },
	{ "set burst <value:uint 1..512>", "set burst 10" },
	{ "set promisc <port:ports> <state:word on|off>", "set promisc 0 on" },
	{ "start", "start" },
	{ "flow create <port:port> <rule:flow>", "flow create 0 pattern end actions drop / end" },
	{ "flow query <port:port>", "flow query 0" },
	{ "port stop <port:ports>", "port stop all" },
	{ "set burst <value:uint 1..512>", "set burst 11" },
	{ "set fwd <engine:engine> [retry]", "set fwd mac" },
	{ "set fwd <engine:engine> [retry]", "set fwd io" },
	{ "set fwd <engine:engine> [retry]", "set fwd mac" },
	{ "starts <n:uint>", "starts 1" },
};

/* A line between two `set` could have needed the first one. */
static const char *const kept[] = { "set flow_ctrl rx on 0", "set flow_ctrl rx on 1", "set bur 9",
	"set burst 10", "set promisc 0 on", "flow create 0 pattern end actions drop / end",
	"port stop all", "set burst 11", "set fwd io", "set fwd mac", "starts 1" };

TEST(test_kept)
{
	struct journal j = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(typed); i++)
		journal_add(&j, typed[i].syntax, typed[i].line);
	for (size_t i = 0; i < j.n && i < ARRAY_SIZE(kept); i++)
		assert_string_equal(j.lines[i], kept[i]);
	assert_int_equal(j.n, ARRAY_SIZE(kept));
	assert_false(j.cut);
	journal_close(&j);
	assert_int_equal(j.n, 0);
}

TEST(test_many)
{
	struct journal j = { 0 };
	char line[32];

	for (unsigned int i = 0; i < JOURNAL_LINES + 1; i++) {
		assert_false(j.cut);
		snprintf(line, sizeof(line), "port attach net_null%u", i);
		journal_add(&j, "port attach <device:text>", line);
	}
	assert_true(j.cut);
	assert_int_equal(j.n, JOURNAL_LINES);
	journal_close(&j);
}

TEST(test_to_and_fro)
{
	struct journal j = { 0 };

	for (unsigned int i = 0; i < 3 * JOURNAL_LINES; i++)
		journal_add(&j, "set promisc <port:ports> <state:word on|off>",
			i % 2 == 0 ? "set promisc 0 on" : "set promisc 0 off");
	assert_int_equal(j.n, 1);
	assert_string_equal(j.lines[0], "set promisc 0 off");
	journal_close(&j);
}
