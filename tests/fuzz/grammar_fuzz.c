/* The grammar under any bytes: it answers, points into the line, and what it offers it takes. */
/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * With -fsanitize=fuzzer (and -DLIBFUZZER) a fuzzer; else a program that replays files and
 * mutations of them: grammar_fuzz [RUNS [FILE|FOLDER]...]
 */
#include "cmdline/grammar/grammar.h"

#include "base/base.h"
#include "base/err.h"
#include "cmdline/grammar/grammar_offer.h"
#include "fixtures/grammar_rows.h"
#include "fuzz/fuzz_check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_parse(const struct grammar *g, const char *line)
{
	size_t length = strlen(line);
	const struct cmd_row *row;
	struct args args;
	struct err e;
	unsigned int i;
	int ret;

	err_clear(&e);
	ret = grammar_parse(g, line, &row, &args, &e);
	CHECK(ret == -e.code);
	if (ret < 0) {
		CHECK(row == NULL && e.verdict != NULL && e.text[0] != '\0');
		CHECK(e.column >= -1 && e.column <= (int)length);
		CHECK(memchr(e.word, '\0', sizeof(e.word)) &&
			memchr(e.expected, '\0', sizeof(e.expected)));
		return;
	}
	CHECK(row != NULL || args.n == 0);
	CHECK(args.n <= ARGS_MAX);
	for (i = 0; i < args.n; i++) {
		CHECK(args.arg[i].column >= 0 && args.arg[i].column < (int)length);
		CHECK(args.arg[i].name != NULL && strlen(args.arg[i].text) < LINE_BYTES);
		CHECK(args.arg[i].list_n < LINE_BYTES);
	}
}

/* Putting an offered word in the place of what is typed must leave a line whose words all fit. */
static void
check_offers(const struct grammar *g, const char *line)
{
	struct offers o, next;
	size_t i;

	grammar_offer(g, line, &o);
	CHECK(o.prefix_at <= strlen(line));
	for (i = 0; i < o.n; i++) {
		char taken[LINE_BYTES + sizeof(o.items[i].word) + 2];

		CHECK(o.items[i].word[0] != '\0');
		if (o.items[i].hint || o.quoted || !o.items[i].final)
			continue;
		snprintf(taken, sizeof(taken), "%.*s%s", (int)o.prefix_at, line, o.items[i].word);
		if (strlen(taken) >= LINE_BYTES)
			continue;
		check_parse(g, taken);
		grammar_offer(g, taken, &next);
		CHECK(next.n > 0 || next.complete);
		offers_free(&next);
	}
	offers_free(&o);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e;
	struct grammar *g;
	char *line = malloc(size + 1);

	err_clear(&e);
	g = grammar_rows_new(&e);
	CHECK(g != NULL && line != NULL);
	memcpy(line, data, size);
	line[size] = '\0';
	check_parse(g, line);
	check_offers(g, line);
	grammar_free(g);
	free(line);
	return 0;
}

#ifndef LIBFUZZER
#define SEED_BYTES 8192
#define SEEDS_MAX 256

/* Lines to begin with. */
struct seeds {
	uint8_t *bytes[SEEDS_MAX];
	size_t length[SEEDS_MAX];
	size_t n;
};

static uint32_t
random_number(uint32_t *state, uint32_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state % below;
}

static void
seeds_add(struct seeds *s, const char *path)
{
	FILE *f = fopen(path, "rb");

	if (f == NULL || s->n == SEEDS_MAX)
		return;
	s->bytes[s->n] = malloc(SEED_BYTES);
	s->length[s->n] = fread(s->bytes[s->n], 1, SEED_BYTES, f);
	s->n++;
	fclose(f);
}

static void
seeds_add_all(struct seeds *s, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char file[4096];

	if (dir == NULL) {
		seeds_add(s, path);
		return;
	}
	while ((entry = readdir(dir)) != NULL) {
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		if (entry->d_name[0] != '.')
			seeds_add(s, file);
	}
	closedir(dir);
}

/* Change, take out, double or join bytes; returns the new length. */
static size_t
mutate(uint8_t *bytes, size_t n, const struct seeds *s, uint32_t *state)
{
	uint32_t times = random_number(state, 6);

	while (times-- > 0) {
		size_t at = n > 0 ? random_number(state, (uint32_t)n) : 0, other, more;

		switch (random_number(state, 4)) {
		case 0:
			if (n > 0)
				bytes[at] = (uint8_t)(1 + random_number(state, 255));
			break;
		case 1: n = at; break;
		case 2:
			more = (n - at < SEED_BYTES - n) ? n - at : SEED_BYTES - n;
			memmove(bytes + n, bytes + at, more);
			n += more;
			break;
		default:
			other = random_number(state, (uint32_t)s->n);
			more = s->length[other] < SEED_BYTES - at ? s->length[other]
								  : SEED_BYTES - at;
			memcpy(bytes + at, s->bytes[other], more);
			n = at + more;
			break;
		}
	}
	return n;
}

int
main(int argc, char **argv)
{
	unsigned long i, runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	static struct seeds s;
	static uint8_t bytes[SEED_BYTES];
	uint32_t state = 1;

	for (i = 2; i < (unsigned long)argc; i++)
		seeds_add_all(&s, argv[i]);
	if (s.n == 0)
		seeds_add(&s, "/dev/null");
	for (i = 0; i < s.n; i++)
		LLVMFuzzerTestOneInput(s.bytes[i], s.length[i]);
	for (i = 0; i < runs; i++) {
		size_t from = random_number(&state, (uint32_t)s.n);

		memcpy(bytes, s.bytes[from], s.length[from]);
		LLVMFuzzerTestOneInput(bytes, mutate(bytes, s.length[from], &s, &state));
	}
	printf("%zu seeds, %lu mutations\n", s.n, runs);
	for (i = 0; i < s.n; i++)
		free(s.bytes[i]);
	return 0;
}
#endif
