/* SPDX-License-Identifier: MIT */
/* Where the fields of false_sharing lie, what its invariant finds, and what the report makes of it. */
#include "../bench/false_sharing.c"
#include "by_hand.h"

static long *field_of(struct by_hand *b, int worker)
{
	return &((struct fs_worker *)b->w[worker].priv)->field->counter;
}

static void open_with(struct by_hand *b, struct fs_params *p, int nr)
{
	by_hand_open(b, &false_sharing_experiment, p, nr);
}

static void fields_lie_where_they_should(void **state)
{
	struct fs_params p = {0};
	struct by_hand b;
	int i;

	for (p.parity = FS_EVEN; p.parity <= FS_ODD; p.parity++) {
		for (p.distance = 0; p.distance <= 256; p.distance += 8) {
			open_with(&b, &p, 4);
			assert_int_equal((uintptr_t)field_of(&b, 0) % 128,
					 p.parity == FS_ODD ? 64 : 0);
			for (i = 1; i < 4; i++)
				assert_int_equal((char *)field_of(&b, i) -
							 (char *)field_of(&b, i - 1),
						 p.distance);
			by_hand_close();
		}
	}
}

/* every combination, worker by worker; then one field is changed behind the workers' backs */
static void each_holds_what_its_worker_did(void **state)
{
	static const int64_t distances[] = {0, 8, 64, 256};
	struct fs_params p = {.work_ns = 3};
	struct err err = ERR_INIT;
	struct by_hand b;
	size_t k;
	int i;

	for (i = 0; i < 2 * 2 * 4; i++) {
		k = i / 4;
		p.op = i & 1 ? FS_STORE : FS_ADD;
		p.pattern = i & 2 ? FS_WRITER_READER : FS_WRITERS;
		p.distance = distances[k];
		open_with(&b, &p, 3);
		by_hand_run(&b, 0, 10);
		by_hand_run(&b, 1, 4);
		by_hand_run(&b, 2, 6);
		by_hand_run(&b, 0, 10);
		assert_ok(by_hand_check(&b, &err), &err);
		assert_int_equal(by_hand_work_ns, 30 * 3);
		if (p.distance)
			assert_int_equal(*field_of(&b, 1), p.pattern == FS_WRITERS ? 4 : 0);
		else if (p.pattern == FS_WRITERS)
			assert_int_equal(*field_of(&b, 1), p.op == FS_ADD ? 30 : 20);
		*field_of(&b, 1) += 100;
		assert_int_equal(by_hand_check(&b, &err), -EUCLEAN);
		by_hand_close();
	}
}

/* an operation that is claimed but was not done, on either side */
static void a_lost_access_is_found(void **state)
{
	struct fs_params p = {.distance = 64};
	struct err err = ERR_INIT;
	struct by_hand b;
	int i;

	for (i = 0; i < 2 * 2 * 2; i++) {
		p.op = i & 1;
		p.pattern = i >> 1 & 1;
		open_with(&b, &p, 2);
		by_hand_run(&b, 0, 7);
		by_hand_run(&b, 1, 9);
		b.ops[i >> 2]++;
		assert_int_equal(by_hand_check(&b, &err), -EUCLEAN);
		by_hand_close();
	}
}

static void of_stores_to_one_field_one_is_the_last(void **state)
{
	struct fs_params p = {.op = FS_STORE};
	struct err err = ERR_INIT;
	struct by_hand b;

	open_with(&b, &p, 2);
	by_hand_run(&b, 0, 7);
	by_hand_run(&b, 1, 9);
	*field_of(&b, 0) = 7; /* worker 0 came last */
	assert_ok(by_hand_check(&b, &err), &err);
	*field_of(&b, 0) = 8;
	assert_refused(by_hand_check(&b, &err), -EUCLEAN, "the one field holds 8", &err);
}

static void the_writer_has_its_part(void **state)
{
	struct fs_params p;
	struct by_hand b;

	by_hand_defaults(&false_sharing_experiment, &p);
	p.pattern = FS_WRITER_READER;
	open_with(&b, &p, 3);
	by_hand_run(&b, 0, 5);
	by_hand_run(&b, 1, 10);
	by_hand_run(&b, 2, 5);
	assert_metric(&b, "writer_part", 0.25);
	by_hand_close();
	p.pattern = FS_WRITERS;
	open_with(&b, &p, 1);
	by_hand_run(&b, 0, 5);
	assert_true(isnan(by_hand_metric(&b, "writer_part")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(fields_lie_where_they_should, by_hand_end),
		cmocka_unit_test_teardown(each_holds_what_its_worker_did, by_hand_end),
		cmocka_unit_test_teardown(a_lost_access_is_found, by_hand_end),
		cmocka_unit_test_teardown(of_stores_to_one_field_one_is_the_last, by_hand_end),
		cmocka_unit_test_teardown(the_writer_has_its_part, by_hand_end),
	};

	return run_tests(tests);
}
