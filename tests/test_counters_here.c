/* SPDX-License-Identifier: MIT */
/*
 * Counters on the machine the tests run on, whatever it has: software events are real everywhere
 * the kernel lets them be opened, and are held against what was done on purpose.
 */
#include "counters_fixture.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#ifdef TEST_PAPI
#include <dlfcn.h>
#include <perfmon/pfmlib.h>

/*
 * PAPI 7.0.0 counts nothing on a processor that its libpfm does not know, not even what the kernel
 * counts. libpfm is told here that the processor is one it knows, so that the backend can be tried
 * on any machine; the software events are the kernel's all the same.
 */
static bool pretend;

pfm_err_t pfm_get_pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *out)
{
	pfm_err_t (*real)(pfm_pmu_t, pfm_pmu_info_t *);
	pfm_err_t rc;

	*(void **)&real = dlsym(RTLD_NEXT, "pfm_get_pmu_info");
	rc = real(pmu, out);
	if (pretend && rc == PFM_SUCCESS && out->type == PFM_PMU_TYPE_CORE &&
	    (!strcmp(out->name, "amd64_fam19h_zen4") || !strcmp(out->name, "arm_n1")))
		out->is_present = 1;
	return rc;
}
#endif

#define PAGES  37
#define ROUNDS 12

static const struct counter_machine here = {.uarch = "", .no_pmu = "none here"};

static struct counters *open_or_skip(const struct counter_backend *backend, const char *choice)
{
	struct counters *c = NULL;
	struct err err = ERR_INIT;

	assert_ok(counters_open_with(&c, &here, backend, NULL, choice, false, &err), &err);
	if (counters_info(c, column(c, "page_faults"))->state == COUNTER_COUNTED)
		return c;
	print_message("[  REASON  ] %s\n", counters_info(c, column(c, "page_faults"))->reason);
	counters_close(c);
	skip();
	return NULL;
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* PAGES faults and some milliseconds of work; the CPU time of it */
static int64_t work(void)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char *p;
	int64_t begin;
	int i;

	p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(p != MAP_FAILED);
	madvise((void *)p, PAGES * page, MADV_NOHUGEPAGE);
	begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (i = 0; i < PAGES; i++)
		p[i * page] = 1;
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin < 10000000)
		;
	begin = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	munmap((void *)p, PAGES * page);
	return begin;
}

struct part {
	struct counters *c;
	double clock_ratio; /* the nearest to 1 */
	int nr_exact;	    /* windows with the faults that were provoked and no other */
	double switches;
	int rc;
};

static void *count_part(void *arg)
{
	struct part *p = arg;
	struct counter_software s;
	struct counter_thread *t;
	int64_t ns;
	int i;

	p->rc = counters_thread_open(p->c, &t, NULL);
	p->clock_ratio = 0;
	for (i = 0; i < ROUNDS && !p->rc; i++) {
		counters_start(t, 0);
		ns = work();
		if (!i)
			usleep(1000);
		counters_stop(t);
		s = counters_software(t);
		if (fabs(s.task_clock_ns / ns - 1) < fabs(p->clock_ratio - 1))
			p->clock_ratio = s.task_clock_ns / ns;
		p->nr_exact += s.page_faults == PAGES;
		if (!i)
			p->switches = s.context_switches;
	}
	counters_thread_close(t);
	return NULL;
}

/* each of two threads has its own time and its own faults, and none of the other's */
static void software_events_are_real(const struct counter_backend *backend)
{
	struct counters *c = open_or_skip(backend, "software");
	struct part part[2] = {{.c = c}, {.c = c}};
	pthread_t thread[2];
	int i;

	for (i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, count_part, &part[i]), 0);
	for (i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < 2; i++) {
		assert_int_equal(part[i].rc, 0);
		if (!(fabs(part[i].clock_ratio - 1) < 0.02))
			fail_msg("task clock / CPU time: %g", part[i].clock_ratio);
		/* a new stack has faults of its own, in the first windows */
		if (!SHADOW_FAULTS && part[i].nr_exact < ROUNDS / 2)
			fail_msg("%d of %d windows have the %d faults that were provoked",
				 part[i].nr_exact, ROUNDS, PAGES);
		if (counters_info(c, column(c, "context_switches"))->state == COUNTER_COUNTED)
			assert_true(part[i].switches >= 1);
	}
	counters_close(c);
}

static void software_events_are_real_by_the_kernel(void **state)
{
	software_events_are_real(&perf_backend);
}

#ifdef TEST_PAPI
static void software_events_are_real_by_papi(void **state)
{
	software_events_are_real(&papi_backend);
}

/* both ask the kernel, so both may count the same */
static void papi_may_what_the_kernel_allows(void **state)
{
	struct counters *papi = open_or_skip(&papi_backend, "software");
	struct counters *perf = open_or_skip(&perf_backend, "software");
	int i;

	for (i = 0; i < counters_nr(papi); i++)
		assert_int_equal(counters_info(papi, i)->state, counters_info(perf, i)->state);
	counters_close(papi);
	counters_close(perf);
}

static void papi_refuses_what_is_not_there(void **state)
{
	struct counters *c = open_or_skip(&papi_backend, "nonsense::FOO,core");

	assert_string_equal(counters_info(c, 4)->name, "nonsense::FOO");
	assert_int_equal(counters_info(c, 4)->state, COUNTER_NOT_SUPPORTED);
	assert_string_equal(counters_info(c, 4)->reason, "none here");
	counters_close(c);
}

static void papi_says_its_version(void **state)
{
	struct counters *c = open_or_skip(&papi_backend, "software");

	assert_int_equal(strncmp(counters_backend(c), "PAPI ", 5), 0);
	counters_close(c);
}
#endif

/* field report A12, O7: a name is not needed where there is a code */
static void names_need_papi(void **state)
{
	struct counters *c = open_or_skip(&perf_backend, "perf::FAULTS,r04d2");

	assert_state(c, "perf::FAULTS", COUNTER_NOT_SUPPORTED, "only PAPI knows events by name");
	counters_close(c);
}

static void the_kernel_says_the_share(void **state)
{
	struct counters *c = NULL;
	struct counter_thread *t;
	struct err err = ERR_INIT;
	double values[COUNTERS_MAX], share;
	int i;

	assert_ok(counters_open_with(&c, &here, &perf_backend, NULL, "software", true, &err), &err);
	if (counters_info(c, 0)->state != COUNTER_COUNTED)
		test_skip("no event can be opened here");
	assert_int_equal(counters_thread_open(c, &t, NULL), 0);
	for (i = 0; i < 3; i++) {
		counters_start(t, 0);
		work();
		counters_stop(t);
		share = counters_values(c, &t, 1, 1, values);
		assert_true(share > 0.99 && share <= 1);
		assert_true(values[column(c, "page_faults")] >= PAGES);
		assert_true(SHADOW_FAULTS || values[column(c, "page_faults")] < 2 * PAGES);
	}
	counters_thread_close(t);
	counters_close(c);
}

/* ------------------------------------------------------------------------ denied */

static int deny_perf_event_open(int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* 0: everything is not supported, with the doctor's reason; 77: no filter here; else what is wrong */
static int count_denied(int error)
{
	struct topo *topo = NULL;
	struct counters *c = NULL;
	const struct counter_info *info;
	int i;

	if (deny_perf_event_open(error))
		return 77;
	if (topo_load(&topo, NULL, NULL) || counters_open(&c, topo, "core", false, NULL))
		return 2;
	for (i = 0; i < counters_nr(c); i++) {
		info = counters_info(c, i);
		if (info->state != COUNTER_NOT_SUPPORTED)
			return 3;
		if (!strstr(info->reason, "perf_event") && !strstr(info->reason, "no event"))
			return 4;
		if (i < 4 && !strstr(info->reason, "seccomp"))
			return 5;
	}
	counters_close(c);
	topo_free(topo);
	return 0;
}

/* field report A1 */
static void denied_events_say_who_denies(void **state)
{
	static const int errors[] = {EACCES, EPERM, ENOSYS};
	int status, i;
	pid_t pid;

	for (i = 0; i < 3; i++) {
		pid = fork();
		if (!pid)
			_exit(count_denied(errors[i]));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) == 77)
			test_skip("no seccomp filter can be set here");
		if (WEXITSTATUS(status))
			fail_msg("%s: check %d", strerror(errors[i]), WEXITSTATUS(status));
	}
}

/* this machine, whatever it is: every column is counted, or says why not */
static void every_column_has_a_state(void **state)
{
	struct topo *topo = NULL;
	struct counters *c = NULL;
	struct err err = ERR_INIT;
	int i;

	assert_ok(topo_load(&topo, NULL, &err), &err);
	assert_ok(counters_open(&c, topo, "all", false, &err), &err);
	for (i = 0; i < counters_nr(c); i++)
		if (counters_info(c, i)->state == COUNTER_COUNTED)
			assert_string_equal(counters_info(c, i)->reason, "");
		else
			assert_true(strlen(counters_info(c, i)->reason) > 20);
	counters_close(c);
	topo_free(topo);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin_script, end_script)

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* forks before PAPI is up: a child is not to inherit it */
		TEST(denied_events_say_who_denies),
		TEST(software_events_are_real_by_the_kernel),
		TEST(names_need_papi),
		TEST(the_kernel_says_the_share),
	};
	const struct CMUnitTest with_papi[] = {
#ifdef TEST_PAPI
		TEST(software_events_are_real_by_papi), TEST(papi_may_what_the_kernel_allows),
		TEST(papi_refuses_what_is_not_there),	TEST(papi_says_its_version),
#endif
		TEST(every_column_has_a_state),
	};
	int failed = run_tests(tests);

#ifdef TEST_PAPI
	pretend = true;
#endif
	return failed + run_tests(with_papi);
}
