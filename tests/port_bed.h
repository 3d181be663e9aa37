/* A bed for tests of ports: EAL in the process, one embedded port with traffic on demand, answers caught as text. */
#pragma once

#include "err.h"
#include "out.h"
#include "port.h"

struct bed {
	struct out *out;
	struct settings *settings;
	struct ports ports;
	struct rte_mempool *pool;
	FILE *results, *failures;
	char *text, *failed; /* what bed_text() and bed_failed() give */
	size_t n_text, n_failed;
};

/*
 * Bring EAL up with net_null0, address 02:00:00:00:00:01, as port 0 with one queue each way, configured and started.
 * For cmocka_run_group_tests(): *state is the struct bed. Returns 0, or -1 with the reason on stderr.
 */
int bed_setup(void **state);
int bed_teardown(void **state);

/* What went to the results and to the failures since the last call of the same; good until the next. */
const char *bed_text(struct bed *b);
const char *bed_failed(struct bed *b);

/*
 * Counters that port 0 then has instead of its own: n packets of 64 bytes received, a third of them sent, and a few of
 * each failure. ret: what reading them returns.
 */
void bed_counters(uint64_t n, int ret);

/* The port's own counters again, at zero; its rates and other readings forgotten. */
void bed_fresh(struct bed *b);

/* One answer of the program about port 0. */
struct bed_case {
	int (*show)(struct ports *ps, uint16_t id, struct err *e);
	bool fake;        /* what *fake is meanwhile */
	const char *text; /* the whole answer */
	const char *json; /* the same as JSON, behind "ok": true; NULL: not compared */
	int ret;
	const char *failed; /* the failure's text */
};

/* Assert that each answer is the text and the failure that its case wants. */
void bed_cases_text(struct bed *b, const struct bed_case *cases, size_t n, bool *fake);

/* Assert the same for the answers as JSON that do not fail. */
void bed_cases_json(struct bed *b, const struct bed_case *cases, size_t n, bool *fake);

/* Assert that each fails for a port that is not there, and shows nothing. */
void bed_cases_missing(struct bed *b, const struct bed_case *cases, size_t n);
