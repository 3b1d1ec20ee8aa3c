/* SPDX-License-Identifier: MIT */
/* The order in which workers got the line, from constructed logs and from workers run by hand. */
#include "../bench/contended_line.c"
#include "../bench/ticket_log.c"
#include "by_hand.h"

static struct ticket_log logs[BY_HAND_WORKERS];
static const struct ticket_log *all[BY_HAND_WORKERS];
static int16_t owner[BY_HAND_WORKERS * TICKET_LOG_MAX];

/* "0001100": who got ticket @first, first + 1, ...; '.' nobody */
static void make_logs_of(const char *order, long first)
{
	int i;

	for (i = 0; i < BY_HAND_WORKERS; i++) {
		logs[i].nr = 0;
		all[i] = &logs[i];
	}
	for (i = 0; order[i]; i++)
		if (order[i] != '.')
			logs[order[i] - '0'].ticket[logs[order[i] - '0'].nr++] = first + i;
}

static struct visits visits_of(const char *order, int nr, const int *cluster, const int *socket)
{
	struct err err = ERR_INIT;
	struct visits v;

	make_logs_of(order, 1000);
	assert_ok(visits_from_tickets(all, nr, cluster, socket, owner, &v, &err), &err);
	return v;
}

#define assert_near(a, b) assert_float_equal(a, b, 1e-9)

static void runs_of_a_worker_are_visits(void **state)
{
	/* from 1's first ticket to its last: 1 | 000 1 00 | 11 */
	assert_near(visits_of("001000100110", 2, NULL, NULL).ops_per_visit, 6.0 / 3);
	assert_near(visits_of("0101010101", 2, NULL, NULL).ops_per_visit, 1);
	/* 3 came when 2 had gone: the logs do not meet */
	assert_true(isnan(visits_of("0111122223333301", 4, NULL, NULL).ops_per_visit));
}

static void the_edges_are_not_visits(void **state)
{
	struct visits v = visits_of("000000100000011", 2, NULL, NULL);

	/* from ticket 6 to 12: one change from 1, and what follows has no end in the log */
	assert_int_equal(v.nr_tickets, 7);
	assert_true(isnan(v.ops_per_visit));
	v = visits_of("0001000111000111", 2, NULL, NULL);
	assert_int_equal(v.nr_tickets, 10);
	assert_near(v.ops_per_visit, 3);
}

static void runs_of_a_group_are_counted_in_visits(void **state)
{
	static const int cluster[] = {0, 0, 1, 1}, socket[] = {0, 0, 0, 1}, none[] = {0, 0, -1, 1};
	/* all four are in it by ticket 6: 3 | 0 11 0 22 3 2 3 000 1 0 2 | 3 ... */
	const char *order = "0122013011022323000102313210";
	struct visits v = visits_of(order, 4, cluster, socket);
	long first = strchr(order, '3') - order, last = strrchr(order, '3') - order, k;

	assert_int_equal(v.nr_tickets, last - first + 1);
	/* by a second way: every change, and every change of a group */
	long change[2] = {0}, begin[2] = {-1, -1}, end[2] = {0}, visit = 0;

	for (k = first + 1; k <= last; k++) {
		int now = order[k] - '0', before = order[k - 1] - '0', g;

		visit += now != before;
		for (g = 0; g < 2; g++) {
			const int *group = g ? socket : cluster;

			if (group[now] == group[before])
				continue;
			begin[g] = begin[g] < 0 ? visit : begin[g];
			end[g] = visit;
			change[g]++;
		}
	}
	assert_near(v.visits_per_cluster, (double)(end[0] - begin[0]) / (change[0] - 1));
	assert_near(v.visits_per_socket, (double)(end[1] - begin[1]) / (change[1] - 1));
	v = visits_of(order, 4, none, NULL);
	assert_true(isnan(v.visits_per_cluster) && isnan(v.visits_per_socket));
	assert_false(isnan(v.ops_per_visit));
}

/* two sockets of two: 0 1 0 | 2 3 | 1 0 1 0 | 3 2 | ..., one operation a visit */
static void batches_of_a_socket(void **state)
{
	static const int socket[] = {0, 0, 1, 1};
	struct visits v = visits_of("23"
				    "010"
				    "23"
				    "10101"
				    "32"
				    "0101"
				    "32"
				    "01",
				    4, NULL, socket);

	/* from the first 1 to the last 3: 10 | 23 | 10101 | 32 | 0101 | 3 */
	assert_near(v.ops_per_visit, 1);
	assert_near(v.visits_per_socket, (2 + 5 + 2 + 4) / 4.0);
}

static void one_worker_has_no_visits(void **state)
{
	struct visits v = visits_of("0000000", 1, NULL, NULL);

	assert_int_equal(v.nr_tickets, 7);
	assert_true(isnan(v.ops_per_visit));
	v = visits_of("0000", 2, NULL, NULL);
	assert_int_equal(v.nr_tickets, 0);
	v = visits_of("00001111", 2, NULL, NULL);
	assert_int_equal(v.nr_tickets, 0);
	assert_true(isnan(v.ops_per_visit));
}

static void a_ticket_is_got_once(void **state)
{
	struct err err = ERR_INIT;
	struct visits v;

	make_logs_of("0101.10101", 7);
	assert_refused(visits_from_tickets(all, 2, NULL, NULL, owner, &v, &err), -EUCLEAN,
		       "ticket 11 was got by no worker", &err);
	make_logs_of("0101010101", 7);
	logs[1].ticket[2] = 11;
	assert_refused(visits_from_tickets(all, 2, NULL, NULL, owner, &v, &err), -EUCLEAN,
		       "ticket 11 was got by workers 0 and 1", &err);
	/* far more tickets between than the logs can hold: not looked at beyond the room */
	make_logs_of("01", 0);
	logs[0].ticket[logs[0].nr++] = 1L << 40;
	logs[1].ticket[logs[1].nr++] = 1L << 40;
	assert_int_equal(visits_from_tickets(all, 2, NULL, NULL, owner, &v, &err), -EUCLEAN);
}

/* ------------------------------------------------------------------------- by hand */

static void workers_keep_their_tickets(void **state)
{
	struct cl_params p = {.op = CL_FETCH_ADD, .log = 1, .log_after = 5};
	const struct cl_worker *me;
	struct err err = ERR_INIT;
	struct by_hand b;
	int i;

	by_hand_open(&b, &contended_line_experiment, &p, 2);
	by_hand_run(&b, 0, 6); /* ticket 5 is kept */
	for (i = 0; i < 10; i++) {
		by_hand_run(&b, 1, 3);
		by_hand_run(&b, 0, 5);
	}
	me = b.w[0].priv;
	assert_int_equal(me->log->nr, 51);
	assert_int_equal(me->log->ticket[0], 5);
	/* from worker 1's first ticket to its last: 333 | 5 3 ... 5 | 3, without the edges */
	assert_metric(&b, "visit_ops", (9 * 5 + 8 * 3) / 17.0);
	assert_true(isnan(by_hand_metric(&b, "socket_visits")));
	assert_true(isnan(by_hand_metric(&b, "attempts")));

	((struct cl_worker *)b.w[1].priv)->log->ticket[3]++;
	assert_int_equal(by_hand_check(&b, &err), -EUCLEAN);
}

/* a full log keeps what it has; what others log later has no counterpart and is left out */
static void a_full_log_ends_the_sample(void **state)
{
	struct cl_params p = {.op = CL_FETCH_ADD, .log = 1, .log_after = 0};
	const struct cl_worker *me;
	struct by_hand b;
	int i;

	by_hand_open(&b, &contended_line_experiment, &p, 2);
	for (i = 0; i < TICKET_LOG_MAX; i++) {
		by_hand_run(&b, 0, 4);
		by_hand_run(&b, 1, 2);
	}
	me = b.w[0].priv;
	assert_int_equal(me->log->nr, TICKET_LOG_MAX);
	assert_metric(&b, "visit_ops", 3);
}

static void without_a_log_none_is_kept(void **state)
{
	struct err err = ERR_INIT;
	struct cl_params p;
	struct by_hand b;

	by_hand_defaults(&contended_line_experiment, &p);
	by_hand_open(&b, &contended_line_experiment, &p, 2);
	by_hand_run(&b, 0, 6);
	by_hand_run(&b, 1, 6);
	assert_null(((struct cl_worker *)b.w[0].priv)->log);
	assert_true(isnan(by_hand_metric(&b, "visit_ops")));
	p.log = 1;
	p.op = CL_XCHG;
	assert_refused(cl_validate(&p, 2, &err), -EINVAL, "'xchg' returns no tickets", &err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_of_a_worker_are_visits),
		cmocka_unit_test(the_edges_are_not_visits),
		cmocka_unit_test(runs_of_a_group_are_counted_in_visits),
		cmocka_unit_test(batches_of_a_socket),
		cmocka_unit_test(one_worker_has_no_visits),
		cmocka_unit_test(a_ticket_is_got_once),
		cmocka_unit_test_teardown(workers_keep_their_tickets, by_hand_end),
		cmocka_unit_test_teardown(a_full_log_ends_the_sample, by_hand_end),
		cmocka_unit_test_teardown(without_a_log_none_is_kept, by_hand_end),
	};

	return run_tests(tests);
}
