/* A card of QEMU: its machine, its BARs and its wire. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/qemu/qemu.h"

#include "pmd_shims/drivers/model_nic/config.h"
#include "pmd_shims/drivers/model_nic/model.h"
#include "pmd_shims/drivers/model_nic/qemu/child.h"
#include "pmd_shims/drivers/model_nic/qemu/door.h"
#include "pmd_shims/drivers/model_nic/qemu/import.h"
#include "pmd_shims/drivers/model_nic/qemu/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
	BIOS_BYTES = 64 << 10, /* the least that QEMU takes */
	HALT = 0xf4,           /* the instruction that the machine's CPU stops at */
	WATCH_MS = 200,
	COMMAND = 4, /* in the configuration space */
	COMMAND_MEMORY = 2,
	COMMAND_MASTER = 4,
	BAR_FIRST = 0x10,
	BAR_LOW_BITS = 0xf,
	BAR_64 = 0x4,

	/*
	 * Registers of igb. SWSM, the semaphore in front of the others: bit 0 is set while it is taken,
	 * bit 1 stays set for who has it. SW_FW_SYNC: a bit for each of the others that is taken.
	 */
	IGB_SWSM = 0x5b50,
	IGB_SWSM_OURS = 0x2,
	IGB_SW_FW_SYNC = 0x5b5c,
};

struct qemu {
	struct child child;
	struct door door;
	pthread_t watcher; /* reports interrupts */
	bool watching;
	atomic_bool stop, told; /* told: that QEMU is gone */
	unsigned pieces;        /* of memory that the machine has */
	/* Those that reach() added, with the file that each is of: functions ask for them again. */
	struct {
		struct piece piece;
		ino_t file;
	} reached[QEMU_PIECES];
	unsigned n_reached;
};

/* The socket of each port's wire, which outlives its card; 0: none yet. */
static int wires[MODEL_PORTS_MAX];

static struct qemu *
qemu_of(const struct model *m)
{
	return m->state;
}

struct door *
qemu_door(const struct model *m)
{
	struct qemu *q = qemu_of(m);

	return q != NULL && q->child.pid > 0 ? &q->door : NULL;
}

static int
present(char *why, size_t size)
{
	const char *path = getenv("PATH");
	char all[4096], file[4200], *rest = all, *folder;

	snprintf(all, sizeof(all), "%s", path != NULL ? path : "/usr/bin");
	while ((folder = strsep(&rest, ":")) != NULL) {
		snprintf(file, sizeof(file), "%s/" CHILD_PROGRAM, folder);
		if (access(file, X_OK) == 0)
			return 0;
	}
	snprintf(why, size,
		CHILD_PROGRAM " not found in PATH: install the package qemu-system-x86");
	return -1;
}

static void
interrupted(void *arg)
{
	model_interrupt(arg);
}

/* Report once that QEMU is gone, with its last words: the card is as one that was removed. */
static void
tell_end(struct model *m)
{
	struct qemu *q = qemu_of(m);
	char words[CHILD_CHARS];

	if (atomic_exchange(&q->told, true))
		return;
	child_last_words(&q->child, words, sizeof(words));
	model_log(m, 0, "QEMU is gone%s%s: its card reads as all ones, like one that was removed",
		words[0] != '\0' ? ": " : "", words);
	model_gone(m);
	for (unsigned i = 0; i < config_current.ports; i++)
		if (config_current.port[i].family->function_of != NULL &&
			config_current.port[i].pf == m->port)
			model_gone(model_port(i));
}

static void *
watch(void *arg)
{
	struct model *m = arg;
	struct qemu *q = qemu_of(m);
	const struct timespec moment = { .tv_nsec = 1000000 };

	while (!atomic_load(&q->stop)) {
		struct pollfd p = { .fd = q->door.qtest, .events = POLLIN };

		/* A QEMU that hangs is given up by the thread that asks it. */
		if (poll(&p, 1, WATCH_MS) <= 0 && !atomic_load(&q->door.broken))
			continue;
		if (!door_look(&q->door)) {
			tell_end(m);
			break;
		}
		nanosleep(&moment, NULL); /* another thread asks, and reads the answer */
	}
	return NULL;
}

/* The halted CPU's program, as a file without a name. */
static int
bios(void)
{
	uint8_t code[BIOS_BYTES];
	int fd = memfd_create("halt", MFD_CLOEXEC);

	memset(code, HALT, sizeof(code));
	if (fd >= 0 && write(fd, code, sizeof(code)) != (ssize_t)sizeof(code)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The address of a card's end of a wire to a process: PATH.card. */
static struct sockaddr_un
card_end(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	snprintf(a.sun_path, sizeof(a.sun_path), "%s.card", path);
	return a;
}

/* Remove a socket's file that a program has left which was killed: nothing listens there. */
static void
left_remove(const struct sockaddr_un *a)
{
	const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct stat st;

	if (fd >= 0 && lstat(a->sun_path, &st) == 0 && S_ISSOCK(st.st_mode) &&
		connect(fd, (const struct sockaddr *)a, sizeof(*a)) != 0 && errno == ECONNREFUSED)
		unlink(a->sun_path);
	if (fd >= 0)
		close(fd);
}

/* A socket whose other end is a file: PATH is another process's, PATH.card this card's. -errno: none. */
static int
wire_file(const char *path)
{
	struct sockaddr_un own = card_end(path), other = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), code;

	snprintf(other.sun_path, sizeof(other.sun_path), "%s", path);
	left_remove(&own);
	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&own, sizeof(own)) != 0) {
		code = errno;
	} else if (connect(fd, (struct sockaddr *)&other, sizeof(other)) != 0) {
		code = errno;
		unlink(own.sun_path);
	} else {
		return fd;
	}
	close(fd);
	return -code;
}

void
qemu_wires_end(void)
{
	for (unsigned i = 0; i < MODEL_PORTS_MAX; i++)
		if (wires[i] > 0 && config_current.port[i].source == SOURCE_SOCKET)
			unlink(card_end(config_current.port[i].socket).sun_path);
}

/* Open the wire of a port, and with it that of its peer. Returns 0, also for none, or -errno. */
static int
wire_open(const struct model *m)
{
	const struct port_config *c = &config_current.port[m->port];
	int ends[2];

	if (wires[m->port] > 0)
		return 0;
	if (c->source == SOURCE_SOCKET) {
		const int fd = wire_file(c->socket);

		if (fd > 0)
			wires[m->port] = fd;
		return fd > 0 ? 0 : fd;
	}
	if (c->source != SOURCE_WIRE)
		return 0;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) != 0)
		return -errno;
	wires[m->port] = ends[0];
	wires[c->peer] = ends[1];
	return 0;
}

/* The words of the machine, and of its memory. */
static void
machine_write(struct child_line *l, int bios_fd, int qtest, int qmp)
{
	child_word(l, "-nodefaults");
	child_word(l, "-no-user-config");
	child_word(l, "-display");
	child_word(l, "none");
	child_word(l, "-machine");
	child_word(l, "q35");
	child_word(l, "-accel");
	child_word(l, "tcg");
	child_word(l, "-m");
	child_word(l, "16M,slots=%d,maxmem=%lluG", QEMU_PIECES * 2,
		(unsigned long long)(QEMU_MEMORY_LAST >> 30));
	child_word(l, "-bios");
	child_word(l, "/proc/self/fd/%d", bios_fd);
	child_word(l, "-chardev");
	child_word(l, "socket,id=qtest,fd=%d", qtest);
	child_word(l, "-qtest");
	child_word(l, "chardev:qtest");
	child_word(l, "-qtest-log");
	child_word(l, "none");
	child_word(l, "-chardev");
	child_word(l, "socket,id=qmp,fd=%d", qmp);
	child_word(l, "-mon");
	child_word(l, "chardev=qmp,mode=control");
}

static void
piece_write(struct child_line *l, const struct piece *p, unsigned number)
{
	char offset[40] = ""; /* QEMU 8.1 came with it */

	if (p->offset != 0)
		snprintf(offset, sizeof(offset), ",offset=%llu", (unsigned long long)p->offset);
	child_word(l, "-object");
	child_word(l, "memory-backend-file,id=m%u,share=on,size=%llu,mem-path=/proc/%d/fd/%d%s",
		number, (unsigned long long)p->len, (int)getpid(), p->fd, offset);
	child_word(l, "-device");
	child_word(l, "pc-dimm,id=d%u,memdev=m%u,addr=%llu", number, number,
		(unsigned long long)p->address);
}

static void
card_write(struct child_line *l, const struct model *m)
{
	const struct port_config *c = &config_current.port[m->port];
	const uint8_t *a = m->mac;
	char options[64] = "";

	if (m->family == &model_virtio_pci)
		snprintf(options, sizeof(options), ",disable-legacy=on,vectors=0%s%s",
			c->packed ? ",packed=on" : "", c->unmerged ? ",mrg_rxbuf=off" : "");
	child_word(l, "-netdev");
	if (wires[m->port] > 0)
		child_word(l, "dgram,id=n0,local.type=fd,local.str=%d", wires[m->port]);
	else
		child_word(l, "hubport,id=n0,hubid=0");
	child_word(l, "-device");
	child_word(l, "%s,id=card,netdev=n0,romfile=,addr=%d,mac=%02x:%02x:%02x:%02x:%02x:%02x%s",
		m->family == &model_virtio_pci ? "virtio-net-pci" : m->family->name, QEMU_SLOT,
		a[0], a[1], a[2], a[3], a[4], a[5], options);
}

/* Start QEMU and open its door. Returns 0 or -errno after a line of the log. */
static int
machine_start(struct model *m, const struct piece *pieces, unsigned n)
{
	struct qemu *q = qemu_of(m);
	struct child_line *l = calloc(1, sizeof(*l));
	int qtest[2] = { -1, -1 }, qmp[2] = { -1, -1 }, bios_fd = bios(), ret = -ENOMEM;
	char words[CHILD_CHARS];

	if (l != NULL && bios_fd >= 0 &&
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, qtest) == 0 &&
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, qmp) == 0) {
		const int fds[] = { bios_fd, qtest[1], qmp[1], wires[m->port] };

		machine_write(l, bios_fd, qtest[1], qmp[1]);
		for (unsigned i = 0; i < n; i++)
			piece_write(l, &pieces[i], i);
		card_write(l, m);
		ret = child_start(&q->child, l, fds, wires[m->port] > 0 ? 4 : 3);
	}
	free(l);
	close(bios_fd);
	close(qtest[1]);
	close(qmp[1]);
	if (ret != 0) {
		close(qtest[0]);
		close(qmp[0]);
		model_log(m, 0, CHILD_PROGRAM ": %s", strerror(-ret));
		return ret;
	}
	ret = door_open(&q->door, qtest[0], qmp[0]);
	if (ret != 0) {
		child_last_words(&q->child, words, sizeof(words));
		model_log(m, 0, "QEMU: %s", words[0] != '\0' ? words : "no answer");
		child_stop(&q->child);
	}
	return ret;
}

/* Give the BARs that the driver uses an address, and let the card use memory. */
static void
bars_place(struct model *m)
{
	struct door *d = &qemu_of(m)->door;

	for (unsigned i = 0; i == 0 || (i < 2 && m->family->bars[i].len != 0); i++) {
		const unsigned at = BAR_FIRST + 4 * m->family->bars[i].index;

		if ((door_config(d, QEMU_SLOT, at) & BAR_64) != 0)
			door_config_set(d, QEMU_SLOT, at + 4, 0);
		door_config_set(d, QEMU_SLOT, at, (uint32_t)QEMU_BARS_AT + i * QEMU_BAR_STEP);
	}
	door_config_set(d, QEMU_SLOT, COMMAND, COMMAND_MEMORY | COMMAND_MASTER);
}

static int
power_on(struct model *m)
{
	struct qemu *q = qemu_of(m);
	struct piece pieces[QEMU_PIECES];
	char why[256];
	int n = memory_of_eal(pieces, why, sizeof(why)), ret;

	if (n < 0) {
		model_log(m, 0, "%s", why);
		return -ENOTSUP;
	}
	ret = wire_open(m);
	if (ret != 0) {
		model_log(m, 0, "rx=socket:%s: %s", config_current.port[m->port].socket,
			strerror(-ret));
		return ret;
	}
	ret = machine_start(m, pieces, (unsigned)n);
	if (ret != 0)
		return ret;
	q->pieces = (unsigned)n;
	q->door.interrupt = interrupted;
	q->door.arg = m;
	bars_place(m);
	ret = functions_enable(m, &q->door,
		config_functions(&config_current, m->port, MODEL_PORTS_MAX));
	if (ret != 0)
		return ret;
	import_bars_mapped();
	atomic_store(&q->stop, false);
	atomic_store(&q->told, false);
	q->watching = pthread_create(&q->watcher, NULL, watch, m) == 0;
	return 0;
}

static void
power_off(struct model *m)
{
	struct qemu *q = qemu_of(m);

	atomic_store(&q->stop, true);
	if (q->watching)
		pthread_join(q->watcher, NULL);
	q->watching = false;
	if (q->child.pid > 0)
		door_close(&q->door);
	child_stop(&q->child);
}

static int
power(struct model *m, bool on)
{
	if (on)
		return power_on(m);
	power_off(m);
	return 0;
}

/* The address in the machine of a byte of the BARs. */
static uint64_t
address_of(const struct model *m, uint32_t offset)
{
	const uint32_t first = m->family->bars[0].len;

	if (first == 0 || offset < first)
		return (uint32_t)QEMU_BARS_AT + (uint64_t)offset;
	return (uint32_t)QEMU_BARS_AT + (uint64_t)QEMU_BAR_STEP + offset - first;
}

uint64_t
qemu_load(const struct model *m, struct door *door, uint64_t address, uint32_t offset,
	uint8_t bytes)
{
	const struct model_family *f = m->family;
	const uint64_t value = door != NULL ? door_load(door, address, bytes) : UINT64_MAX;

	if (door != NULL && !atomic_load(&door->broken))
		return value;
	for (unsigned i = 0; i < sizeof(f->gone) / sizeof(f->gone[0]) && f->gone[i].offset != 0;
		i++)
		if (f->gone[i].offset == offset)
			return f->gone[i].value;
	return UINT64_MAX;
}

static uint64_t
load(struct model *m, uint32_t offset, uint8_t bytes)
{
	return qemu_load(m, &qemu_of(m)->door, address_of(m, offset), offset, bytes);
}

static void
store(struct model *m, uint32_t offset, uint8_t bytes, uint64_t value)
{
	door_store(&qemu_of(m)->door, address_of(m, offset), bytes, value);
}

static uint32_t
config(struct model *m, unsigned offset)
{
	return door_config(&qemu_of(m)->door, QEMU_SLOT, offset);
}

static void
link_set(struct model *m, bool up)
{
	char json[128], why[128];

	snprintf(json, sizeof(json),
		"{\"execute\": \"set_link\", \"arguments\": {\"name\": \"n0\", \"up\": %s}}\n",
		up ? "true" : "false");
	if (door_command(&qemu_of(m)->door, json, why, sizeof(why)) != 0)
		model_log(m, 0, "link %s: %s", up ? "up" : "down", why);
}

/* True if the machine has this memory already; else it is noted. */
static bool
reached_before(struct qemu *q, const struct piece *p)
{
	struct stat st;

	if (fstat(p->fd, &st) != 0)
		return false;
	for (unsigned i = 0; i < q->n_reached; i++)
		if (q->reached[i].file == st.st_ino && q->reached[i].piece.address == p->address &&
			q->reached[i].piece.len == p->len &&
			q->reached[i].piece.offset == p->offset)
			return true;
	if (q->n_reached < QEMU_PIECES) {
		q->reached[q->n_reached].piece = *p;
		q->reached[q->n_reached++].file = st.st_ino;
	}
	return false;
}

/* Add memory to the running machine. */
static int
reach(struct model *m, void *address, size_t len)
{
	struct qemu *q = qemu_of(m);
	struct piece p;
	char why[256], json[512], offset[40] = "";
	int ret;

	if (memory_at((uint64_t)(uintptr_t)address, len, &p, why, sizeof(why)) != 0) {
		model_log(m, 0, "%s", why);
		return -EFAULT;
	}
	if (reached_before(q, &p)) {
		close(p.fd);
		return 0;
	}
	if (p.offset != 0)
		snprintf(offset, sizeof(offset), ", \"offset\": %llu",
			(unsigned long long)p.offset);
	snprintf(json, sizeof(json),
		"{\"execute\": \"object-add\", \"arguments\": {\"qom-type\": \"memory-backend-file\", "
		"\"id\": \"m%u\", \"share\": true, \"size\": %llu, \"mem-path\": \"/proc/%d/fd/%d\"%s}}\n",
		q->pieces, (unsigned long long)p.len, (int)getpid(), p.fd, offset);
	ret = door_command(&q->door, json, why, sizeof(why));
	snprintf(json, sizeof(json),
		"{\"execute\": \"device_add\", \"arguments\": {\"driver\": \"pc-dimm\", "
		"\"id\": \"d%u\", \"memdev\": \"m%u\", \"addr\": %llu}}\n",
		q->pieces, q->pieces, (unsigned long long)p.address);
	if (ret == 0)
		ret = door_command(&q->door, json, why, sizeof(why));
	q->pieces++;
	close(p.fd);
	if (ret != 0) {
		q->n_reached -= q->n_reached > 0; /* the one just noted */
		model_log(m, 1, "memory at %p: %s", address, why);
	}
	return ret;
}

static void
reset(struct model *m)
{
}

#define QEMU_CARD(card, words, vendor, device, data_queues) \
	.name = (card), .text = (words), .vendor_id = (vendor), .device_id = (device), \
	.queues_max = (data_queues), .state_size = sizeof(struct qemu), .reset = reset, \
	.link = link_set, .present = present, .power = power, .load = load, .store = store, \
	.config = config, .reach = reach

const struct model_family model_e1000 = {
	QEMU_CARD("e1000", "QEMU's Intel 82540EM (e1000)", 0x8086, 0x100e, 1),
	.bar_len = 128 << 10,
};
const struct model_family model_e1000e = {
	QEMU_CARD("e1000e", "QEMU's Intel 82574L (e1000e)", 0x8086, 0x10d3, 1),
	.bar_len = 128 << 10,
};
const struct model_family model_igb = {
	QEMU_CARD("igb", "QEMU's Intel 82576 (igb)", 0x8086, 0x10c9, 8),
	.bar_len = 128 << 10,
	/* Source: e1000_release_swfw_sync_82575(), DPDK 22.11 and later. */
	.gone = { { IGB_SWSM, IGB_SWSM_OURS }, { IGB_SW_FW_SYNC, 0 } },
};
const struct model_family model_vmxnet3 = {
	QEMU_CARD("vmxnet3", "QEMU's VMware vmxnet3", 0x15ad, 0x07b0, 1),
	.bar_len = 8 << 10,
	.bars = { { 0, 4 << 10 }, { 1, 4 << 10 } },
};
const struct model_family model_virtio_pci = {
	QEMU_CARD("virtio-pci", "QEMU's virtio-net-pci", 0x1af4, 0x1041, 1),
	.bar_len = 16 << 10,
	.bars = { { 4, 16 << 10 } },
};
