/* SPDX-License-Identifier: MIT */
/* Every line that a prediction blames has the names of its fields. */
#include "sim_fixture.h"

#define ACCESSES 12000 /* enough for every line of four workers to be met by a second one */

/* runs what the experiment does not refuse; returns how many lines were looked at */
static int lines_have_names(const struct sim_profile *p, const char *experiment, const char *sets)
{
	bool pairs = !strcmp(experiment, "core_to_core"); /* polls between any two operations */
	struct sim_config config = {.max_accesses = pairs ? 5 * ACCESSES : ACCESSES};
	struct err err = ERR_INIT;
	struct sim_result r;
	int i, workers = pairs ? 2 : 4, rc;

	rc = run_as(config, p, experiment, "scatter", workers, sets, &r, &err);
	if (rc == -EINVAL)
		return 0;
	if (rc)
		fail_msg("%s %s: %s", experiment, sets, err.msg);
	for (i = 0; i < r.nr_lines; i++)
		if (!*r.line[i].fields)
			fail_msg("%s %s: the line at %lld has no name, %d of %d", experiment, sets,
				 (long long)r.line[i].offset, i, r.nr_lines);
	return r.nr_lines;
}

/* "layout=v6_15": a choice by its index, of a range its ends */
static const char *set_of(const struct param *q, int64_t i, char *buf, size_t size)
{
	char value[40];

	snprintf(buf, size, "%s=%s", q->name,
		 param_text(q,
			    q->choices ? i
			    : i	       ? q->max
				       : q->min,
			    value, sizeof(value)));
	return buf;
}

static int64_t nr_values(const struct param *q)
{
	return q->choices ? q->max + 1 : 2;
}

/* each value of each parameter, choices also with those of every other choice */
static void every_line_that_is_waited_for_has_a_name(void **state)
{
	struct sim_profile *p = builtin("clx-2s18c");
	const struct experiment *const *e;
	const struct param *a, *b;
	char one[80], other[80], both[170];
	int64_t i, k;
	int nr;

	for (e = experiments; *e; e++) {
		if (!(*e)->describe)
			fail_msg("%s names no fields", (*e)->name);
		nr = lines_have_names(p, (*e)->name, "");
		for (a = (*e)->params; a->name; a++)
			for (i = 0; i < nr_values(a); i++)
				nr += lines_have_names(p, (*e)->name,
						       set_of(a, i, one, sizeof(one)));
		for (a = (*e)->params; a->name; a++) {
			for (b = a + 1; b->name && a->choices; b++) {
				if (!b->choices)
					continue;
				for (i = 0; i < nr_values(a) * nr_values(b); i++) {
					k = i / nr_values(a);
					set_of(a, i % nr_values(a), one, sizeof(one));
					set_of(b, k, other, sizeof(other));
					snprintf(both, sizeof(both), "%s,%s", one, other);
					nr += lines_have_names(p, (*e)->name, both);
				}
			}
		}
		assert_true(nr > 0);
	}
	sim_profile_free(p);
}

/* the fields of the worst lines of @sets, one after another */
static void blamed(const char *experiment, const char *sets, char *text, size_t size)
{
	struct sim_profile *p = builtin("clx-2s18c");
	struct err err = ERR_INIT;
	struct sim_result r;
	size_t len = 0;
	int i;

	*text = 0;
	assert_ok(run(p, experiment, "cores-first", 4, sets, &r, &err), &err);
	for (i = 0; i < r.nr_lines && len < size; i++)
		len += snprintf(text + len, size - len, "%s|", r.line[i].fields);
	sim_profile_free(p);
}

static void assert_blamed(const char *text, const char *field)
{
	if (!strstr(text, field))
		fail_msg("'%s' is not among '%s'", field, text);
}

/* what is blamed is what is fought for: level by level, CPU by CPU */
static void names_say_whose_field_of_which_level(void **state)
{
	char text[4000];

	blamed("memcg_stock", "blocks=packed,slot_layout=per_counter", text, sizeof(text));
	assert_blamed(text, "stock[3].nr_pages");
	assert_blamed(text, "0:usage");
	assert_blamed(text, "2:usage");
	blamed("memcg_stock", "remote_drain=1,slot_layout=seven_wide", text, sizeof(text));
	assert_blamed(text, "stock[3].lock stock[3].nr_pages stock[3].cached");
	assert_blamed(text, "stock[3].cached|");
	assert_blamed(text, "stock[3].flags");
	blamed("memcg_stock", "pattern=producer_consumer", text, sizeof(text));
	assert_blamed(text, "worker[0].handed_on");
	assert_blamed(text, "worker[1].taken_over");
	blamed("vmstats_flush", "rule=global_unconditional,batch=1", text, sizeof(text));
	assert_true(strstr(text, "stats_flush_threshold") == text);
	blamed("vmstats_flush", "rule=hierarchical,batch=1,cpus=8192", text, sizeof(text));
	assert_blamed(text, "0:vmstats.state_pending 0:vmstats.stats_updates");
	assert_blamed(text, "2:vmstats.state_pending 2:vmstats.stats_updates");
	blamed("vmstats_flush", "flush_every=50", text, sizeof(text));
	assert_blamed(text, "cpu[3].0:state");
	blamed("sk_forward_alloc", "reserve=shared,receiver=other_cpu", text, sizeof(text));
	assert_true(strstr(text, "memory_allocated") == text);
	assert_blamed(text, "worker[2].socket[0].sk_forward_alloc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_line_that_is_waited_for_has_a_name),
		cmocka_unit_test(names_say_whose_field_of_which_level),
	};

	return run_tests(tests);
}
