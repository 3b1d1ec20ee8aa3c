/* SPDX-License-Identifier: MIT */
/*
 * Closed forms, those beyond test_sim.c: what is only read or only local costs no transfer, the laws
 * of a saturated line in combination, the queue, and that no time is lost in the account.
 */
#include "sim_fixture.h"

#define L   50.0  /* of plain(): a hand-over inside a socket, */
#define FAR 130.0 /* across, */
#define E   5.0	  /* and an atomic that hits */

static struct sim_result predict(const struct sim_profile *p, const char *experiment, int nr,
				 const char *sets)
{
	struct err err = ERR_INIT;
	struct sim_result r;

	assert_ok(run(p, experiment, "cores-first", nr, sets, &r, &err), &err);
	return r;
}

/* ---------------------------------------------------------------------- looking ahead */

/* ns that each hand-over takes of two that seldom meet */
static double hand_over_ns(int64_t ahead_ps)
{
	struct sim_costs c = plain();
	struct sim_profile *p;
	struct sim_result r;

	c.ahead_ps = ahead_ps;
	p = make(two_sockets, &c);
	r = predict(p, "contended_line", 2, "op=fetch_add,work_ns=5000");
	sim_profile_free(p);
	return r.time.transfers / (2.0 * r.simulated_ps) * r.ns_per_op / r.transfers_per_op;
}

/* it costs what the core could not ask for ahead of its turn; the atomic it does then, always. Some
 * meet all the same */
static void what_was_asked_for_ahead_costs_nothing(void **state)
{
	assert_near(hand_over_ns(0), L, 0.01);
	assert_near(hand_over_ns(30000), L - 30, 0.05);
	assert_near(hand_over_ns(60000), E, 0.1);
}

/* two that do nothing else have nothing to look over: the line serves at its own pace */
static void a_saturated_line_is_no_faster_for_it(void **state)
{
	struct sim_costs c = plain();
	struct sim_profile *p;

	c.ahead_ps = 1000000;
	p = make(two_sockets, &c);
	assert_near(total_ns(p, 2, "op=fetch_add"), L, 0.01);
	assert_near(total_ns(p, 12, "op=fetch_add"), L, 0.01);
	sim_profile_free(p);
}

/*
 * A request charges three counters, gives back what is over the batch, and reads usage against
 * high: 9 atomics. Reading usage has to wait for the atomic on it; reading max beside it has not,
 * and brings that line twice.
 */
static void what_the_atomic_changes_is_not_read_ahead(void **state)
{
	static const char aligned[] = "slot_layout=single,batch=8,layout=aligned_2022_test",
			  packed[] = "slot_layout=single,batch=8,layout=packed_5_19";
	struct sim_costs c = plain();
	struct sim_profile *p;

	c.ahead_ps = 60000;
	p = make(two_sockets, &c);
	assert_near(predict(p, "memcg_stock", 2, aligned).transfers_per_op, 9, 0.02);
	assert_near(predict(p, "memcg_stock", 2, packed).transfers_per_op, 12, 0.02);
	sim_profile_free(p);
}

/* ------------------------------------------------------------------- no transfers */

/* fields on lines of their own: everybody runs at the price of a hit, whatever N and wherever */
static void what_nobody_shares_is_local(void **state)
{
	static const int workers[] = {1, 2, 18, 36};
	struct sim_costs c = plain();
	struct sim_profile *p = make(two_sockets, &c);
	struct sim_result r;
	size_t i;

	for (i = 0; i < sizeof(workers) / sizeof(workers[0]); i++) {
		r = predict(p, "false_sharing", workers[i], "distance=64,op=add");
		assert_near(r.ns_per_op, E, 0.001);
		assert_true(r.transfers_per_op == 0 && r.time.queueing == 0);
		assert_true(r.time.transfers == 0 && r.time.hits > 0);
	}
	sim_profile_free(p);
}

/* what a full stock serves: the counters are reached once by each worker, to fill it, and no more */
static void a_stock_that_serves_all_is_local(void **state)
{
	static const char sets[] = "pattern=stream,burst=30,batch=64,depth=3";
	struct sim_costs c = plain();
	struct sim_profile *p = make(two_sockets, &c);
	struct sim_result one = predict(p, "memcg_stock", 1, sets),
			  all = predict(p, "memcg_stock", 36, sets);
	uint64_t transfers = 0;
	int i;

	for (i = 0; i < all.nr_lines; i++)
		transfers += all.line[i].transfers;
	/* of each level: usage twice, max beside protection, parent, css.parent on the way to high */
	assert_true(transfers > 0 && transfers <= 36 * 3 * 6);
	assert_true(all.nr_accesses > 1000 * transfers / 36);
	assert_near(all.ns_per_op, one.ns_per_op, 0.05);
	sim_profile_free(p);
}

/*
 * Over the threshold and never flushed, the guarded count is only read: by every CPU after each two
 * of its updates (batch=1), on one line, and yet it is never transferred again.
 */
static void what_is_only_read_is_not_transferred(void **state)
{
	static const char *const sets[] = {
		"rule=global_guarded,cpus=1,batch=1,flush_every=0",
		"rule=hierarchical_guarded,cpus=1,batch=1,flush_every=0"};
	struct sim_costs c = plain();
	struct sim_profile *p = make(two_sockets, &c);
	struct sim_result one, all, written;
	size_t i;

	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		one = predict(p, "vmstats_flush", 1, sets[i]);
		all = predict(p, "vmstats_flush", 36, sets[i]);
		assert_true(all.transfers_per_op == 0 && all.time.transfers == 0 &&
			    all.time.queueing == 0);
		assert_near(all.ns_per_op, one.ns_per_op, 0.01);
	}
	/* the same count, written: not for want of sharing */
	written = predict(p, "vmstats_flush", 36,
			  "rule=global_unconditional,cpus=1,batch=1,flush_every=0");
	assert_true(written.transfers_per_op > 0.4 && written.ns_per_op > 100 * one.ns_per_op);
	sim_profile_free(p);
}

/* -------------------------------------------------------------------- transfers */

/* two that alternate, with the two atomics that a line costs, whichever way round they are placed */
static void an_operation_of_two_is_one_transfer(void **state)
{
	static const char *const ops[] = {"op=fetch_add", "op=xchg"};
	struct sim_costs c = plain();
	struct sim_profile *p = make(two_sockets, &c);
	struct err err = ERR_INIT;
	struct sim_result r;
	size_t i;

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		r = predict(p, "contended_line", 2, ops[i]);
		assert_near(r.transfers_per_op, 1, 0.001);
		assert_near(r.ns_per_op, 2 * L, 0.01);
		assert_ok(run(p, "contended_line", "cross-socket", 2, ops[i], &r, &err), &err);
		assert_near(r.transfers_per_op, 1, 0.001);
		assert_near(r.ns_per_op, 2 * FAR, 0.01);
	}
	sim_profile_free(p);
}

/* s = L / (1 + w L / e): grows with L, and never above e / w */
static void however_far_a_line_serves_at_e_over_w(void **state)
{
	static const int64_t transfers[] = {20000, 100000, 500000, 5000000};
	struct sim_costs c = plain();
	struct sim_profile *p;
	double s, before = 0;
	size_t i;

	c.visit = 0.116;
	for (i = 0; i < sizeof(transfers) / sizeof(transfers[0]); i++, before = s) {
		c.cluster = c.node = c.socket = transfers[i];
		p = make(two_sockets, &c);
		s = total_ns(p, 12, "op=fetch_add");
		assert_true(s > before && s < 1.01 * E / c.visit);
		sim_profile_free(p);
	}
	assert_near(s, E / c.visit, 0.05);
}

/* both at once: s = Lm / (1 + w Lm / e) with Lm = L + (far - L) / B */
static void visits_and_batches_go_together(void **state)
{
	static const int batches[] = {2, 4, 16};
	struct sim_costs c = plain();
	struct sim_profile *p;
	double mean;
	size_t i;

	c.visit = 0.116;
	for (i = 0; i < sizeof(batches) / sizeof(batches[0]); i++) {
		c.batch = batches[i];
		p = make(two_sockets, &c);
		mean = L + (FAR - L) / batches[i];
		assert_near(total_ns(p, 36, "op=fetch_add"), mean / (1 + c.visit * mean / E), 0.05);
		sim_profile_free(p);
	}
}

/* the home executes: far_ps each when saturated, else two legs and the service */
static void far_atomics_are_served_at_the_home(void **state)
{
	struct sim_costs c = plain();
	struct sim_profile *p;

	c.far_ps = 10000;
	p = make(two_sockets, &c);
	assert_near(total_ns(p, 18, "op=fetch_add"), 10, 0.01);
	assert_near(total_ns(p, 2, "op=fetch_add"), (L + 10) / 2, 0.02);
	assert_near(total_ns(p, 4, "op=fetch_add,work_ns=500"), (500 + L + 10) / 4, 0.02);
	sim_profile_free(p);
}

/* --------------------------------------------------------------------- the queue */

/* T(N) = max(s, (Z + L + e) / N): to either side of the knee N* = (Z + L + e) / s, and at it */
static void the_knee_is_where_demand_meets_service(void **state)
{
	static const double z = 400;
	struct sim_costs c = plain();
	struct sim_profile *p = make(two_sockets, &c);
	double knee = (z + L + E) / L, form, t;
	int n;

	for (n = 2; n <= 18; n++) {
		t = total_ns(p, n, "op=fetch_add,work_ns=400");
		form = fmax(L, (z + L + E) / n);
		/* who meets by chance waits, so the curve is over the form, most at the knee */
		assert_true(t > 0.985 * form);
		assert_true(t < (fabs(n - knee) < 3 ? 1.15 : 1.04) * form);
	}
	sim_profile_free(p);
}

/* W(N) = N T(N) - Z: above the knee each CPU more waits for one service more */
static void the_wait_is_linear_in_n(void **state)
{
	static const int workers[] = {6, 9, 12, 15, 18};
	struct sim_costs c = plain();
	struct sim_profile *p = make(two_sockets, &c);
	struct sim_result r;
	double wait, before = 0;
	size_t i;

	for (i = 0; i < sizeof(workers) / sizeof(workers[0]); i++, before = wait) {
		r = predict(p, "contended_line", workers[i], "op=fetch_add,work_ns=100");
		wait = r.ns_per_op - 100;
		assert_near(wait, workers[i] * L - 100, 0.04);
		if (i)
			assert_near(wait - before, 3 * L, 0.06);
	}
	sim_profile_free(p);
}

/* all of a CPU's time is work, hits, transfers, queueing or the rest of an operation */
static void no_time_is_lost_in_the_account(void **state)
{
	static const char *const cases[][2] = {
		{"contended_line", "work_ns=2000"},
		{"contended_line", "op=load_cmpxchg"},
		{"page_counter", "layout=packed_5_19,batch=4,depth=6"},
		{"vmstats_flush", "rule=hierarchical,flush_every=500"},
		{"sk_forward_alloc", "receiver=other_cpu"},
	};
	struct sim_profile *p = builtin("icx-8380");
	struct sim_result r;
	int64_t sum;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r = predict(p, cases[i][0], 16, cases[i][1]);
		sum = r.time.work + r.time.hits + r.time.transfers + r.time.queueing + r.time.other;
		assert_near(sum, 16.0 * r.simulated_ps, 0.02);
	}
	sim_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_asked_for_ahead_costs_nothing),
		cmocka_unit_test(a_saturated_line_is_no_faster_for_it),
		cmocka_unit_test(what_the_atomic_changes_is_not_read_ahead),
		cmocka_unit_test(what_nobody_shares_is_local),
		cmocka_unit_test(a_stock_that_serves_all_is_local),
		cmocka_unit_test(what_is_only_read_is_not_transferred),
		cmocka_unit_test(an_operation_of_two_is_one_transfer),
		cmocka_unit_test(however_far_a_line_serves_at_e_over_w),
		cmocka_unit_test(visits_and_batches_go_together),
		cmocka_unit_test(far_atomics_are_served_at_the_home),
		cmocka_unit_test(the_knee_is_where_demand_meets_service),
		cmocka_unit_test(the_wait_is_linear_in_n),
		cmocka_unit_test(no_time_is_lost_in_the_account),
	};

	return run_tests(tests);
}
