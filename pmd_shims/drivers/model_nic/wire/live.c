/* An interface of the kernel as the wire of a modelled port, by libpcap: what arrives there arrives at
 * the port, what the port sends leaves there, and the port's link follows that of the interface. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/wire/traffic_priv.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <pcap/pcap.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum {
	LIVE_BURST = 256,       /* maximum packets received per poll */
	BUFFER_BYTES = 8 << 20, /* of the kernel, while the thread that moves frames does not run */
	BUFFER_SENDING = 1 << 16, /* nothing is received there */
	DRAIN_MAX = 1 << 18,      /* more packets than the buffer holds */
};

static const uint64_t state_every_ns = 100 * 1000 * 1000;

struct live {
	pcap_t *pcap;
	char name[MODEL_LIVE_NAME];
	unsigned index, port;
	bool receive, up, gone;
	uint64_t asked_ns; /* when its state was asked for; 0: never */
	unsigned dropped;  /* by the kernel, as reported so far */
	int reason;        /* errno of the last reason that was printed why a packet was not sent */
};

static void __attribute__((format(printf, 2, 3))) say(const struct live *l, const char *format, ...)
{
	char line[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	fprintf(stderr, "model_nic: port %u: interface %s %s\n", l->port, l->name, line);
}

/* Why the interface could not be opened: of libpcap's status. */
static const char *
refusal(const struct live *l, int status)
{
	switch (status) {
	case PCAP_ERROR_PERM_DENIED:
	case PCAP_ERROR_PROMISC_PERM_DENIED: return "no permission: expected root or CAP_NET_RAW";
	case PCAP_ERROR_NO_SUCH_DEVICE: return "no such interface";
	case PCAP_ERROR_IFACE_NOT_UP: return "the interface is down: use \"ip link set NAME up\"";
	default: return pcap_geterr(l->pcap);
	}
}

/* An interface that only sends receives nothing. */
static bool
nothing_received(struct live *l)
{
	struct bpf_insn none = { .code = BPF_RET | BPF_K };
	struct bpf_program program = { .bf_len = 1, .bf_insns = &none };

	return pcap_setfilter(l->pcap, &program) == 0;
}

/* What the program itself sends on the interface does not arrive there. */
static bool
others_received(struct live *l)
{
	const int on = 1;

	/* Older kernels, where this fails, leave it to libpcap to drop them. */
	setsockopt(pcap_fileno(l->pcap), SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
	return pcap_setdirection(l->pcap, PCAP_D_IN) == 0;
}

/* Returns libpcap's status; 0: all are set. */
static int
options_set(struct live *l)
{
	int status = pcap_set_snaplen(l->pcap, l->receive ? PCAP_PACKET_MAX : PCAP_PACKET_MIN);

	if (status == 0)
		status = pcap_set_promisc(l->pcap, l->receive);
	if (status == 0)
		status = pcap_set_immediate_mode(l->pcap, 1);
	if (status == 0)
		status = pcap_set_buffer_size(l->pcap, l->receive ? BUFFER_BYTES : BUFFER_SENDING);
	return status;
}

static bool
open_up(struct live *l, char *why, size_t size)
{
	char error[PCAP_ERRBUF_SIZE] = "";
	int status;

	status = options_set(l);
	if (status == 0)
		status = pcap_activate(l->pcap);
	if (status < 0) {
		snprintf(why, size, "%s", refusal(l, status));
		return false;
	}
	if (pcap_datalink(l->pcap) != DLT_EN10MB) {
		snprintf(why, size, "link type %d: expected Ethernet", pcap_datalink(l->pcap));
		return false;
	}
	if (pcap_setnonblock(l->pcap, 1, error) != 0 ||
		!(l->receive ? others_received(l) : nothing_received(l))) {
		snprintf(why, size, "%s", error[0] != '\0' ? error : pcap_geterr(l->pcap));
		return false;
	}
	return true;
}

struct live *
live_open(const char *name, unsigned port, bool receive, char *why, size_t size)
{
	struct live *l = calloc(1, sizeof(*l));
	char error[PCAP_ERRBUF_SIZE];

	snprintf(why, size, "no memory");
	if (l == NULL)
		return NULL;
	*l = (struct live){ .port = port, .receive = receive, .up = true };
	snprintf(l->name, sizeof(l->name), "%s", name);
	l->index = if_nametoindex(name);
	if (l->index == 0)
		snprintf(why, size, "no such interface");
	else if ((l->pcap = pcap_create(name, error)) == NULL)
		snprintf(why, size, "%s", error);
	else if (open_up(l, why, size))
		return l;
	live_close(l);
	return NULL;
}

void
live_close(struct live *l)
{
	if (l == NULL)
		return;
	if (l->pcap != NULL)
		pcap_close(l->pcap);
	free(l);
}

const uint8_t *
live_next(struct live *l, uint32_t *len)
{
	struct pcap_pkthdr *header;
	const u_char *data;
	int ret = l->gone ? 0 : pcap_next_ex(l->pcap, &header, &data);

	if (ret != 1) {
		if (ret < 0)
			l->asked_ns = 0; /* an error means a change of state */
		return NULL;
	}
	/* A packet that is cut is longer than any card accepts; it is counted by its real length. */
	*len = header->len;
	return data;
}

/* Packets that the kernel has dropped since the last call. */
static uint64_t
dropped(struct live *l)
{
	struct pcap_stat stat;
	unsigned more;

	if (!l->receive || l->gone || pcap_stats(l->pcap, &stat) != 0)
		return 0;
	more = stat.ps_drop - l->dropped;
	l->dropped = stat.ps_drop;
	return more;
}

void
live_drain(struct live *l)
{
	uint32_t len;

	for (unsigned i = 0; i < DRAIN_MAX && live_next(l, &len) != NULL; i++)
		;
	dropped(l);
}

bool
live_send(struct live *l, const uint8_t *pkt, uint32_t len)
{
	if (!l->gone && pcap_inject(l->pcap, pkt, len) == (int)len)
		return true;
	/* A full queue is a matter of load, and a state has a line of its own. */
	if (!l->gone && errno != l->reason && errno != EAGAIN && errno != ENOBUFS &&
		errno != ENETDOWN && errno != ENXIO) {
		l->reason = errno;
		say(l, "does not send a packet of %u bytes: %s", len, strerror(errno));
	}
	return false;
}

/* Read the interface's name and flags. Returns false if it is gone. */
static bool
flags_read(const struct live *l, struct ifreq *request)
{
	char name[IF_NAMESIZE];

	memset(request, 0, sizeof(*request));
	if (if_indextoname(l->index, name) == NULL)
		return false;
	/* Again if it got another name between the two calls. */
	do {
		memcpy(request->ifr_name, name, sizeof(name));
		if (ioctl(pcap_fileno(l->pcap), SIOCGIFFLAGS, request) == 0)
			return true;
	} while (if_indextoname(l->index, name) != NULL && strcmp(name, request->ifr_name) != 0);
	return false;
}

/* Open the interface that has the name of the one that is gone. Returns false if there is none yet. */
static bool
opened_again(struct live *l)
{
	const unsigned index = if_nametoindex(l->name);
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *gone = l->pcap;

	l->pcap = index != 0 ? pcap_create(l->name, why) : NULL;
	if (l->pcap != NULL && open_up(l, why, sizeof(why))) {
		pcap_close(gone);
		l->index = index;
		l->dropped = 0;
		l->gone = false;
		return true;
	}
	if (l->pcap != NULL)
		pcap_close(l->pcap);
	l->pcap = gone;
	return false;
}

bool
live_state(struct live *l, uint64_t now_ns, uint64_t *missed)
{
	struct ifreq request;
	bool up;

	*missed = 0;
	if (l->asked_ns != 0 && now_ns - l->asked_ns < state_every_ns)
		return l->up;
	l->asked_ns = now_ns;
	if (l->gone && !opened_again(l))
		return false;
	*missed = dropped(l);
	if (!flags_read(l, &request)) {
		l->gone = true;
		l->up = false;
		say(l, "is gone: nothing moves until there is one again");
		return false;
	}
	if (strcmp(request.ifr_name, l->name) != 0) {
		say(l, "is now called %s", request.ifr_name);
		snprintf(l->name, sizeof(l->name), "%s", request.ifr_name);
	}
	up = (request.ifr_flags & IFF_UP) != 0 && (request.ifr_flags & IFF_RUNNING) != 0;
	if (up != l->up)
		say(l,
			up ? "is up again"
				: (request.ifr_flags & IFF_UP) != 0
				? "has no carrier: nothing moves until it has"
				: "is down: nothing moves until it is up");
	l->up = up;
	return up;
}

/* True if all interfaces of a port are up. Changes its link if that has changed. */
static bool
link_follows(struct traffic *t, uint64_t now_ns)
{
	struct live *const both[] = { t->rx_live, t->tx_live };
	bool up = true, was = true;
	uint64_t missed;

	for (unsigned i = 0; i < 2; i++) {
		if (both[i] == NULL || (i == 1 && both[1] == both[0]))
			continue;
		was = was && both[i]->up;
		up = live_state(both[i], now_ns, &missed) && up;
		t->count.rx_missed += missed;
	}
	if (!up && atomic_load_explicit(&t->m->link_up, memory_order_relaxed))
		model_ask(t->m, MODEL_LINK_DOWN);
	else if (up && !was)
		model_ask(t->m, MODEL_LINK_UP);
	return up;
}

unsigned
live_poll(struct traffic *t, uint64_t now_ns, bool runs)
{
	const uint8_t *pkt;
	unsigned moved = 0;
	uint32_t len;

	link_follows(t, now_ns);
	if (t->rx_live == NULL)
		return 0;
	while (moved < LIVE_BURST && (pkt = live_next(t->rx_live, &len)) != NULL) {
		moved++;
		if (!runs || t->left == 0)
			continue;
		t->left -= t->config->count != 0;
		if (len < PCAP_PACKET_MIN)
			continue;
		arrive_by_wire(t, pkt, len);
	}
	return moved;
}
