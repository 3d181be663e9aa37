/* Model of 82599 and X540 for net_ixgbe: registers, resets, link, NVM, module, counters, queues. Source: Intel 82599 datasheet, chapter 8. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe.h"

#include "pmd_shims/drivers/model_nic/ixgbe/ixgbe_priv.h"

enum {
	BAR_BYTES = 512 << 10,
	RESET_BYTES = 64 << 10, /* registers behind it belong to NVM and firmware */
	PAGE = 4096,
	FRAME_DEFAULT = 1518, /* bytes with CRC */
	FRAME_SHORTEST = 60,  /* without CRC: what the transmitter pads to */
};

enum {
	CONTROL = 0x0,
	PINS = 0x20, /* ESDP */
	RX_DMA = 0x2f00,
	PHY_COMMAND = 0x425c,
	PHY_DATA = 0x4260,
	FRAME_MAX = 0x4268, /* upper half */
	LINK_MODE = 0x42a0, /* AUTOC */
	LINK_STATE = 0x42a4,
	LINK_MODE_2 = 0x42a8,
	LINK_PARTNER = 0x42b0,
	ADDRESS_LOW = 0x5400,
	ADDRESS_HIGH = 0x5404,
	TX_SECURITY = 0x8804,
	RX_SECURITY = 0x8d04,
	MANAGEMENT = 0x10110,
	FIRMWARE = 0x10148, /* FWSM */
};

#define CAUSE_LINK (UINT32_C(1) << 20)
#define MODULE_PRESENT (UINT32_C(1) << 2)

/* The NVM of 82599 and X540: a checksum, a firmware version, set-up sequences for modules. Source:
 * Intel 82599 datasheet, chapter 6. */

/* Words that are not 0. Pointers refer to words of this table too. */
static const struct {
	uint16_t at, value;
} words[] = {
	{ 0x00f, 0x100 }, { 0x104, 0x110 }, /* firmware modules; the fifth of them ... */
	{ 0x117, 6 },                       /* ... has the version, at least 6 to support SFP+ */
	{ 0x02b, 0x120 },                   /* list of set-up sequences, after a length: */
	{ 0x121, 5 }, { 0x122, 0x130 },     /* that of SR and LR modules on the first core */
	{ 0x131, 0xffff },                  /* ... is empty */
	{ 0x123, 0xffff },                  /* end of the list */
};

static uint16_t
word(uint32_t at)
{
	enum { CHECKSUM = 0x3f, SUM = 0xbaba };
	uint32_t sum = 0;

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (words[i].at == at)
			return words[i].value;
		if (words[i].at < CHECKSUM)
			sum += words[i].value;
	}
	return at == CHECKSUM ? (uint16_t)(SUM - sum) : 0;
}

/* Handle a write of IXGBE_NVM_READ or IXGBE_NVM_CONTROL. */
static void
ixgbe_nvm_read(struct model *m, uint32_t value)
{
	const uint32_t start = 1, done = 2;

	if ((value & start) != 0)
		model_reg_set(m, IXGBE_NVM_READ,
			(uint32_t)word(value >> 2 & 0x3fff) << 16 | (value & 0xfffc) | done);
}

/* Grant any request for direct access to the NVM's four lines; reads return 0. */
static void
ixgbe_nvm_control(struct model *m, uint32_t value)
{
	enum { OUT = 1 << 3, REQUEST = 1 << 6, GRANT = 1 << 7, PRESENT = 1 << 8, SIZE = 5 << 11 };
	uint32_t granted = (value & REQUEST) != 0 ? GRANT : 0;

	value &= ~(uint32_t)(OUT | GRANT);
	model_reg_set(m, IXGBE_NVM_CONTROL, value | granted | PRESENT | SIZE);
}

/* The SFP+ module of the 82599, 10GBASE-SR: an EEPROM on an I2C bus whose two lines the driver
 * controls itself. Source: SFF-8472. */

enum {
	CLOCK_IN = 1 << 0,
	CLOCK_OUT = 1 << 1,
	DATA_IN = 1 << 2,
	DATA_OUT = 1 << 3,
};

static uint8_t
rom(uint8_t at)
{
	switch (at) {
	case 0: return 3;     /* SFP */
	case 2: return 7;     /* LC */
	case 3: return 0x10;  /* 10GBASE-SR */
	case 37: return 0x00; /* Intel */
	case 38: return 0x1b;
	case 39: return 0x21;
	default: return 0;
	}
}

/*
 * Rising clock: the module reads a bit or an acknowledgement from the line, unless it is sending.
 */
static void
clock_up(struct ixgbe_module *w, bool line)
{
	enum { ACKNOWLEDGEMENT = 8 };

	if (w->phase == MODULE_IDLE)
		return;
	if (w->phase != MODULE_READ && w->clocks < ACKNOWLEDGEMENT)
		w->byte = (uint8_t)(w->byte << 1 | line);
	if (w->phase == MODULE_READ && w->clocks == ACKNOWLEDGEMENT && line)
		w->phase = MODULE_IDLE;
	w->clocks++;
}

/* End of a byte, after nine clocks. */
static void
byte_over(struct ixgbe_module *w)
{
	w->clocks = 0;
	if (w->phase == MODULE_ADDRESS)
		w->phase = (w->byte & 1) != 0 ? MODULE_READ : MODULE_OFFSET;
	else if (w->phase == MODULE_OFFSET)
		w->at = w->byte;
	else
		w->at++;
}

/* Falling clock: the module puts its next bit on the line; 1 releases the line. */
static void
clock_down(struct ixgbe_module *w)
{
	enum { BYTE = 8, DEVICE = 0xa0 };

	if (w->clocks > BYTE)
		byte_over(w);
	w->sent = true;
	if (w->phase == MODULE_READ) {
		w->sent = w->clocks == BYTE || (rom(w->at) >> (BYTE - 1 - w->clocks) & 1) != 0;
	} else if (w->phase != MODULE_IDLE && w->clocks == BYTE) {
		w->sent = w->phase == MODULE_ADDRESS && (w->byte & 0xfe) != DEVICE;
		if (w->sent)
			w->phase = MODULE_IDLE;
	}
}

/* Handle a change of the two lines to the module, in IXGBE_I2C. */
static void
ixgbe_module_wires(struct model *m, uint32_t value)
{
	struct ixgbe_module *w = &ixgbe_state(m)->module;
	bool clock = (value & CLOCK_OUT) != 0, data = (value & DATA_OUT) != 0, line;

	if (clock && w->clock && data != w->data) {
		/* Data that falls while the clock is high is a start; data that rises is a stop. */
		w->phase = data ? MODULE_IDLE : MODULE_ADDRESS;
		w->clocks = 0;
		w->sent = true;
	} else if (clock && !w->clock) {
		clock_up(w, data && w->sent);
	} else if (!clock && w->clock) {
		clock_down(w);
	}
	w->clock = clock;
	w->data = data;
	line = data && w->sent;
	value &= ~(uint32_t)(CLOCK_IN | DATA_IN);
	model_reg_set(m, IXGBE_I2C, value | (clock ? CLOCK_IN : 0) | (line ? DATA_IN : 0));
}

/* Counters of 82599 and X540: registers that are cleared by reading, computed from rings and report
 * at that time. */

enum { BYTES_LOW = 0x34, BYTES_HIGH = 0x38, PACKETS = 0x30 }; /* in the block of a queue */
enum { TX_BYTES = 0x8700, QUEUE_COUNTERS = 16 };

/*
 * The queues' counters are in pages that do not trap. They are set when the first of these
 * registers is read and cleared when the second one is read, since drivers read one right before
 * and one right after the queues' counters.
 */
enum { QUEUES_BEGIN = 0x3fbc, QUEUES_END = 0x4034 };

static const struct {
	uint32_t offset;
	uint16_t field; /* offset in struct ixgbe_totals */
	bool wide;      /* the upper part is in the next register */
} counters[] = {
#define FIELD(name) offsetof(struct ixgbe_totals, name)
	{ IXGBE_MISSED_FIRST, FIELD(all.missed), false },
	{ 0x4000, FIELD(all.errors), false }, /* CRC */
	{ 0x405c, FIELD(all.rx_sizes[0]), false },
	{ 0x4060, FIELD(all.rx_sizes[1]), false },
	{ 0x4064, FIELD(all.rx_sizes[2]), false },
	{ 0x4068, FIELD(all.rx_sizes[3]), false },
	{ 0x406c, FIELD(all.rx_sizes[4]), false },
	{ 0x4070, FIELD(all.rx_sizes[5]), false },
	{ 0x4074, FIELD(all.rx), false },
	{ 0x4080, FIELD(all.tx), false },
	{ 0x4088, FIELD(rx_bytes_seen), true },
	{ 0x4090, FIELD(tx_octets), true },
	{ 0x40ac, FIELD(all.oversize), false },
	{ 0x40c0, FIELD(rx_octets), true },
	{ 0x40d0, FIELD(all.rx), false },
	{ 0x40d4, FIELD(all.tx), false },
	{ 0x40d8, FIELD(all.tx_sizes[0]), false },
	{ 0x40dc, FIELD(all.tx_sizes[1]), false },
	{ 0x40e0, FIELD(all.tx_sizes[2]), false },
	{ 0x40e4, FIELD(all.tx_sizes[3]), false },
	{ 0x40e8, FIELD(all.tx_sizes[4]), false },
	{ 0x40ec, FIELD(all.tx_sizes[5]), false },
#undef FIELD
};

static_assert(sizeof(counters) / sizeof(counters[0]) == IXGBE_COUNTERS,
	"seen has an entry for each counter");

static unsigned
crc_seen(const struct ixgbe *s)
{
	return atomic_load(&s->crc_stays) ? CRC_BYTES : 0;
}

static void
totals_make(struct model *m)
{
	struct ixgbe *s = ixgbe_state(m);
	struct ixgbe_totals *t = &s->total;
	const struct totals before = t->all;
	struct totals *now = &t->all;

	counts_total(m, &s->counts, now);
	t->rx_bytes_seen += now->rx_bytes - before.rx_bytes + crc_seen(s) * (now->rx - before.rx);
	t->rx_octets = now->rx_bytes + CRC_BYTES * now->rx;
	t->tx_octets = now->tx_bytes + CRC_BYTES * now->tx;
	/* The longest class of these NICs includes all longer frames. */
	now->rx_sizes[SIZES - 2] += now->rx_sizes[SIZES - 1];
	now->tx_sizes[SIZES - 2] += now->tx_sizes[SIZES - 1];
	s->fresh = (UINT64_C(1) << IXGBE_COUNTERS) - 1;
}

static void
add(struct model *m, uint32_t offset, uint64_t n)
{
	model_reg_set(m, offset, (uint32_t)(model_reg(m, offset) + n));
}

static void
add_wide(struct model *m, uint32_t offset, uint64_t n)
{
	n += model_reg(m, offset) | (uint64_t)model_reg(m, offset + 4) << 32;
	model_reg_set(m, offset, (uint32_t)n);
	model_reg_set(m, offset + 4, (uint32_t)(n >> 32));
}

/* Number of the counter, of 16, that counts a queue. first: first of the mapping registers. */
static unsigned
counter_of(const struct model *m, uint32_t first, unsigned queue)
{
	return model_reg(m, first + queue / 4 * 4) >> queue % 4 * 8 & (QUEUE_COUNTERS - 1);
}

static void
queues_show(struct model *m)
{
	struct ixgbe *s = ixgbe_state(m);

	for (unsigned i = 0; i < IXGBE_DATA_QUEUES; i++) {
		struct ixgbe_queue_seen *seen = &s->queue_seen[i],
					now = { m->rx[i].packets, m->rx[i].bytes, m->tx[i].packets,
						m->tx[i].bytes };
		uint32_t rx =
			IXGBE_RX_QUEUES + counter_of(m, IXGBE_RX_COUNTER_OF, i) * IXGBE_QUEUE_BYTES;
		unsigned tx = counter_of(m, IXGBE_TX_COUNTER_OF, i);

		add(m, rx + PACKETS, now.rx - seen->rx);
		add_wide(m, rx + BYTES_LOW,
			now.rx_bytes - seen->rx_bytes + crc_seen(s) * (now.rx - seen->rx));
		add(m, IXGBE_TX_QUEUES + tx * IXGBE_QUEUE_BYTES + PACKETS, now.tx - seen->tx);
		add_wide(m, TX_BYTES + 8 * tx, now.tx_bytes - seen->tx_bytes);
		*seen = now;
	}
}

static void
queues_hide(struct model *m)
{
	for (unsigned i = 0; i < QUEUE_COUNTERS; i++) {
		uint32_t rx = IXGBE_RX_QUEUES + i * IXGBE_QUEUE_BYTES;

		model_reg_set(m, rx + PACKETS, 0);
		model_reg_set(m, rx + BYTES_LOW, 0);
		model_reg_set(m, rx + BYTES_HIGH, 0);
		model_reg_set(m, IXGBE_TX_QUEUES + i * IXGBE_QUEUE_BYTES + PACKETS, 0);
		model_reg_set(m, TX_BYTES + 8 * i, 0);
		model_reg_set(m, TX_BYTES + 8 * i + 4, 0);
	}
}

/*
 * All counters show the same moment until one of them is read a second time.
 */
static void
ixgbe_counter_read(struct model *m, uint32_t offset)
{
	struct ixgbe *s = ixgbe_state(m);
	uint64_t total, since;

	if (offset == QUEUES_BEGIN)
		queues_show(m);
	else if (offset == QUEUES_END)
		queues_hide(m);
	for (unsigned i = 0; i < IXGBE_COUNTERS; i++) {
		if (counters[i].offset != offset)
			continue;
		if ((s->fresh >> i & 1) == 0)
			totals_make(m);
		s->fresh &= ~(UINT64_C(1) << i);
		memcpy(&total, (const uint8_t *)&s->total + counters[i].field, sizeof(total));
		since = total - s->seen[i];
		s->seen[i] = total;
		model_reg_set(m, offset, (uint32_t)since);
		if (counters[i].wide)
			model_reg_set(m, offset + 4, (uint32_t)(since >> 32));
	}
}

/* Enables and disables queues of 82599 and X540. Their registers are in the pages of the doorbells,
 * which do not trap, so writes are noticed before the next poll. */

/*
 * A driver may stop a queue and start it again before that poll. To detect this, the head register
 * of an enabled queue has a value that no head can have; a driver writes 0 to it when it starts a
 * queue. In idle Tx queues it is the real head, since a driver waits for that before it stops a
 * queue.
 */
#include "pmd_shims/drivers/model_nic/model_life.h"

enum { DESC_BYTES = 16, DESCS_MIN = 8, DESCS_MAX = 8192, DESCS_STEP = 8 };

enum { IDLE_POLLS = 16 };

static uint32_t
block_of(unsigned queue, bool rx)
{
	return (rx ? IXGBE_RX_QUEUES : IXGBE_TX_QUEUES) + queue * IXGBE_QUEUE_BYTES;
}

static uint32_t
control_of(const struct model *m, unsigned queue, bool rx)
{
	return model_reg(m, block_of(queue, rx) + IXGBE_QUEUE_CONTROL);
}

/* True if the receiver or the transmitter is enabled. */
static bool
engine_runs(const struct model *m, bool rx)
{
	return (model_reg(m, rx ? IXGBE_RX_CONTROL : IXGBE_TX_CONTROL) & 1) != 0;
}

/* Set up a ring from its queue's registers. Returns NULL, or why the queue cannot be enabled. */
static const char *
ring_set_up(struct model *m, struct ring *r, unsigned queue, bool rx)
{
	const uint32_t kilobytes = 0x1f;
	uint32_t block = block_of(queue, rx), size = model_reg(m, block + IXGBE_BYTES) / DESC_BYTES;

	if (queue >= IXGBE_DATA_QUEUES)
		return "RSS of this chip spreads packets over 16 queues";
	r->index = (uint16_t)queue;
	r->data_queue = (int16_t)queue;
	r->desc_size = DESC_BYTES;
	r->desc = (uint8_t *)(uintptr_t)((uint64_t)model_reg(m, block + IXGBE_BASE_HIGH) << 32 |
		model_reg(m, block + IXGBE_BASE_LOW));
	r->tail = (volatile uint32_t *)(volatile void *)(m->bar + block + IXGBE_TAIL);
	if (r->desc == NULL || size < DESCS_MIN || size > DESCS_MAX || size % DESCS_STEP != 0)
		return "no ring address, or an unsupported ring size";
	r->size = (uint16_t)size;
	if (!rx)
		return NULL;
	r->buf_len = (uint16_t)((model_reg(m, IXGBE_RX_BUFFER + 4 * queue) & kilobytes) * 1024);
	atomic_store(&m->scattered, atomic_load(&m->frame_max) > r->buf_len);
	return r->buf_len > 0 ? NULL : "the buffer size is 0";
}

static void
ring_on(struct model *m, struct ring *r, unsigned queue, bool rx)
{
	uint32_t at = block_of(queue, rx) + IXGBE_QUEUE_CONTROL;
	const char *why = ring_set_up(m, r, queue, rx);

	if (why != NULL) {
		model_log(m, 0, "%s queue %u cannot be enabled: %s", rx ? "Rx" : "Tx", queue, why);
		model_reg_set(m, at, model_reg(m, at) & ~IXGBE_QUEUE_ENABLE);
		return;
	}
	ixgbe_queue_begin(m, r, rx);
	model_ring_enable(m, r);
	if (!rx)
		atomic_store(&ixgbe_state(m)->tx_begins, true);
}

static bool
queue_wanted(const struct model *m, unsigned queue, bool rx)
{
	return engine_runs(m, rx) && (control_of(m, queue, rx) & IXGBE_QUEUE_ENABLE) != 0;
}

/* True if the driver has restarted the queue: the head register is not as the model left it. */
static bool
queue_restarted(const struct model *m, unsigned queue, bool rx)
{
	return model_reg(m, block_of(queue, rx) + IXGBE_HEAD) !=
		(rx ? IXGBE_HEAD_HIDDEN : ixgbe_state(m)->tx_head[queue]);
}

static bool
queue_startable(const struct model *m, unsigned queue, bool rx)
{
	return queue_wanted(m, queue, rx) && model_reg(m, block_of(queue, rx) + IXGBE_HEAD) == 0;
}

static void
queue_follow(struct model *m, unsigned queue, bool rx)
{
	struct ixgbe *s = ixgbe_state(m);
	struct ring *r = rx ? &m->rx[queue] : &m->tx[queue];

	if (atomic_load(&r->enabled) &&
		(!queue_wanted(m, queue, rx) || queue_restarted(m, queue, rx)))
		model_ring_disable(m, r);
	if (!atomic_load(&r->enabled) && queue_startable(m, queue, rx))
		ring_on(m, r, queue, rx);
	if (queue < IXGBE_DATA_QUEUES)
		atomic_store(rx ? &s->rx_seen[queue] : &s->tx_seen[queue],
			control_of(m, queue, rx));
}

/*
 * Enable and disable rings according to the queues' registers, whose writes do not trap. Thread:
 * any that holds trap_lock().
 */
static void
ixgbe_queues_follow(struct model *m)
{
	uint32_t controls = 0;

	for (unsigned i = 0; i < IXGBE_QUEUES; i++) {
		queue_follow(m, i, false);
		queue_follow(m, i, true);
		controls |= control_of(m, i, true);
	}
	atomic_store(&m->vlan_strip, (controls & IXGBE_QUEUE_STRIP) != 0);
	model_watch(m, engine_runs(m, true) || engine_runs(m, false));
}

/* Set all queues to their state after power on. Thread: any that holds trap_lock(). */
static void
ixgbe_queues_reset(struct model *m)
{
	struct ixgbe *s = ixgbe_state(m);

	model_watch(m, false);
	model_rings_disable(m);
	for (unsigned i = 0; i < IXGBE_DATA_QUEUES; i++) {
		atomic_store(&s->rx_seen[i], 0);
		atomic_store(&s->tx_seen[i], 0);
	}
	atomic_store(&m->vlan_strip, false);
	atomic_store(&m->scattered, false);
}

static void
heads_show(struct model *m)
{
	for (unsigned i = 0; i < IXGBE_DATA_QUEUES; i++)
		if (atomic_load_explicit(&m->tx[i].enabled, memory_order_relaxed))
			ixgbe_tx_head_set(m, &m->tx[i], m->tx[i].head);
}

static bool
queue_differs(const struct model *m, unsigned queue, bool rx)
{
	const struct ixgbe *s = ixgbe_state(m);
	const struct ring *r = rx ? &m->rx[queue] : &m->tx[queue];

	return control_of(m, queue, rx) !=
		atomic_load_explicit(rx ? &s->rx_seen[queue] : &s->tx_seen[queue],
			memory_order_relaxed) ||
		(atomic_load_explicit(&r->enabled, memory_order_relaxed)
				? queue_restarted(m, queue, rx)
				: queue_startable(m, queue, rx));
}

/* True once after a Tx queue was enabled, whose head is hidden then. */
static bool
tx_began(struct ixgbe *s)
{
	return atomic_load_explicit(&s->tx_begins, memory_order_relaxed) &&
		atomic_exchange(&s->tx_begins, false);
}

/* Implements model_family.watch; ixgbe_queues_follow() is the matching model_family.act. */
static bool
ixgbe_queues_watch(struct model *m, unsigned moved)
{
	struct ixgbe *s = ixgbe_state(m);

	for (unsigned i = 0; i < IXGBE_DATA_QUEUES; i++)
		if (queue_differs(m, i, true) || queue_differs(m, i, false))
			return true;
	s->idle = moved == 0 && !tx_began(s) ? s->idle + 1 : 0;
	if (s->idle == IDLE_POLLS)
		heads_show(m);
	return false;
}

/* Registers that are not 0 after power on. */
static const struct {
	uint32_t offset, value;
} power_on[] = {
	{ PINS, MODULE_PRESENT }, { RX_DMA, 1 << 3 },               /* ready */
	{ IXGBE_MAC_CONTROL, 1 | IXGBE_CRC_STRIP | IXGBE_TX_PADS }, /* 1: CRC added */
	{ FRAME_MAX, FRAME_DEFAULT << 16 }, { LINK_MODE, 3 << 13 }, /* 10G serial, */
	{ LINK_MODE_2, 2 << 16 },                                   /* SFI */
	{ LINK_PARTNER, 1 << 16 },                                  /* the state machine runs */
	{ TX_SECURITY, 1 }, { RX_SECURITY, 1 },                     /* ready */
	{ MANAGEMENT, 3 << 18 },                                    /* configured */
	{ FIRMWARE, 1 << 15 },                                      /* valid */
	{ IXGBE_NVM_CONTROL, 1 << 8 | 5 << 11 },                    /* present, its size */
};

/* Learn the lengths of frames from the registers. */
static void
frame_lengths(struct model *m)
{
	const uint32_t jumbo = 1 << 2, control = model_reg(m, IXGBE_MAC_CONTROL);
	uint32_t max = (control & jumbo) != 0 ? model_reg(m, FRAME_MAX) >> 16 : FRAME_DEFAULT;

	atomic_store(&m->frame_max, max > CRC_BYTES ? max - CRC_BYTES : 0);
	atomic_store(&m->tx_frame_min, (control & IXGBE_TX_PADS) != 0 ? FRAME_SHORTEST : 0);
	atomic_store(&ixgbe_state(m)->crc_stays, (control & IXGBE_CRC_STRIP) == 0);
}

static void
link_show(struct model *m)
{
	enum { UP_10G = 0x70000080 };

	model_reg_set(m, LINK_STATE, atomic_load(&m->link_up) ? UP_10G : 0);
}

static void
address_show(struct model *m)
{
	const uint32_t valid = UINT32_C(1) << 31;
	const uint8_t *a = m->mac;

	model_reg_set(m, ADDRESS_LOW,
		a[0] | (uint32_t)a[1] << 8 | (uint32_t)a[2] << 16 | (uint32_t)a[3] << 24);
	model_reg_set(m, ADDRESS_HIGH, a[4] | (uint32_t)a[5] << 8 | valid);
}

static void
reset(struct model *m)
{
	struct ixgbe *s = ixgbe_state(m);

	ixgbe_queues_reset(m);
	memset(m->bar, 0, RESET_BYTES);
	for (unsigned i = 0; i < sizeof(power_on) / sizeof(power_on[0]); i++)
		model_reg_set(m, power_on[i].offset, power_on[i].value);
	atomic_store(&s->director_n, 0);
	ixgbe_interrupts_reset(m);
	s->module = (struct ixgbe_module){ .sent = true };
	ixgbe_tables_make(s);
	ixgbe_hash_types(m);
	atomic_store(&m->rx_csum, true);
	atomic_fetch_add(&m->rss_generation, 1);
	address_show(m);
	frame_lengths(m);
	link_show(m);
}

static void
link_changed(struct model *m, bool up)
{
	link_show(m);
	ixgbe_cause(m, CAUSE_LINK);
}

static void
control_write(struct model *m, uint32_t value)
{
	const uint32_t resets = UINT32_C(1) << 26 | 1 << 3;

	if ((value & resets) == 0)
		return;
	atomic_fetch_add(&m->resets, 1);
	reset(m);
	model_reg_set(m, CONTROL, value & ~resets);
}

static bool
of_rss(uint32_t offset)
{
	return offset == IXGBE_HASH_CONTROL ||
		(offset >= IXGBE_TABLE && offset < IXGBE_TABLE + 4 * IXGBE_TABLE_WORDS) ||
		(offset >= IXGBE_KEY && offset < IXGBE_KEY + 4 * IXGBE_KEY_WORDS);
}

static void
written(struct model *m, uint32_t offset, uint32_t old, uint32_t value)
{
	const uint32_t phy_busy = UINT32_C(1) << 30, restart = 1 << 12;

	if (ixgbe_filter_written(m, offset, value) || (of_rss(offset) && old != value))
		atomic_fetch_add(&m->rss_generation, 1);
	switch (offset) {
	case CONTROL: control_write(m, value); break;
	case PINS: model_reg_set(m, offset, value | MODULE_PRESENT); break;
	case IXGBE_I2C: ixgbe_module_wires(m, value); break;
	case IXGBE_RX_CONTROL:
	case IXGBE_TX_CONTROL: ixgbe_queues_follow(m); break;
	case IXGBE_MAC_CONTROL:
	case FRAME_MAX: frame_lengths(m); break;
	case PHY_COMMAND: model_reg_set(m, offset, value & ~phy_busy); break;
	/*
	 * Reads return 0: there is no PHY. If all bits were 1 the driver would wait 3 s for a busy
	 * one.
	 */
	case PHY_DATA: model_reg_set(m, offset, value & 0xffff); break;
	case LINK_MODE: model_reg_set(m, offset, value & ~restart); break;
	case IXGBE_HASH_CONTROL: ixgbe_hash_types(m); break;
	case IXGBE_NVM_READ: ixgbe_nvm_read(m, value); break;
	case IXGBE_NVM_CONTROL: ixgbe_nvm_control(m, value); break;
	default: ixgbe_interrupt_written(m, offset, value); ixgbe_time_written(m, offset);
	}
}

static void
before_read(struct model *m, uint32_t offset)
{
	if (offset >= IXGBE_MISSED_FIRST && offset < IXGBE_STATISTICS_END)
		ixgbe_counter_read(m, offset);
	else
		ixgbe_interrupt_read(m, offset);
	ixgbe_time_read(m, offset);
}

/*
 * A chip. Chips differ only in the device id, by which the driver chooses the registers it uses.
 */
#define FAMILY(word, words, id) \
	{ \
		.name = word, .text = words, .vendor_id = 0x8086, .device_id = id, \
		.bar_len = BAR_BYTES, .msix = { 64, 4, 16 << 10, 0x2000 }, \
		.state_size = sizeof(struct ixgbe), .queues_max = IXGBE_DATA_QUEUES, \
		.open = { { IXGBE_RX_QUEUES, PAGE }, { IXGBE_TX_QUEUES, PAGE } }, .reset = reset, \
		.before_read = before_read, .after_read = ixgbe_time_was_read, .written = written, \
		.link = link_changed, .rss = ixgbe_rss, .arrived = ixgbe_time_arrived, \
		.watch = ixgbe_queues_watch, .act = ixgbe_queues_follow, .rx_peek = ixgbe_rx_peek, \
		.rx_give = ixgbe_rx_give, .tx_take = ixgbe_tx_take, .tx_done = ixgbe_tx_done, \
		.buffer = ixgbe_buffer \
	}

const struct model_family model_82599 = FAMILY("82599", "Intel 82599 with SFP+ (ixgbe)", 0x10fb);
const struct model_family model_x540 = FAMILY("x540", "Intel X540 (ixgbe)", 0x1528);
