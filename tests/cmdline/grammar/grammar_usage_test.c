/* Syntax as people read it, and words in lines of a given width. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/base.h"
#include "base/text.h"
#include "cmdline/grammar/grammar_offer.h"
#include "fixtures/unit.h"

#include <stdint.h>
#include <stdlib.h>

TEST(test_usage)
{
	static const struct {
		const char *syntax, *usage;
	} rows[] = {
		{ "quit", "quit" },
		{ "set burst <n:uint 1..512>", "set burst <n 1..512>" },
		{ "port config mtu <port:port> <bytes:uint 0..65535>",
			"port config mtu <port> <bytes>" },
		{ "port <what:word start|stop> <port:ports>", "port (start|stop) (<port>|all)" },
		{ "set fwd <engine:engine> [retry]", "set fwd <engine> [retry]" },
		{ "help [<what:text>]", "help [<what ...>]" },
		{ "set portlist <ports:list 0..31>", "set portlist <ports,...>" },
		{ "show (rxq|txq) info <port:port>", "show (rxq|txq) info <port>" },
		{ "flow create <port:port> <rule:flow>", "flow create <port> <rule>" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text t = { 0 };

		grammar_usage(rows[i].syntax, &t);
		assert_string_equal(t.bytes, rows[i].usage);
		free(t.bytes);
	}
}

TEST(test_wrap)
{
	static const struct {
		const char *words, *lines;
		size_t indent, columns;
	} rows[] = {
		{ "one two three", "one two three", 4, 40 },
		{ "one two  three four", "one two\n  three\n  four", 2, 10 },
		{ "aaaaaaaaaaaaaaaaaaaa b", "aaaaaaaaaaaaaaaaaaaa\n  b", 2, 12 },
		{ "x aaaa|bbbb|cccc|dddd", "x\n  aaaa|bbbb|\n  cccc|dddd", 2, 12 },
		{ "", "", 2, 12 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct text t = { 0 };

		text_add(&t, "%s", "");
		text_wrap(&t, rows[i].words, rows[i].indent, rows[i].columns);
		assert_string_equal(t.bytes, rows[i].lines);
		free(t.bytes);
	}
}
