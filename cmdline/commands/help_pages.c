/* The pages of the manual, doc/, in help: found by words, and shown. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "cmdline/commands/help_pages.h"

#include "base/base.h"
#include "base/err.h"
#include "base/out.h"
#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <zlib.h>

#define BY_TEXT 5 /* pages that are listed because their text mentions the words */
#define LINE_MAX_BYTES 1024
#define BEGIN_MIN 4 /* letters with which a word is found by its beginning */
#define EDGES " ,.;:()|[]<>_-/\"'="

/*
 * File, title, and words that a page is found by besides those of the title. house: for those who
 * change zcfwd; its text is not searched.
 */
static const struct page {
	const char *file, *title, *words;
	bool house;
} pages[] = {
	{ "README.md", "Documentation", "index manual pages guide", true },
	{ "tutorial.md", "Tutorial", "start first begin learn introduction" },
	{ "howto/cards.md", "How to set up network cards",
		"card pci nic hardware bind unbind binding devbind dpdk-devbind driverctl driver lspci "
		"vfio vfio-pci noiommu iommu uio uio_pci_generic kernel bifurcated mlx5 igb_uio "
		"sriov sr-iov vf vfs pf virtual function hugepages hugepage huge pages hugetlbfs "
		"memlock isolcpus numa firmware ddp pause unplug hotplug hot-plug" },
	{ "howto/ci.md", "How to use zcfwd in CI",
		"github gitlab job pipeline artifacts junit pytest threshold regression" },
	{ "howto/compare.md", "How to compare two settings", "benchmark difference interval" },
	{ "howto/desk.md", "How to try zcfwd without network cards",
		"veth wire bridge namespace netns af_packet lab checksum checksums ethtool" },
	{ "howto/guest.md", "How to forward for a guest", "vhost virtio qemu vm" },
	{ "howto/host.md", "How to prepare a host", "doctor cpus isolated interrupts huge pages" },
	{ "howto/install.md", "How to install zcfwd", "package debian make" },
	{ "howto/record.md", "How to record and plot a run", "report plots bursts" },
	{ "howto/recycle.md", "How to recycle mbufs", "recycling" },
	{ "howto/route.md", "How to route packets", "layer l3fwd routing" },
	{ "howto/scripts.md", "How to use zcfwd in scripts and CI",
		"automation json batch exit status" },
	{ "howto/several-hosts.md", "How to measure between several hosts",
		"controller snappi otg namespace lab hosts loss clock latency" },
	{ "benchmark-tables.md", "Tables of benchmarks", "performance cycles speed figures" },
	{ "benchmarks.md", "Benchmarks", "performance cycles speed compare testpmd" },
	{ "account.md", "The account of a run",
		"drops dropped loss lost unsent refused missed verdict explain" },
	{ "architecture.md", "Architecture", "source code rooms design", true },
	{ "changelog.md", "Changelog", "new changes release version upgrade", true },
	{ "commands.md", "Commands", "list syntax", true },
	{ "contributing.md", "Contributing", "patches development license", true },
	{ "counts.md", "Instruction counts", "valgrind instructions per packet", true },
	{ "coverage.md", "Coverage", "tests gcov lines", true },
	{ "testing.md", "Testing", "tests suites make", true },
	{ "containers.md", "Containers", "docker podman kubernetes image pod" },
	{ "control.md", "Control socket",
		"exec attach daemon service automation client remote unix json" },
	{ "direct.md", "Forwarding without mbufs", "descriptors zero-copy zerocopy" },
	{ "dts.md", "zcfwd as a traffic generator of DTS", "dpdk test suite scapy trex" },
	{ "engines.md", "Engines", "modes forwarding set fwd" },
	{ "extbuf.md", "External buffers", "attach pinned zero-copy zerocopy shinfo" },
	{ "fleet.md", "Many hosts", "dts ssh ansible prometheus hosts" },
	{ "flow.md", "Flow rules", "rte_flow filters acl steering templates" },
	{ "glossary.md", "Glossary", "words terms" },
	{ "gpu.md", "Packets on a GPU", "cuda gpudev" },
	{ "hw-counters.md", "Hardware counters", "pmu perf instructions cache stalls cycles" },
	{ "json.md", "JSON answers", "schema machine output members" },
	{ "l3fwd.md", "Layer 3 forwarding", "routes routing lpm fib ttl router" },
	{ "library.md", "Mbuf recycling in other programs", "libzcfwd-recycle library pkg-config" },
	{ "limits.md", "Limits", "limit maximum ports queues lcores scale RTE_MAX_ETHPORTS" },
	{ "live.md", "Watching zcfwd at work",
		"top telemetry openmetrics prometheus capture pcap metrics latency drops counters" },
	{ "measure.md", "Traffic and measurement",
		"generate latency loss jitter reordering rate pacing pktgen trex" },
	{ "mempools.md", "Mempools", "pools mbufs buffers cache bucket stack memory" },
	{ "model-nics.md", "Model NICs", "simulated ixgbe i40e ice mlx5 hardware" },
	{ "options.md", "Options", "command line arguments latencystats bitrate-stats" },
	{ "otg.md", "Open Traffic Generator",
		"snappi ixia-c api rest http automation traffic streams flows" },
	{ "published.md", "Published figures", "benchmark performance speed lab" },
	{ "python.md", "zcfwd from Python",
		"script scripting automation api module package pytest pandas library" },
	{ "rate.md", "The rate without loss",
		"measure throughput mlrsearch ndr pdr rfc2544 rfc9971 tst009 binary search" },
	{ "recording.md", "Recording", "record plot report graph bursts jsonl" },
	{ "recycle.md", "Mbuf recycling", "recycle zero-copy zerocopy rearm" },
	{ "replay.md", "Replay", "pcap pcapng capture file tcpreplay tcprewrite trex" },
	{ "ring-pipeline.md", "Ring pipeline", "workers rings stages processes" },
	{ "settings.md", "Settings", "set defaults" },
	{ "statistics.md", "Statistics", "counters xstats telemetry" },
	{ "tap.md", "Taps for tcpdump and Wireshark",
		"capture pcapng extcap sniff dumpcap pdump packets live" },
	{ "testpmd.md", "zcfwd and dpdk-testpmd", "differences compatibility" },
	{ "vhost-dma.md", "Para-virtual I/O with an adaptive copy",
		"vhost virtio dma dsa guest vm" },
	{ "working-set.md", "Working set", "window armed descriptors cache ring size bursts" },
};

bool
help_pages_mention(const char *text, const char *words)
{
	static const char *const endings[] = { "ing", "es", "s" };
	size_t n = strlen(words);

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		const size_t ending = strlen(endings[i]);

		if (n > ending + 3 && strcasecmp(words + n - ending, endings[i]) == 0) {
			n -= ending;
			break;
		}
	}
	for (const char *at = text; *at != '\0'; at++)
		if (strncasecmp(at, words, n) == 0 &&
			(at == text || strchr(EDGES, at[-1]) != NULL) &&
			(n >= BEGIN_MIN || strchr(EDGES, at[n]) != NULL))
			return true;
	return false;
}

/* The name of a page in help: its file without ".md". */
static void
name_write(const struct page *page, char *name, size_t size)
{
	snprintf(name, size, "%.*s", (int)(strlen(page->file) - strlen(".md")), page->file);
}

/*
 * Open a page in the source tree that this program was built in, or where it is installed. Packages
 * may have compressed it. NULL: it is not there.
 */
static gzFile
page_open(const struct page *page)
{
	static const char *const folders[] = { "../doc", "../share/doc/zcfwd/doc" };
	static const char *const ends[] = { "", ".gz" };
	char own[PATH_MAX], path[2 * PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);
	gzFile file = NULL;

	if (n < 0)
		return NULL;
	own[n] = '\0';
	*strrchr(own, '/') = '\0';
	for (size_t i = 0; file == NULL && i < ARRAY_SIZE(folders); i++)
		for (size_t k = 0; file == NULL && k < ARRAY_SIZE(ends); k++) {
			snprintf(path, sizeof(path), "%s/%s/%s%s", own, folders[i], page->file,
				ends[k]);
			file = gzopen(path, "re");
		}
	return file;
}

/* True when the line mentions each of the words. */
static bool
mentions_all(const char *line, const char *words)
{
	char word[64];

	for (size_t n; *words != '\0'; words += n + strspn(words + n, " ")) {
		n = strcspn(words, " ");
		snprintf(word, sizeof(word), "%.*s", (int)n, words);
		if (!help_pages_mention(line, word))
			return false;
	}
	return true;
}

/* How many lines of a page mention the words; heading: above the first of them. */
static unsigned int
lines_count(const struct page *page, const char *words, char *heading, size_t size)
{
	char line[LINE_MAX_BYTES], under[80] = "";
	gzFile file = page_open(page);
	unsigned int lines = 0;

	while (file != NULL && gzgets(file, line, sizeof(line)) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "## ", 3) == 0 || strncmp(line, "### ", 4) == 0)
			snprintf(under, sizeof(under), "%s", strchr(line, ' ') + 1);
		if (mentions_all(line, words) && lines++ == 0)
			snprintf(heading, size, "%s", under);
	}
	if (file != NULL)
		gzclose(file);
	return lines;
}

/* True when one of the page's own words, or several that follow each other, are the words. */
static bool
has_words(const struct page *page, const char *words)
{
	const size_t n = strlen(words);

	for (const char *at = page->words; *at != '\0'; at++)
		if (strncasecmp(at, words, n) == 0 && (at == page->words || at[-1] == ' ') &&
			(at[n] == ' ' || at[n] == '\0'))
			return true;
	return false;
}

static bool
is_about(const struct page *page, const char *words)
{
	return help_pages_mention(page->title, words) || help_pages_mention(page->words, words);
}

static void
page_also(struct out *o, const struct page *page, const char *heading, help_also *also,
	unsigned int *n)
{
	char name[64], help[256];

	name_write(page, name, sizeof(name));
	snprintf(help, sizeof(help), "%s%s%s (help page %s)", page->title,
		*heading != '\0' ? ", " : "", heading, name);
	also(o, n, "page", name, help);
}

void
help_pages_about(struct out *o, const char *words, help_also *also, unsigned int *n)
{
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
		if (has_words(&pages[i], words))
			page_also(o, &pages[i], "", also, n);
}

void
help_pages_search(struct out *o, const char *words, help_also *also, unsigned int *n)
{
	struct found {
		unsigned int lines;
		char heading[80];
	} found[ARRAY_SIZE(pages)] = { { 0 } };

	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		if (has_words(&pages[i], words))
			continue;
		if (is_about(&pages[i], words))
			page_also(o, &pages[i], "", also, n);
		else if (!pages[i].house)
			found[i].lines = lines_count(&pages[i], words, found[i].heading,
				sizeof(found[i].heading));
	}
	for (unsigned int shown = 0; shown < BY_TEXT; shown++) {
		size_t most = 0;

		for (size_t i = 1; i < ARRAY_SIZE(pages); i++)
			if (found[i].lines > found[most].lines)
				most = i;
		if (found[most].lines == 0)
			return;
		page_also(o, &pages[most], found[most].heading, also, n);
		found[most].lines = 0;
	}
}

/* The page of a name or file, also without its folder: "host" is howto/host.md. */
static const struct page *
page_find(const char *name)
{
	const struct page *below = NULL;
	char own[64];

	if (strncmp(name, "doc/", strlen("doc/")) == 0)
		name += strlen("doc/");
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		const char *folder;

		name_write(&pages[i], own, sizeof(own));
		folder = strrchr(own, '/');
		if (strcasecmp(name, own) == 0 || strcasecmp(name, pages[i].file) == 0)
			return &pages[i];
		if (folder != NULL && strcasecmp(name, folder + 1) == 0)
			below = &pages[i];
	}
	return below;
}

bool
help_page_is_named(const char *name)
{
	const struct page *page = page_find(name);

	return page != NULL && !page->house;
}

/*
 * A page on a terminal that is narrower than the page's lines: paragraphs are filled again, other
 * lines go on below four more blanks.
 */
struct narrow {
	struct text text, paragraph;
	size_t blanks, indent; /* in front of the paragraph's first line, and of the others */
	size_t columns;
	bool code; /* between two lines of ``` */
};

static void
paragraph_end(struct narrow *n)
{
	if (n->paragraph.bytes == NULL)
		return;
	text_add(&n->text, "%*s", (int)n->blanks, "");
	text_wrap(&n->text, n->paragraph.bytes, n->indent, n->columns);
	text_add(&n->text, "\n");
	free(n->paragraph.bytes);
	n->paragraph = (struct text){ 0 };
}

/* Length of the mark with which an item of a list begins, such as "- "; 0: no item begins. */
static size_t
item_mark(const char *words)
{
	size_t n = strspn(words, "0123456789");

	n = n > 0 ? n + (words[n] == '.') : *words == '-' || *words == '*';
	return n > 0 && words[n] == ' ' ? n + 1 : 0;
}

static void
line_add(struct narrow *n, const char *line)
{
	const size_t blanks = strspn(line, " "), mark = item_mark(line + blanks);
	const char *words = line + blanks;
	const bool fence = strncmp(words, "```", 3) == 0,
		   prose = !fence && !n->code && blanks < 4 && *words != '\0' &&
		strchr("#|", *words) == NULL;

	if (!prose || mark > 0)
		paragraph_end(n);
	n->code ^= fence;
	if (prose && n->paragraph.bytes == NULL) {
		n->blanks = blanks;
		n->indent = blanks + mark;
		text_add(&n->paragraph, "%s", words);
	} else if (prose) {
		text_add(&n->paragraph, " %s", words);
	} else if (strlen(line) <= n->columns) {
		text_add(&n->text, "%s\n", line);
	} else {
		text_add(&n->text, "%*s", (int)blanks, "");
		text_wrap(&n->text, words, blanks + 4, n->columns);
		text_add(&n->text, "\n");
	}
}

int
help_page_show(struct out *o, const char *name, struct err *e)
{
	const struct page *page = page_find(name);
	struct narrow narrow = { .columns = out_columns(o) };
	struct text text = { 0 };
	char line[LINE_MAX_BYTES];
	gzFile file;

	if (page == NULL)
		return err_set(e, ENOENT, "no page \"%.64s\": \"help page\" lists the pages", name);
	file = page_open(page);
	if (file == NULL)
		return err_set(e, ENOENT,
			"doc/%s is not beside this program: install the manual, or read it in the source",
			page->file);
	while (gzgets(file, line, sizeof(line)) != NULL) {
		text_add(&text, "%s", line);
		line[strcspn(line, "\n")] = '\0';
		line_add(&narrow, line);
	}
	paragraph_end(&narrow);
	gzclose(file);
	out_nest(o, "page", OUT_OBJECT);
	out_str(o, "file", NULL, page->file);
	out_str(o, "title", NULL, page->title);
	out_str(o, "text", NULL, text.bytes != NULL ? text.bytes : "");
	out_unnest(o);
	if (out_on_terminal(o))
		out_text(o, "%s", narrow.text.bytes != NULL ? narrow.text.bytes : "");
	else
		out_text(o, "%s", text.bytes != NULL ? text.bytes : "");
	free(narrow.text.bytes);
	free(text.bytes);
	return 0;
}
