/* SPDX-License-Identifier: MIT */
/* Which spacing the report says a machine needs, from planted rates. */
#include "limit_fixture.h"

#define RATE 100e6

/* below @need the writers run at a tenth; @noise of single windows */
static void plant(struct results *r, const char *parity, int64_t need, double noise)
{
	uint64_t rng = 7 + need;
	int64_t distance;
	int block;

	for (distance = 0; distance <= 256; distance += 32) {
		add_case(r, "false_sharing", 2);
		add_param(r, "distance", distance, NULL);
		add_param(r, "pattern", 0, "writers");
		add_param(r, "parity", parity[0] == 'o', parity);
		add_param(r, "op", 0, "add");
		for (block = 0; block < 12; block++)
			add_window(r, block,
				   (distance < need ? 0.1 : 1) * RATE *
					   exp(noise * synth_normal(&rng)),
				   NULL, 0);
	}
}

static void says(struct results *r, const char *part)
{
	char *text = report_as(r, report_html),
	     *section = between(text, "id=\"spacing\"", "<table");

	check_all(r);
	assert_says(section, part);
	free(section);
	free(text);
}

static void lines_of_64_bytes(void **state)
{
	struct results *r = synth_record();

	plant(r, "even", 64, 0.004);
	says(r, "This machine needs 64-byte spacing: at 64 bytes 2 writers run at ");
	says(r,
	     "2 writers, op add, first field in an even line: 64 bytes. At 64 bytes they run at ");
	plant(r, "odd", 64, 0.004);
	says(r, "This machine needs 64-byte spacing");
	results_free(r);
}

/* C9: joined lines need 128 bytes, seen from the even line only */
static void pairs_of_lines(void **state)
{
	struct results *r = synth_record();

	plant(r, "odd", 64, 0.004);
	says(r, "The first field was in odd lines only");
	plant(r, "even", 128, 0.004);
	says(r, "This machine needs 128-byte spacing: at 128 bytes 2 writers run at ");
	says(r, "first field in an odd line: 64 bytes.");
	says(r, "first field in an even line: 128 bytes.");
	results_free(r);
}

static void no_sharing_at_all(void **state)
{
	struct results *r = synth_record();

	plant(r, "even", 0, 0.004);
	says(r, "even line: 0 bytes, the smallest measured.");
	results_free(r);
}

static void what_cannot_be_told(void **state)
{
	struct results *r = synth_record();
	int i;

	plant(r, "even", 256, 0.004);
	says(r, "Which spacing this machine needs: cannot tell.");
	says(r, "cannot tell, it gains up to 256 bytes, the largest measured.");
	results_free(r);
	/* noise of 40%: no larger distance surely gains, none surely does not */
	r = synth_record();
	plant(r, "even", 64, 0.4);
	says(r, "cannot tell, at least 64 bytes; more blocks");
	results_free(r);
	/* only what was measured at 64 is unsure */
	r = synth_record();
	plant(r, "even", 64, 0.004);
	for (i = 0; i < r->cases[2].nr_samples; i++)
		r->cases[2].samples[i].rate *= i & 1 ? 0.8 : 1.2;
	says(r, "cannot tell, 64 to 96 bytes; more blocks");
	results_free(r);
	/* too few windows for any interval */
	r = synth_record();
	plant(r, "even", 64, 0.004);
	synth_cut(r, 3);
	says(r, "cannot tell, at least 0 bytes");
	results_free(r);
}

static void one_worker_or_readers_are_no_pair(void **state)
{
	struct results *r = synth_record();
	char *text;
	int i;

	plant(r, "even", 64, 0.004);
	for (i = 0; i < r->nr_cases; i++)
		synth_set(&r->cases[i].params[1].text, "writer_reader");
	text = report_as(r, report_text);
	assert_silent(text, "spacing");
	free(text);
	results_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_64_bytes),
		cmocka_unit_test(pairs_of_lines),
		cmocka_unit_test(no_sharing_at_all),
		cmocka_unit_test(what_cannot_be_told),
		cmocka_unit_test(one_worker_or_readers_are_no_pair),
	};

	return run_tests(tests);
}
