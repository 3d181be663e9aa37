/* The measuring loop of lockstep: batches of engine turns, timed; steps of the model, not timed; variants taking turns. */
#include "lockstep.h"

#include "engine.h"
#include "err.h"
#include "plan.h"
#include "run.h"
#include "setting.h"
#include "streams.h"

#include <rte_cycles.h>

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 2, STEPS_MAX = 64, LINE = 64, SETTINGS_MAX = 4 };

struct variant {
	const struct engine *engine;
	struct plan plan;
	struct stream **streams;
	double *cycles; /* per packet, of each batch that counts */
	size_t n_cycles;
	double *median; /* of each sample */
};

static int
find_step(struct dl_phdr_info *info, size_t size, void *found)
{
	void *object = info->dlpi_name[0] != '\0' ? dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD)
						  : NULL;
	void *step = object != NULL ? dlsym(object, "model_nic_step") : NULL;

	if (step != NULL)
		memcpy(found, &step, sizeof(step));
	if (object != NULL)
		dlclose(object);
	return step != NULL;
}

lockstep_step *
lockstep_model(void)
{
	const char *mode = getenv("MODEL_NIC_MODE");
	lockstep_step *step = NULL;

	dl_iterate_phdr(find_step, &step);
	return mode != NULL && strcmp(mode, "step") == 0 ? step : NULL;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* values is sorted by it. */
static double
quantile(double *values, size_t n, double q)
{
	qsort(values, n, sizeof(*values), compare);
	return n > 0 ? values[(size_t)(q * (double)(n - 1))] : 0;
}

static void
evict(volatile uint8_t *memory, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += LINE)
		memory[i]++;
}

static uint64_t
packets(const struct variant *v, uint64_t *dropped)
{
	uint64_t n = 0;

	*dropped = 0;
	for (unsigned int i = 0; i < v->plan.n_routes; i++) {
		n += counter_read(&v->streams[i]->count.rx);
		*dropped += counter_read(&v->streams[i]->count.tx_dropped);
	}
	return n;
}

/* One batch; cycles per packet, 0: starved. */
static double
batch(const struct variant *v, const struct lockstep_plan *p, volatile uint8_t *memory,
	lockstep_step *step)
{
	const uint64_t want = (uint64_t)p->rounds * v->plan.n_routes * v->streams[0]->burst;
	const atomic_bool stop = true; /* one turn of each stream */
	uint64_t dropped, before = packets(v, &dropped), begin, cycles;

	evict(memory, (size_t)p->evict_kib << 10);
	begin = rte_rdtsc_precise();
	for (uint32_t i = 0; i < p->rounds; i++)
		v->engine->loop(v->streams, v->plan.n_routes, &stop);
	cycles = rte_rdtsc_precise() - begin;
	for (unsigned int i = 0; i < STEPS_MAX && step() > 0; i++)
		;
	return packets(v, &dropped) - before == want ? (double)cycles / (double)want : 0;
}

static void
sample(struct variant *v, const struct lockstep_plan *p, uint32_t number, volatile uint8_t *memory,
	lockstep_step *step, struct lockstep_result *result)
{
	size_t first = v->n_cycles;
	double *copy;

	for (uint32_t i = 0; i < p->batches; i++) {
		double cycles = batch(v, p, memory, step);

		if (i < WARM_UP)
			continue;
		if (cycles > 0)
			v->cycles[v->n_cycles++] = cycles;
		else
			result->starved++;
	}
	copy = calloc(p->batches, sizeof(*copy));
	if (copy != NULL) {
		memcpy(copy, v->cycles + first, (v->n_cycles - first) * sizeof(*copy));
		v->median[number] = quantile(copy, v->n_cycles - first, 0.5);
		free(copy);
	}
}

/* A setting of a variant: put into the store, where the engine's init() finds it; and what it was before. */
struct changed {
	char name[LOCKSTEP_NAME], before[LOCKSTEP_NAME];
};

static int
setting_change(struct run *r, char *word, struct changed *c, struct err *e)
{
	char *value = strchr(word, '='), buf[LOCKSTEP_NAME];

	if (value == NULL)
		return err_set(e, EINVAL, "\"%s\": want SETTING=VALUE", word);
	*value++ = '\0';
	if (setting_find(r->settings, word) == NULL)
		return err_set(e, ENOENT, "\"%s\": no such setting", word);
	snprintf(c->name, sizeof(c->name), "%s", word);
	snprintf(c->before, sizeof(c->before), "%s",
		setting_word(r->settings, word, buf, sizeof(buf)));
	return setting_parse(r->settings, word, value, e);
}

/* Streams of "ENGINE[,SETTING=VALUE]..." */
static int
variant_streams(struct run *r, const char *text, struct variant *v, struct err *e)
{
	char words[LOCKSTEP_NAME], *rest = NULL, *word;
	struct changed changed[SETTINGS_MAX];
	unsigned int n = 0;
	int ret = 0;

	if (strlen(text) >= sizeof(words))
		return err_set(e, EINVAL, "variant \"%.32s...\": want at most %zu bytes", text,
			sizeof(words) - 1);
	strcpy(words, text);
	word = strtok_r(words, ",", &rest);
	v->engine = word != NULL ? run_engine(r, word) : NULL;
	if (v->engine == NULL)
		return err_set(e, EINVAL, "variant \"%s\": want ENGINE[,SETTING=VALUE]...", text);
	while (ret == 0 && n < SETTINGS_MAX && (word = strtok_r(NULL, ",", &rest)) != NULL)
		ret = setting_change(r, word, &changed[n++], e);
	if (ret == 0)
		ret = run_plan(r, v->engine, &v->plan, e);
	if (ret == 0)
		v->streams = streams_make(r, v->engine, &v->plan, e);
	while (n-- > 0)
		setting_parse(r->settings, changed[n].name, changed[n].before, NULL);
	return ret != 0 ? ret : v->streams != NULL ? 0 : -e->code;
}

static int
variant_open(struct run *r, const struct lockstep_plan *p, const char *text, struct variant *v,
	struct err *e)
{
	int ret = variant_streams(r, text, v, e);

	if (ret != 0)
		return ret;
	v->cycles = calloc((size_t)p->samples * p->batches, sizeof(*v->cycles));
	v->median = calloc(p->samples, sizeof(*v->median));
	return v->cycles != NULL && v->median != NULL
		? 0
		: err_set(e, ENOMEM, "no memory for the figures of %s", text);
}

static void
variant_close(struct variant *v)
{
	streams_free(v->streams, v->plan.n_routes);
	plan_free(&v->plan);
	free(v->cycles);
	free(v->median);
}

static void
conclude(struct variant *v, const struct variant *first, uint32_t samples,
	struct lockstep_result *result)
{
	double *ratios = calloc(samples, sizeof(*ratios));
	size_t n = 0;

	packets(v, &result->dropped);
	result->batches = v->n_cycles;
	result->p5 = quantile(v->cycles, v->n_cycles, 0.05);
	result->median = quantile(v->cycles, v->n_cycles, 0.5);
	result->p90 = quantile(v->cycles, v->n_cycles, 0.9);
	for (uint32_t i = 0; ratios != NULL && i < samples; i++)
		if (first->median[i] > 0 && v->median[i] > 0)
			ratios[n++] = v->median[i] / first->median[i];
	if (n > 0) {
		result->ratio = quantile(ratios, n, 0.5);
		result->ratio_low = quantile(ratios, n, 0.25);
		result->ratio_high = quantile(ratios, n, 0.75);
	}
	free(ratios);
}

int
lockstep_measure(struct run *r, const struct lockstep_plan *p, char *const *variant, unsigned int n,
	struct lockstep_result *result, struct err *e)
{
	volatile uint8_t *memory = calloc(1, ((size_t)p->evict_kib << 10) + LINE);
	struct variant v[LOCKSTEP_VARIANTS] = { 0 };
	lockstep_step *step = lockstep_model();
	int ret = 0;

	if (step == NULL)
		ret = err_set(e, ENODEV,
			"no modelled NIC: want -d model_nic.so and MODEL_NIC_MODE=step");
	if (ret == 0 && memory == NULL)
		ret = err_set(e, ENOMEM, "no %u KiB of memory to evict caches with", p->evict_kib);
	for (unsigned int i = 0; i < n && ret == 0; i++) {
		memset(&result[i], 0, sizeof(result[i]));
		ret = variant_open(r, p, variant[i], &v[i], e);
		if (ret == 0)
			strcpy(result[i].name, variant[i]);
	}
	for (unsigned int i = 0; i < STEPS_MAX && ret == 0; i++)
		step();
	for (uint32_t s = 0; s < p->samples && ret == 0; s++)
		for (unsigned int i = 0; i < n; i++) /* each comes first as often as the others */
			sample(&v[(s + i) % n], p, s, memory, step, &result[(s + i) % n]);
	for (unsigned int i = 0; i < n && ret == 0; i++)
		conclude(&v[i], &v[0], p->samples, &result[i]);
	for (unsigned int i = 0; i < n; i++)
		variant_close(&v[i]);
	free((void *)(uintptr_t)memory);
	return ret;
}
