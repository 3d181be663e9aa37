/* What tests of extbuf need beside the rig: memories, streams as a run makes them, files. */
#include "extbuf_bed.h"

#include "base.h"
#include "err.h"
#include "extmem.h"
#include "extmem_buffers.h"
#include "rig.h"
#include "setting.h"

#include <rte_malloc.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct engine engine_extbuf;

struct extmems extbuf_bed_memories;
static struct stream *mates[1];

int
extbuf_bed_open(void **state)
{
	struct err e;

	rig_open(state);
	return settings_add(rig_settings, engine_extbuf.settings, engine_extbuf.n_settings, &e);
}

int
extbuf_bed_defaults(void **state)
{
	for (size_t i = 0; i < engine_extbuf.n_settings; i++)
		setting_reset(rig_settings, engine_extbuf.settings[i].name);
	return 0;
}

/* No test leaves memory behind, and none of it is out. */
int
extbuf_bed_gone(void **state)
{
	while (extbuf_bed_memories.first != NULL) {
		struct err e;

		err_clear(&e);
		extmem_delete(&extbuf_bed_memories, extbuf_bed_memories.first->name, &e);
		assert_string_equal(e.text, "");
	}
	return 0;
}

/* A stream with all that a run gives it. */
struct stream *
extbuf_bed_stream(uint16_t mtu)
{
	struct stream *s = rig_stream(&engine_extbuf);

	mates[0] = s;
	s->mates = mates;
	s->n_mates = 1;
	s->rx_end.mtu = s->tx_end.mtu = mtu;
	s->tx_end.offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
	s->rx_pool = rig_pool;
	s->extmems = &extbuf_bed_memories;
	return s;
}

void
extbuf_bed_end(struct stream *s)
{
	struct extbuf_figures *figures = s->extbuf;

	rig_end(s);
	rte_free(figures);
}

struct err
extbuf_bed_refusal(struct stream *s)
{
	struct err e;
	int ret;

	err_clear(&e);
	ret = engine_extbuf.init(s, &e);
	assert_int_equal(ret, -e.code);
	engine_extbuf.fini(s);
	rte_free(s->extbuf);
	free(s->state);
	rte_free(s);
	return e;
}

void
extbuf_bed_memory(const char *name, enum extmem_type type, uint64_t bytes, const char *path)
{
	const struct extmem_ask ask = { .name = name,
		.type = type,
		.bytes = bytes,
		.path = path,
		.socket = SOCKET_ID_ANY };
	struct err e;

	err_clear(&e);
	extmem_create(&extbuf_bed_memories, &ask, NULL, &e);
	assert_string_equal(e.text, "");
}

/* Everything that was handed out came back, each time once. */
void
extbuf_bed_all_back(void)
{
	for (const struct extmem *m = extbuf_bed_memories.first; m != NULL; m = m->next) {
		assert_int_equal(extmem_out(m), 0);
		for (const struct extmem_buffers *b = m->buffers; b != NULL; b = b->next) {
			struct extmem_buffers_total t = extmem_buffers_total(b);

			assert_int_equal(t.taken, t.given);
			assert_int_equal(t.given_twice, 0);
		}
	}
}

/* A file of so many bytes, counted up; the caller removes it. */
void
extbuf_bed_file(char *path, size_t bytes)
{
	uint8_t *content = malloc(bytes);
	int fd;

	strcpy(path, "/tmp/extbuf_test_XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0 && content != NULL);
	for (size_t i = 0; i < bytes; i++)
		content[i] = (uint8_t)(i * 31 + i / 251);
	assert_int_equal(write(fd, content, bytes), bytes);
	close(fd);
	free(content);
}
