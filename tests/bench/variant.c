/* From the words of a variant to streams that can turn, and back. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/variant.h"

#include "base/err.h"
#include "base/setting.h"
#include "engines/engine.h"
#include "pmd_shims/recycle/handle.h"
#include "run/recycle_named.h"
#include "run/run.h"
#include "run/run_classes.h"
#include "run/streams.h"

#include <errno.h>
#include <string.h>

/* Put the old values back, the last one first. */
static void
old_restore(struct variant *v)
{
	while (v->n_old > 0) {
		v->n_old--;
		setting_parse(v->settings, v->old[v->n_old].name, v->old[v->n_old].value, NULL);
	}
}

/* "SETTING=VALUE", to be restored. */
static int
setting_apply(struct variant *v, const char *text, char *word, struct err *e)
{
	char *value = strchr(word, '='), buf[VARIANT_VALUE];
	const struct setting *row;
	const char *old;

	if (value == NULL)
		return err_set(e, EINVAL, "variant \"%s\": \"%s\": expected SETTING=VALUE", text,
			word);
	*value++ = '\0';
	row = setting_find(v->settings, word);
	if (row == NULL)
		return err_set(e, EINVAL, "variant \"%s\": \"%s\": no such setting", text, word);
	if (row->when == SETTING_CONFIGURE)
		return err_set(e, EINVAL,
			"variant \"%s\": %s is read when ports are configured: use a process of its own for each value",
			text, word);
	old = setting_word(v->settings, word, buf, sizeof(buf));
	if (v->n_old == VARIANT_SETTINGS || strlen(old) >= VARIANT_VALUE)
		return err_set(e, EINVAL,
			"variant \"%s\": expected at most %d settings, of less than %d bytes before",
			text, VARIANT_SETTINGS, VARIANT_VALUE);
	strcpy(v->old[v->n_old].name, word);
	strcpy(v->old[v->n_old].value, old);
	v->n_old++;
	return setting_parse(v->settings, word, value, e);
}

static int
words_apply(struct variant *v, struct run *r, const char *text, struct err *e)
{
	char words[LOCKSTEP_NAME], *rest = NULL, *word;
	int ret = 0;

	if (strlen(text) >= sizeof(words))
		return err_set(e, EINVAL, "variant \"%.32s...\": expected at most %zu bytes", text,
			sizeof(words) - 1);
	strcpy(words, text);
	word = strtok_r(words, ",", &rest);
	v->engine = word != NULL ? run_engine(r, word) : NULL;
	if (v->engine == NULL)
		return err_set(e, EINVAL,
			"variant \"%s\": no such engine: expected ENGINE[,SETTING=VALUE]...", text);
	while (ret == 0 && (word = strtok_r(NULL, ",", &rest)) != NULL)
		ret = setting_apply(v, text, word, e);
	return ret;
}

int
variant_open(struct variant *v, struct run *r, const char *text, bool cycles, struct err *e)
{
	int ret;

	*v = (struct variant){ .settings = r->settings };
	ret = words_apply(v, r, text, e);
	if (ret != 0)
		goto fail_words;
	ret = run_plan(r, v->engine, &v->plan, e);
	if (ret != 0)
		goto fail_words;
	v->streams = streams_make(r, v->engine, &v->plan, e);
	if (v->streams == NULL) {
		ret = -e->code;
		goto fail_plan;
	}
	if (v->streams[0]->feed != NULL)
		ret = recycle_named_apply(&r->recycle, v->streams, v->plan.n_streams, e);
	if (ret != 0)
		goto fail_streams;
	for (unsigned int i = 0; i < v->plan.n_streams; i++) {
		v->streams[i]->record =
			setting_on(r->settings, "record-burst-stats") ? STREAM_RECORD_BURSTS : 0;
		v->streams[i]->timed = cycles || setting_on(r->settings, "record-core-cycles")
			? STREAM_TIMED_ALL
			: 0;
	}
	return 0;
fail_streams:
	streams_finish(v->streams, v->plan.n_streams);
	streams_free(v->streams, v->plan.n_streams);
fail_plan:
	plan_free(&v->plan);
fail_words:
	old_restore(v);
	return ret;
}

void
variant_turn(const struct variant *v)
{
	static const atomic_bool stop = true; /* one turn */

	engine_loop_of(v->streams[0])(v->streams, v->plan.n_streams, &stop);
}

void
variant_choose(const struct variant *v)
{
	for (unsigned int i = 0; i < v->plan.n_streams; i++) {
		struct recycle_pairs *p = v->streams[i]->feed != NULL
			? atomic_load(&v->streams[i]->feed->published)
			: NULL;

		if (p == NULL || p->sent == NULL)
			continue;
		recycle_look(p, p->traffic.next);
		p->traffic.next = UINT64_MAX;
	}
}

__rte_noinline void
variant_turns_profiled(const struct variant *v, uint32_t turns)
{
	for (uint32_t i = 0; i < turns; i++)
		variant_turn(v);
}

struct variant_count
variant_count(const struct variant *v)
{
	const bool makes = (v->engine->flags & (ENGINE_MAKES | ENGINE_NO_RX)) != 0;
	struct variant_count n = { 0 };

	for (unsigned int i = 0; i < v->plan.n_streams; i++) {
		const struct stream_count *c = &v->streams[i]->count;

		/* As extbuf in mode storage: it creates packets although other modes receive. */
		n.packets += counter_read(makes || counter_read(&c->rx) == 0 ? &c->made : &c->rx);
		n.tx_short += counter_read(&c->tx_dropped) + counter_read(&c->tx_retried);
		n.busy_cycles += counter_read(&c->busy_cycles);
	}
	return n;
}

void
variant_close(struct variant *v, struct nics_account *account)
{
	streams_finish(v->streams, v->plan.n_streams);
	for (unsigned int i = 0; i < v->plan.n_streams; i++)
		nics_account_add(account, v->streams[i]);
	streams_free(v->streams, v->plan.n_streams);
	plan_free(&v->plan);
	old_restore(v);
}
