/* Faults: words, beginnings and ends. Time is the test's. */
/* SPDX-License-Identifier: BSD-3-Clause */
#include "fixtures/unit.h"
#include "pmd_shims/drivers/model_nic/fault.h"
#include "pmd_shims/drivers/model_nic/model_nic.h"

#include <stdio.h>
#include <string.h>

static struct faults faults;
static struct model fixture;
static struct model_nic_report report;
static char told[64]; /* what the model was asked for, a letter each */

static void
tell(char letter)
{
	size_t n = strlen(told);

	assert_true(n + 1 < sizeof(told));
	told[n] = letter;
}

void
model_ask(struct model *m, enum model_ask what)
{
	assert_ptr_equal(m, &fixture);
	tell(what == MODEL_LINK_UP                ? 'u'
			: what == MODEL_LINK_DOWN ? 'd'
			: what == MODEL_ANNOUNCE  ? 'a'
						  : 'r');
}

static int
set_up(void **state)
{
	memset(&faults, 0, sizeof(faults));
	memset(&report, 0, sizeof(report));
	memset(told, 0, sizeof(told));
	return 0;
}

static void
ask(const char *words)
{
	struct fault f;

	assert_true(fault_parse(words, &f));
	faults_ask(&faults, &f);
}

static void
poll_at(uint64_t now_ms)
{
	faults_poll(&faults, &fixture, now_ms * 1000 * 1000, &report);
}

TEST(words_are_read)
{
	static const struct {
		const char *words;
		enum fault_kind kind;
		uint64_t amount;
	} rows[] = {
		{ "link down 1", FAULT_LINK, 1 },
		{ "link down 3600000", FAULT_LINK, 3600000 },
		{ "stall tx 20", FAULT_STALL, 20 },
		{ "starve rx 007", FAULT_STARVE, 7 },
		{ "error 1", FAULT_ERROR, 1 },
		{ "oversize 1000000000", FAULT_OVERSIZE, 1000000000 },
		{ "jumbo 5", FAULT_JUMBO, 5 },
		{ "reset", FAULT_RESET, 1 },
	};
	struct fault f;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(fault_parse(rows[i].words, &f));
		assert_int_equal(f.kind, rows[i].kind);
		assert_int_equal(f.amount, rows[i].amount);
	}
}

TEST(other_words_are_refused)
{
	static const char *const rows[] = { "", " ", "link", "link down", "link down ",
		"link down 0", "link down 3600001", "link down 5 ", "link down 5ms", "link up 5",
		"link  down 5", " link down 5", "stall rx 5", "starve tx 5", "stall tx -5",
		"error 0", "error 1000000001", "error 99999999999999999999", "errors 5", "error5",
		"oversize", "jumbo x", "reset 1", "reset ", "resets", "RESET" };
	struct fault f;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (fault_parse(rows[i], &f))
			fail_msg("\"%s\" was understood", rows[i]);
}

TEST(asked_again_time_starts_again)
{
	ask("stall tx 10");
	poll_at(100);
	ask("stall tx 10");
	poll_at(108);
	poll_at(112);
	assert_true(faults_last(&faults, FAULT_STALL));
	poll_at(118);
	assert_false(faults_last(&faults, FAULT_STALL));
	assert_int_equal(report.faults_stall, 2);
	assert_int_equal(report.faults, 2);
	assert_string_equal(told, "");
}

TEST(packets_add_up)
{
	ask("error 5");
	ask("error 6");
	ask("oversize 7");
	poll_at(1);
	ask("error 10");
	ask("jumbo 3");
	poll_at(2);
	assert_int_equal(faults.packets[FAULT_ERROR], 21);
	assert_int_equal(faults.packets[FAULT_OVERSIZE], 7);
	assert_int_equal(faults.packets[FAULT_JUMBO], 3);
	assert_false(faults_busy(&faults));
	assert_int_equal(report.faults_error, 2); /* the first two came in one poll */
	assert_int_equal(report.faults_oversize, 1);
	assert_int_equal(report.faults_jumbo, 1);
	assert_int_equal(report.faults, 4);
}

TEST(all_at_once)
{
	ask("link down 5");
	ask("stall tx 10");
	ask("starve rx 20");
	ask("reset");
	assert_true(faults_busy(&faults));
	poll_at(50);
	assert_true(faults_last(&faults, FAULT_LINK));
	poll_at(54);
	assert_string_equal(told, "da"); /* the link is down, a reset announced */
	poll_at(55);
	assert_string_equal(told, "dau");
	assert_false(faults_last(&faults, FAULT_LINK));
	assert_true(faults_last(&faults, FAULT_STALL));
	poll_at(60);
	assert_false(faults_last(&faults, FAULT_STALL));
	assert_true(faults_last(&faults, FAULT_STARVE));
	poll_at(149);
	assert_string_equal(told, "dau");
	poll_at(150);
	poll_at(1000);
	assert_string_equal(told, "daur");
	assert_false(faults_last(&faults, FAULT_STARVE));
	assert_false(faults_busy(&faults));
	assert_int_equal(report.faults, 4);
	assert_int_equal(report.faults_link, 1);
	assert_int_equal(report.faults_reset, 1);
}

TESTS(.before = set_up);
