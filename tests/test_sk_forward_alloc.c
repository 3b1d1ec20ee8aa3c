/* SPDX-License-Identifier: MIT */
/* sk_forward_alloc on one thread, with every access reported: counts by hand, broken invariants. */
#define KATOMIC_HOOKED
#include "../bench/sk_forward_alloc.c"

#include "by_hand.h"

#define MIB (1 << 20)

static struct skf_params params;
static struct by_hand b;
static int nr_total_reads, nr_total_writes; /* of the protocol's shared total */

void katomic_hook(enum katomic_access access, const volatile void *addr, size_t size)
{
	const struct sk_proto *proto = b.shared;

	if (!proto || addr != &proto->memory_allocated.counter)
		return;
	nr_total_reads += access == KATOMIC_READ;
	nr_total_writes += access == KATOMIC_ADD || access == KATOMIC_POST;
}

static void start(int reclaim, int64_t message_bytes, int64_t burst, int nr_workers)
{
	params.reclaim = reclaim;
	params.message_bytes = message_bytes;
	params.burst = burst;
	b.shared = NULL;
	nr_total_reads = nr_total_writes = 0;
	by_hand_open(&b, &sk_forward_alloc_experiment, &params, nr_workers);
}

static int defaults(void **state)
{
	by_hand_defaults(&sk_forward_alloc_experiment, &params);
	params.sockets = 1;
	return 0;
}

static const struct sk_cpu *cpu_of(int worker)
{
	return ((struct skf_worker *)b.w[worker].priv)->cpu;
}

static struct sk_socket *socket_of(int worker)
{
	return ((struct skf_worker *)b.w[worker].priv)->socket;
}

/* ---------------------------------------------------------- messages one by one */

/* 10 KiB are 2.5 pages: 3 are raised, 2048 bytes stay free; then all 3 are free and go back */
static void zero_raises_and_reduces_for_every_message(void **state)
{
	start(SKF_ZERO, 10240, 1, 1);
	by_hand_run(&b, 0, 1000);
	assert_metric(&b, "raises", 1);
	assert_metric(&b, "reduces", 1);
	assert_metric(&b, "shared_updates", 0); /* up 3, down 3, in the CPU's own reserve */
	assert_metric(&b, "idle_bytes", 0);
	assert_metric(&b, "messages", 1);
}

/* the same 3 pages stay for the next message: 1000 times fewer raises than zero, once per socket */
static void a_threshold_raises_once_per_socket(void **state)
{
	static const int rules[] = {SKF_64K, SKF_2M_KEEP_1M};
	size_t i;

	for (i = 0; i < 2; i++) {
		for (params.sockets = 1; params.sockets <= 64; params.sockets *= 8) {
			start(rules[i], 10240, 1, 1);
			by_hand_run(&b, 0, 64000);
			assert_int_equal(cpu_of(0)->nr_raises, params.sockets);
			assert_metric(&b, "raises", params.sockets / 64000.0);
			assert_metric(&b, "reduces", 0);
			assert_metric(&b, "idle_bytes", 12288);
			by_hand_close();
		}
	}
}

/* a message that reaches the threshold by itself: 17 pages hold 65537 bytes */
static void a_message_as_large_as_the_threshold(void **state)
{
	start(SKF_64K, 61440, 1, 1); /* 15 pages, below */
	by_hand_run(&b, 0, 100);
	assert_metric(&b, "raises", 0.01);
	assert_metric(&b, "idle_bytes", 61440);
	by_hand_close();
	start(SKF_64K, 65537, 1, 1);
	by_hand_run(&b, 0, 100);
	assert_metric(&b, "raises", 1);
	assert_metric(&b, "reduces", 1);
	assert_metric(&b, "idle_bytes", 0);
	by_hand_close();
	start(SKF_2M_KEEP_1M, 65537, 1, 1);
	by_hand_run(&b, 0, 100);
	assert_metric(&b, "raises", 0.01);
	assert_metric(&b, "idle_bytes", 17 * 4096);
}

/* -------------------------------------------------------------------- in bursts */

/* 16 messages of 2.5 pages. zero: each raises 3 or 2 pages, each gives them back. */
static void zero_in_bursts(void **state)
{
	start(SKF_ZERO, 10240, 16, 1);
	by_hand_run(&b, 0, 1600);
	assert_metric(&b, "raises", 1);
	assert_metric(&b, "reduces", 1);
	assert_metric(&b, "idle_bytes", 0);
}

/*
 * 64k: the 7th and the 14th message freed reach 64 KiB (71680 bytes, 17 pages back and 2048 kept;
 * 73728 bytes, 18 pages back), two remain: 20480 bytes. They serve two messages of the next burst,
 * 14 raise. 2m: 40 pages are never enough to give back, so only the first burst raises.
 */
static void thresholds_in_bursts(void **state)
{
	start(SKF_64K, 10240, 16, 1);
	by_hand_run(&b, 0, 16);
	assert_metric(&b, "raises", 1);
	assert_metric(&b, "reduces", 2 / 16.0);
	assert_metric(&b, "idle_bytes", 20480);
	by_hand_run(&b, 0, 1600);
	assert_int_equal(cpu_of(0)->nr_raises, 16 + 100 * 14);
	assert_int_equal(cpu_of(0)->nr_reduces, 101 * 2);
	assert_metric(&b, "idle_bytes", 20480);
	by_hand_close();
	start(SKF_2M_KEEP_1M, 10240, 16, 1);
	by_hand_run(&b, 0, 1616);
	assert_int_equal(cpu_of(0)->nr_raises, 16);
	assert_metric(&b, "reduces", 0);
	assert_metric(&b, "idle_bytes", 163840);
}

/* 3 MiB come back by the MiB: at 2 MiB one goes, twice, and one is kept for the next burst */
static void two_mib_keep_one(void **state)
{
	start(SKF_2M_KEEP_1M, MIB, 3, 1);
	by_hand_run(&b, 0, 3);
	assert_metric(&b, "raises", 1);
	assert_metric(&b, "reduces", 2 / 3.0);
	assert_metric(&b, "idle_bytes", MIB);
	by_hand_run(&b, 0, 300);
	assert_int_equal(cpu_of(0)->nr_raises, 3 + 200);
	assert_int_equal(cpu_of(0)->nr_reduces, 202);
	assert_metric(&b, "idle_bytes", MIB);
}

/* any number; less than a page of it makes no difference */
static void bytes_is_any_threshold(void **state)
{
	params.reclaim_bytes = 12288;
	start(SKF_BYTES, 10240, 1, 1);
	by_hand_run(&b, 0, 10);
	assert_metric(&b, "raises", 1);
	by_hand_close();
	params.reclaim_bytes = 12289;
	start(SKF_BYTES, 10240, 1, 1);
	by_hand_run(&b, 0, 10);
	assert_metric(&b, "raises", 0.1);
	assert_metric(&b, "idle_bytes", 12288);
}

/* whatever the size and the burst: less than a page, less than 64 KiB, less than 2 MiB */
static void what_an_idle_socket_holds(void **state)
{
	static const int bounds[] = {4096, 1 << 16, 2 * MIB};
	static const int64_t sizes[] = {1, 4095, 4096, 10240, 65535, 65536, 100001, MIB};
	int reclaim;
	size_t i;

	for (reclaim = SKF_ZERO; reclaim <= SKF_2M_KEEP_1M; reclaim++) {
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			for (params.burst = 1; params.burst <= 64; params.burst *= 4) {
				start(reclaim, sizes[i], params.burst, 1);
				by_hand_run(&b, 0, 10 * params.burst);
				assert_true(by_hand_metric(&b, "idle_bytes") < bounds[reclaim]);
				by_hand_close();
			}
		}
	}
}

/* ------------------------------------------------------------- the protocol's total */

static void shared_is_written_by_every_raise_and_reduce(void **state)
{
	params.reserve = SKF_SHARED;
	start(SKF_ZERO, 10240, 1, 1);
	by_hand_run(&b, 0, 100);
	assert_metric(&b, "shared_updates", 2);
	assert_int_equal(nr_total_writes, 200);
}

/* a reserve is not written, but the total is still read by every raise; not by a reduce */
static void every_raise_reads_the_total(void **state)
{
	start(SKF_ZERO, 10240, 1, 1);
	by_hand_run(&b, 0, 100);
	assert_int_equal(nr_total_reads, 100);
	assert_int_equal(nr_total_writes, 0);
}

/*
 * Sender and receiver have a CPU each: one reserve only grows, the other only shrinks. 3 pages a
 * message: 86 messages reach 258 pages, the first multiple of 3 from 256 on.
 */
static void reserves_drift_apart_on_two_cpus(void **state)
{
	int i;

	params.receiver = SKF_OTHER_CPU;
	start(SKF_ZERO, 10240, 1, 2);
	for (i = 0; i < 85; i++) {
		by_hand_run(&b, 0, 1);
		by_hand_run(&b, 1, 1);
	}
	assert_metric(&b, "shared_updates", 0);
	assert_int_equal(cpu_of(0)->per_cpu_fw_alloc, 255);
	assert_int_equal(cpu_of(1)->per_cpu_fw_alloc, -255);
	by_hand_run(&b, 0, 1);
	assert_int_equal(((struct sk_proto *)b.shared)->memory_allocated.counter, 258);
	assert_int_equal(cpu_of(0)->per_cpu_fw_alloc, 0);
	by_hand_run(&b, 1, 1);
	assert_int_equal(((struct sk_proto *)b.shared)->memory_allocated.counter, 0);
	assert_metric(&b, "shared_updates", 2 / 86.0);
	assert_metric(&b, "messages", 0.5);
	assert_metric(&b, "raises", 1);
	assert_metric(&b, "reduces", 1);
}

static void a_reserve_of_one_page_is_none(void **state)
{
	params.reserve_pages = 1;
	start(SKF_ZERO, 10240, 1, 1);
	by_hand_run(&b, 0, 100);
	assert_metric(&b, "shared_updates", 2);
}

/* ------------------------------------------------------------------- two CPUs */

/* the sender is ahead by as many bursts as it has sockets; the receiver takes what is complete */
static void a_burst_changes_hands(void **state)
{
	params.receiver = SKF_OTHER_CPU;
	params.sockets = 2;
	start(SKF_ZERO, 10240, 4, 2);
	by_hand_run(&b, 0, 8);
	assert_int_equal(socket_of(0)[0].sk_wmem_queued, 40960);
	assert_int_equal(socket_of(0)[1].sk_wmem_queued, 40960);
	by_hand_run(&b, 1, 5);
	assert_int_equal(socket_of(0)[0].sk_wmem_queued, 0);
	assert_int_equal(socket_of(0)[1].sk_wmem_queued, 30720);
	by_hand_run(&b, 0, 3);
	assert_int_equal(socket_of(0)[0].sk_wmem_queued, 30720);
	assert_metric(&b, "raises", 1);
}

/* who would wait for ever drops its operations once all windows are over, and nothing is lost */
static void waiting_ends_when_the_run_is_over(void **state)
{
	params.receiver = SKF_OTHER_CPU;
	start(SKF_ZERO, 10240, 1, 2);
	b.over = 1;
	by_hand_run(&b, 0, 10);
	by_hand_run(&b, 1, 10);
	assert_int_equal(cpu_of(0)->nr_raises, 1);
	assert_int_equal(cpu_of(1)->nr_reduces, 1);
	assert_metric(&b, "messages", 0.05);
}

static void pairs_do_not_meet(void **state)
{
	params.receiver = SKF_OTHER_CPU;
	start(SKF_ZERO, 10240, 1, 4);
	by_hand_run(&b, 2, 1);
	by_hand_run(&b, 3, 1);
	by_hand_run(&b, 0, 1);
	assert_int_equal(socket_of(1)->sk_wmem_queued, 10240);
	assert_int_equal(socket_of(3)->sk_wmem_queued, 0);
	assert_metric(&b, "raises", 1);
}

static void local_work_is_done_per_operation(void **state)
{
	params.work_ns = 5;
	start(SKF_ZERO, 10240, 4, 1);
	by_hand_run(&b, 0, 100);
	assert_int_equal(by_hand_work_ns, 500);
}

/* ------------------------------------------------- for who charges a memory cgroup */

static void raise_and_reduce_tell_their_pages(void **state)
{
	struct sk_socket sk = {0};
	struct sk_cpu cpu = {0};

	start(SKF_64K, 10240, 1, 1);
	assert_int_equal(sk_mem_charge(b.shared, &cpu, &sk, 10240), 3);
	assert_int_equal(sk_mem_charge(b.shared, &cpu, &sk, 2048), 0);
	assert_int_equal(sk_mem_charge(b.shared, &cpu, &sk, 60000), 15);
	assert_int_equal(sk_mem_uncharge(b.shared, &cpu, &sk, 10240), 0);
	assert_int_equal(sk_mem_uncharge(b.shared, &cpu, &sk, 60000), 17);
	assert_int_equal(sk.sk_wmem_queued, 2048);
	assert_int_equal(sk.sk_forward_alloc, 18 * 4096 - 17 * 4096 - 2048);
}

/* ------------------------------------------------------------ refused and broken */

static void receivers_need_senders(void **state)
{
	struct err err;

	params.receiver = SKF_OTHER_CPU;
	assert_refused(skf_validate(&params, 3, &err), -EINVAL, "3 is an odd number", &err);
	assert_ok(skf_validate(&params, 4, &err), &err);
}

static void lost_bytes_and_pages_are_found(void **state)
{
	struct sk_proto *proto;
	struct sk_socket *sk;
	struct err err;

	start(SKF_64K, 10240, 4, 2);
	proto = b.shared;
	sk = socket_of(0);
	by_hand_run(&b, 0, 6);
	by_hand_run(&b, 1, 100);
	assert_ok(by_hand_check(&b, &err), &err);
	sk->sk_wmem_queued -= 10240; /* a message freed twice */
	assert_refused(by_hand_check(&b, &err), -EUCLEAN, "10240 bytes are queued", &err);
	sk->sk_wmem_queued += 10240;
	sk->sk_forward_alloc -= 4096; /* a page given back twice */
	assert_refused(by_hand_check(&b, &err), -EUCLEAN, "the protocol and its CPUs count", &err);
	sk->sk_forward_alloc += 4096;
	proto->memory_allocated.counter++; /* an addition that was not atomic */
	assert_refused(by_hand_check(&b, &err), -EUCLEAN, "the protocol and its CPUs count", &err);
	proto->memory_allocated.counter--;
	socket_of(1)->sk_forward_alloc += 1 << 16; /* an uncharge that forgot to give back */
	assert_refused(by_hand_check(&b, &err), -EUCLEAN, "gives pages back at 65536", &err);
	socket_of(1)->sk_forward_alloc -= 1 << 16;
	((struct skf_worker *)b.w[1].priv)->cpu->per_cpu_fw_alloc += 256;
	assert_refused(by_hand_check(&b, &err), -EUCLEAN, "its reserve is 256", &err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup_teardown(test, defaults, by_hand_end)
		T(zero_raises_and_reduces_for_every_message),
		T(a_threshold_raises_once_per_socket),
		T(a_message_as_large_as_the_threshold),
		T(zero_in_bursts),
		T(thresholds_in_bursts),
		T(two_mib_keep_one),
		T(bytes_is_any_threshold),
		T(what_an_idle_socket_holds),
		T(shared_is_written_by_every_raise_and_reduce),
		T(every_raise_reads_the_total),
		T(reserves_drift_apart_on_two_cpus),
		T(a_reserve_of_one_page_is_none),
		T(a_burst_changes_hands),
		T(waiting_ends_when_the_run_is_over),
		T(pairs_do_not_meet),
		T(local_work_is_done_per_operation),
		T(raise_and_reduce_tell_their_pages),
		T(receivers_need_senders),
		T(lost_bytes_and_pages_are_found),
	};

	return run_tests(tests);
}
