/* Words of other programs and of everyday speech, and the commands and help that they mean here. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/grammar/synonyms.h"

#include "base/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/*
 * Columns: the word; the command's first word (NULL: the word itself is the first; "*": any); the
 * command that is meant (NULL: only help has it); what to search help for (NULL: the word). The first
 * row that fits counts.
 */
static const struct synonym {
	const char *word, *first, *command, *help;
} synonyms[] = {
	{ "exit", NULL, "quit", "quit" },
	{ "logout", NULL, "quit", "quit" },
	{ "bye", NULL, "quit", "quit" },
	{ "end", NULL, "quit", NULL },
	{ "run", NULL, "start", NULL },
	{ "go", NULL, "start", NULL },
	{ "halt", NULL, "stop", NULL },
	{ "abort", NULL, "stop", NULL },
	{ "pause", NULL, "stop", NULL },
	{ "source", NULL, "load <file>", NULL },
	{ "write", NULL, "save config <file>", NULL },
	{ "commit", NULL, "save config <file>", NULL },
	{ "tcpdump", NULL, "capture start <port> file <file>", "capture" },
	{ "sniff", NULL, "capture start <port> file <file>", "capture" },
	{ "pcap", NULL, "capture start <port> file <file>", "capture" },
	{ "monitor", NULL, "top", "top" },
	{ "htop", NULL, "top", "top" },
	{ "repeat", NULL, "watch <command>", "watch" },
	{ "loop", NULL, "watch <command>", "watch" },
	{ "while", NULL, "watch <command>", "watch" },
	{ "sleep", NULL, "start for <amount>", "start for" },
	{ "extbuf", NULL, "set fwd extbuf", NULL },
	{ "trace", NULL, "capture start <port> file <file>", NULL },
	{ "benchmark", NULL, "compare <what>", "bench" },
	{ "bench", NULL, "compare <what>", NULL },
	{ "plot", NULL, "zcfwd-report <file>", "record" },
	{ "graph", NULL, "zcfwd-report <file>", "record" },
	{ "report", NULL, "zcfwd-report <file>", "record" },
	{ "rfc2544", NULL, "measure rate goals rfc2544", "rfc2544" },
	{ "ndr", NULL, "measure rate goals ndr", NULL },
	{ "pdr", NULL, "measure rate goals pdr", NULL },
	{ "throughput", NULL, "top", NULL },
	{ "bandwidth", NULL, "top", NULL },
	{ "pps", NULL, "top", NULL },
	{ "latency", NULL, "set fwd measure", NULL },
	{ "generator", NULL, "set fwd generate", NULL },
	{ "traffic", NULL, "set fwd generate", NULL },
	{ "?", NULL, "help", NULL },
	{ "man", NULL, "help", NULL },
	{ "rate", NULL, "set generate-rate <rate>", NULL },
	{ "test", NULL, "compare <what>", NULL },
	{ "drops", NULL, "explain drops", "drops" },
	{ "why", NULL, "explain drops", NULL },
	{ "ifconfig", NULL, "show port summary all", "port summary" },
	{ "interface", NULL, "show port summary all", NULL },
	{ "version", NULL, "show version", NULL },
	{ "stat", NULL, "show port stats all", "stats" },
	{ "stats", NULL, "show port stats all", NULL },
	{ "statistics", NULL, "show port stats all", "stats" },
	{ "counters", NULL, "show port stats all", "counters" },
	{ "mode", NULL, "set fwd <engine>", NULL },
	{ "engine", NULL, "set fwd <engine>", "set fwd" },
	{ "forward", NULL, "set fwd <engine>", "set fwd" },
	{ "reload", NULL, "port start all", NULL },
	{ "shutdown", NULL, "port stop all", NULL },
	{ "verbose", NULL, "set verbose <level>", NULL },
	{ "attach", NULL, "port attach <device>", NULL },
	{ "detach", NULL, "port detach <port>", NULL },
	{ "gro", NULL, "set port <port> gro (on|off)", NULL },
	{ "gso", NULL, "set port <port> gso (on|off)", NULL },
	{ "log", NULL, "set log global <level>", NULL },
	{ "debug", NULL, "set log global <level>", NULL },
	{ "list", NULL, "help", NULL },
	{ "ls", NULL, "help", NULL },
	{ "commands", NULL, "help", NULL },
	{ "imix", NULL, "set generate-size imix", NULL },
	{ "send", NULL, "set fwd generate", NULL },
	{ "transmit", NULL, "set fwd generate", NULL },
	{ "play", NULL, "set replay <file>", NULL },
	{ "link", NULL, "show port summary all", NULL },
	{ "info", NULL, "show port info all", NULL },
	{ "config", NULL, "show config fwd", NULL },
	{ "mempool", NULL, "show mempool", NULL },
	{ "!!", NULL, "history", NULL },
	{ "reset", NULL, "clear port stats all", NULL },
	/* the second word */
	{ "route", "ip", "route add <prefix> port <port>", NULL },
	{ "link", "ip", "show port summary all", NULL },
	{ "addr", "ip", "show port summary all", NULL },
	{ "add", "interface", "port attach <device>", NULL },
	{ "runtime", "show", "show fwd stats all", NULL },
	{ "hardware-interfaces", "show", "show port info all", NULL },
	{ "stats", "show", "show port stats all", NULL },
	{ "stat", "show", "show port stats all", NULL },
	{ "statistics", "show", "show port stats all", "stats" },
	{ "counters", "show", "show fwd counters", "counters" },
	{ "xstats", "show", "show port xstats all", NULL },
	{ "interfaces", "show", "show port summary all", "port summary" },
	{ "interface", "show", "show port summary all", "port summary" },
	{ "int", "show", "show port summary all", NULL },
	{ "ports", "show", "show port summary all", NULL },
	{ "links", "show", "show port summary all", "link" },
	{ "link", "show", "show port summary all", NULL },
	{ "memory", "show", "show mempool", "show mempool" },
	{ "mbufs", "show", "show mempool", "mempool" },
	{ "pools", "show", "show pool", "pool" },
	{ "buffers", "show", "show mempool", "mempool" },
	{ "running-config", "show", "show settings changed", "save config" },
	{ "run", "show", "show settings changed", NULL },
	{ "configuration", "show", "show config fwd", "config" },
	{ "engines", "show", "help set fwd", NULL },
	{ "engine", "show", "show config fwd", NULL },
	{ "stats", "clear", "clear port stats all", NULL },
	{ "counters", "clear", "clear port stats all", NULL },
	{ "streams", "show", "show config fwd", "fwd" },
	{ "lcores", "show", "show config cores", "cores" },
	{ "cpu", "show", "show config cores", "corelist" },
	{ "cpus", "show", "show config cores", "corelist" },
	{ "cores", "show", "show config cores", NULL },
	{ "latency", "show", "show measure", "measure" },
	{ "jitter", "show", "show measure", "measure" },
	{ "loss", "show", "explain drops", NULL },
	{ "bandwidth", "show", "show port stats all", NULL },
	{ "throughput", "show", "show port stats all", NULL },
	{ "pps", "show", "show port stats all", NULL },
	{ "rate", "show", "show port stats all", NULL },
	{ "ip", "show", "show route", NULL },
	{ "drops", "show", "explain drops", NULL },
	{ "bursts", "show", "show fwd bursts", NULL },
	{ "routes", "show", "show route", "route" },
	{ "devices", "show", "show device info all", "device" },
	{ "recycling", "show", "show recycle", "recycle" },
	{ "pcap", "show", "show capture", NULL },
	{ "log", "show", "dump log_types", "log" },
	{ "tech-support", "show", "help display", NULL },
	{ "history", "show", "history", NULL },
	{ "all", "show", "show port summary all", NULL },
	{ "queue", "show", "show rxq info <port> <queue>", NULL },
	{ "all", "clear", "clear port stats all", NULL },
	{ "show", "flow", "flow list <port>", NULL },
	{ "add", "port", "port attach <device>", NULL },
	{ "remove", "port", "port detach <port>", NULL },
	{ "mtu", "port", "port config mtu <port> <bytes>", NULL },
	{ "rate", "set", "set generate-rate <rate>", NULL },
	{ "pps", "set", "set generate-rate <rate>", NULL },
	{ "latency", "set", "set fwd measure", NULL },
	{ "packet", "set", "set txpkts <list>", NULL },
	{ "up", "port", "set link-up port <port>", NULL },
	{ "down", "port", "set link-down port <port>", NULL },
	{ "mac", "set", "mac_addr set <port> <address>", NULL },
	{ "flows", "set", "set generate flows <n>", NULL },
	{ "generate-flows", "set", "set generate flows <n>", NULL },
	{ "filter", "set", "capture start <port> file <file> filter <expression>", NULL },
	{ "interface", "set", "set link-up port <port>", NULL },
	{ "pcap", "set", "set replay <file>", NULL },
	{ "duration", "set", "start for <amount>", NULL },
	{ "count", "set", "start for <amount>", NULL },
	{ "mtu", "set", "port config mtu <port> <bytes>", NULL },
	{ "rxq", "set", "port config all rxq <n>", NULL },
	{ "txq", "set", "port config all txq <n>", NULL },
	{ "rxd", "set", "port config all rxd <n>", NULL },
	{ "txd", "set", "port config all txd <n>", NULL },
	{ "queues", "set", "port config all rxq <n>", "rxq" },
	{ "nb_rxq", "set", "port config all rxq <n>", NULL },
	{ "ring", "set", "port config all rxd <n>", NULL },
	{ "descriptors", "set", "port config all rxd <n>", "rxd" },
	{ "speed", "set", "port config all speed <speed> duplex <duplex>", NULL },
	{ "rss", "set", "port config all rss <types>", NULL },
	{ "engine", "set", "set fwd <engine>", NULL },
	{ "mode", "set", "set fwd <engine>", NULL },
	{ "forward", "set", "set fwd <engine>", NULL },
	{ "cores", "set", "set corelist <list>", NULL },
	{ "lcores", "set", "set corelist <list>", NULL },
	{ "cpu", "set", "set corelist <list>", NULL },
	{ "ports", "set", "set portlist <list>", NULL },
	{ "json", "set", "set output json", "output" },
	{ "format", "set", "set output json", NULL },
	{ "loglevel", "set", "set log global <level>", "log" },
	{ "debug", "set", "set log global <level>", "log" },
	{ "promiscuous", "set", "set promisc all on", "promisc" },
	{ "up", "set", "set link-up port <port>", NULL },
	{ "down", "set", "set link-down port <port>", NULL },
	{ "delay", "set", "set burst tx delay <us> retry <n>", NULL },
	{ "retries", "set", "set burst tx delay <us> retry <n>", NULL },
	{ "duplex", "set", "port config all speed <speed> duplex <duplex>", NULL },
	{ "stages", "set", "set pipeline stage busy <n>", NULL },
	{ "workers", "set", "set pipeline io <io> workers <workers>", NULL },
	{ "imix", "set", "set generate-size imix", NULL },
	{ "capture", "set", "capture start <port> file <file>", NULL },
	{ "log-level", "set", "set log global <level>", NULL },
	{ "vlan", "set", "vlan set strip (on|off) <port>", NULL },
	{ "mac_addr", "set", "mac_addr set <port> <address>", NULL },
	{ "mac-addr", "set", "mac_addr set <port> <address>", NULL },
	{ "mbuf-size", "set", "zcfwd --mbuf-size=<bytes>", NULL },
	{ "mbcache", "set", "zcfwd --mbcache=<mbufs>", NULL },
	{ "mempool", "set", "zcfwd --mbuf-pool-ops-name=<name>", NULL },
	{ "packet-size", "set", "set txpkts <list>", "txpkts" },
	{ "size", "set", "set txpkts <list>", NULL },
	/* help alone */
	{ "descriptor", "*", NULL, "rxd" },
	{ "ip", "*", NULL, "route" },
	{ "checksum", "*", NULL, "csum" },
	{ "checksums", "*", NULL, "csum" },
	{ "ping", "*", NULL, "icmpecho" },
	{ "traffic", "*", NULL, "generate" },
	{ "script", "*", NULL, "load" },
	{ "scripts", "*", NULL, "load" },
	{ "export", "*", NULL, "record" },
	{ "drop", "*", NULL, "drops" },
	{ "queue", "*", NULL, "rxq" },
	{ "queues", "*", NULL, "rxq" },
	{ "jitter", "*", NULL, "latency" },
	{ "filters", "*", NULL, "flow" },
	{ "filter", "*", NULL, "flow" },
	{ "acl", "*", NULL, "flow" },
	{ "traffic_management", "*", NULL, "tm" },
	{ "qos", "*", NULL, "tm" },
	{ "shaper", "*", NULL, "tm" },
	{ "generator", "*", NULL, "generate" },
	{ "exit code", "*", NULL, "exit status" },
	{ "return code", "*", NULL, "exit status" },
	{ "status", "*", NULL, "exit status" },
	{ "jumbo", "*", NULL, "mtu" },
	{ "nic", "*", NULL, "port info" },
	{ "speed", "*", NULL, "duplex" },
	{ "guest", "*", NULL, "vhost" },
	{ "vm", "*", NULL, "vhost" },
	{ "virtio", "*", NULL, "vhost" },
	{ "packet size", "*", NULL, "txpkts" },
	{ "recording", "*", NULL, "record" },
	{ "tap", "*", NULL, "port attach" },
	{ "hotplug", "*", NULL, "port attach" },
	{ "ttl", "*", NULL, "l3fwd" },
	{ "router", "*", NULL, "route" },
	{ "routing", "*", NULL, "route" },
	{ "throughput", "*", NULL, "measure rate" },
	{ "bandwidth", "*", NULL, "measure rate" },
	{ "pps", "*", NULL, "measure rate" },
	{ "rate", "*", NULL, "generate-rate" },
	{ "rates", "*", NULL, "generate-rate" },
	{ "10g", "*", NULL, "generate-rate" },
	{ "1mpps", "*", NULL, "generate-rate" },
	{ "csv", "*", NULL, "record" },
	{ "affinity", "*", NULL, "corelist" },
	{ "core", "*", NULL, "nbcore" },
	{ "time", "*", NULL, "start for" },
	{ "duration", "*", NULL, "start for" },
	{ "units", "*", NULL, "start for" },
	{ "ipv6", "*", NULL, "generate" },
	{ "ipv4", "*", NULL, "generate" },
	{ "flow-control", "*", NULL, "flow_ctrl" },
	{ "grafana", "*", NULL, "prometheus" },
	{ "hotkeys", "*", NULL, "history" },
	{ "shortcuts", "*", NULL, "history" },
	{ "keyboard", "*", NULL, "history" },
	{ "bps", "*", NULL, "generate-rate" },
	{ "exit-code", "*", NULL, "exit status" },
	{ "cstates", "*", NULL, "doctor" },
	{ "pcie", "*", NULL, "doctor" },
	{ "c-states", "*", NULL, "doctor" },
	{ "turbo", "*", NULL, "doctor" },
	{ "afxdp", "*", NULL, "af_xdp" },
	{ "imissed", "*", NULL, "drops" },
	{ "rx-nombuf", "*", NULL, "drops" },
	{ "nombuf", "*", NULL, "drops" },
	{ "quickstart", "*", NULL, "tutorial" },
	{ "span", "*", NULL, "mirror" },
	{ "vdpa", "*", NULL, "vhost" },
	{ "temperature", "*", NULL, "module" },
	{ "loss", "*", NULL, "drops" },
	{ "lost", "*", NULL, "drops" },
	{ "json", "*", NULL, "output" },
	{ "cycles", "*", NULL, "record-core-cycles" },
	{ "grep", "*", NULL, "include" },
	{ "pipe", "*", NULL, "include" },
	{ "redirect", "*", NULL, "include" },
};

/* Words that people use most, by what stands before them; NULL: the first words of commands. */
static const struct usual {
	const char *first, *words[16];
} usuals[] = {
	{ NULL,
		{ "start", "stop", "set", "show", "port", "top", "help", "explain", "record",
			"capture", "compare", "measure", "load", "save", "quit" } },
	{ "set",
		{ "fwd", "burst", "generate", "generate-rate", "replay", "txpkts", "portlist",
			"corelist", "nbcore", "promisc", "recycle", "output" } },
	{ "show",
		{ "port", "fwd", "measure", "recycle", "config", "capture", "route", "settings" } },
};

bool
synonyms_is_usual(const char *first, const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(usuals); i++) {
		const struct usual *u = &usuals[i];

		if (first == NULL ? u->first != NULL
				  : u->first == NULL || strcmp(u->first, first) != 0)
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(u->words) && u->words[k] != NULL; k++)
			if (strcmp(u->words[k], word) == 0)
				return true;
	}
	return false;
}

/* The row of a word; plural: one of them may have an "s" more. */
static const char *
command_of(const char *first, const char *word, bool plural)
{
	for (size_t i = 0; i < ARRAY_SIZE(synonyms); i++) {
		const struct synonym *s = &synonyms[i];
		const size_t own = strlen(s->word), n = strlen(word), both = own < n ? own : n;
		const bool fits = first == NULL ? s->first == NULL
			: s->first != NULL      ? strcmp(s->first, first) == 0
						: false;

		if (!fits || s->command == NULL || strncasecmp(s->word, word, both) != 0)
			continue;
		if (own == n ||
			(plural && strcasecmp(own > n ? s->word + n : word + own, "s") == 0))
			return s->command;
	}
	return NULL;
}

const char *
synonyms_command(const char *first, const char *word)
{
	const char *command = command_of(first, word, false);

	return command != NULL ? command : command_of(first, word, true);
}

const char *
synonyms_help(const char *words)
{
	for (size_t i = 0; i < ARRAY_SIZE(synonyms); i++)
		if (synonyms[i].help != NULL && strcasecmp(synonyms[i].word, words) == 0)
			return synonyms[i].help;
	return NULL;
}
