/* SPDX-License-Identifier: MIT */
/* the doctor as a whole: trees where nothing can be read, busy CPUs, this system, refused calls */
#include "doctor_fixture.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../topo/doctor_private.h"
#include "../topo/topo_private.h"

#define EIGHT "Package:1 [NUMANode(memory=8GiB)] L3Cache:1(size=16MiB) Core:4 PU:2"

/* the order of findings is what programs and diffs rely on */
static const char order[] =
	"governor turbo smt isolcpus nohz_full clocksource prefetcher hypervisor steal loadavg "
	"busy_cpus cpu_quota cpuset numa_balancing mempolicy hidden_nodes thp perf_event pmu "
	"nmi_watchdog cgroup charge_batch ";

static const char *const paths[] = {
	"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
	"/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver",
	"/sys/devices/system/cpu/cpu0/cpufreq/boost",
	"/sys/devices/system/cpu/intel_pstate/no_turbo",
	"/sys/devices/system/cpu/cpufreq/boost",
	"/sys/devices/system/cpu/smt/control",
	"/sys/devices/system/cpu/smt/active",
	"/sys/devices/system/cpu/isolated",
	"/sys/devices/system/cpu/nohz_full",
	"/sys/devices/system/clocksource/clocksource0/current_clocksource",
	"/sys/kernel/mm/transparent_hugepage/enabled",
	"/proc/stat",
	"/proc/loadavg",
	"/proc/self/status",
	"/proc/self/cgroup",
	"/proc/self/mountinfo",
	"/proc/self/uid_map",
	"/proc/sys/kernel/numa_balancing",
	"/proc/sys/kernel/perf_event_paranoid",
	"/proc/sys/kernel/nmi_watchdog",
	"/proc/sys/kernel/osrelease",
	"/sys/bus/event_source/devices", /* a file where a folder belongs */
};

/* what cannot be read is unknown, and nothing but the topology says anything */
static void all_unknown(const struct topo *t)
{
	static const char from_topology[] = "hypervisor cpuset hidden_nodes ";
	struct finding *f;
	int nr, i;

	f = examine(t, tree, &nr);
	for (i = 0; i < nr; i++)
		if (!strstr(from_topology, f[i].name) && f[i].state != FINDING_UNKNOWN)
			fail_msg("%s is %s: '%s'", f[i].name, finding_state_names[f[i].state],
				 f[i].value);
	free(f);
}

static void test_nothing_to_read(void **state)
{
	static const char *const contents[] = {"",
					       "\n",
					       "\n\n\n",
					       "\xff\xfe\x01 [\x80] - ",
					       "  [] %s%n %d \x7f\r\n",
					       "-\n",
					       "- - - -\n",
					       "99999999999999999999999999\n",
					       ":::: - : - :\n",
					       "cpu cpu0 cpu0: cpu1 \n"};
	struct topo *t = machine(EIGHT);
	char dir[128];
	int i, k;

	all_unknown(t);
	for (i = 0; i < NR(contents); i++) {
		fresh_tree();
		for (k = 0; k < NR(paths); k++)
			/* an empty line is an answer there: no such CPU */
			if (contents[i][0] != '\n' ||
			    (!strstr(paths[k], "isolated") && !strstr(paths[k], "nohz_full")))
				put(paths[k], contents[i]);
		all_unknown(t);
	}
	fresh_tree();
	for (k = 0; k < NR(paths) - 1; k++) {
		snprintf(dir, sizeof(dir), "%s/x", paths[k]);
		put(dir, "");
	}
	unlink(strcat(strcpy(dir, tree), "/sys/bus/event_source/devices"));
	all_unknown(t);
	topo_free(t);
}

static void test_huge_files(void **state)
{
	static const char *const lines[] = {"a", "1", "cpu1 ", "0 0 0 - x y\n", "\n"};
	const size_t size = 1 << 20;
	struct topo *t = machine(EIGHT);
	char *text = malloc(size);
	struct finding *f;
	size_t len, at;
	int i, k, nr;

	for (i = 0; i < NR(lines); i++) {
		fresh_tree();
		len = strlen(lines[i]);
		for (at = 0; at < size; at++)
			text[at] = lines[i][at % len];
		for (k = 0; k < NR(paths); k++)
			put_bytes(paths[k], text, size);
		f = examine(t, tree, &nr);
		assert_int_equal(pick(f, nr, "governor").state, FINDING_UNKNOWN);
		assert_int_equal(pick(f, nr, "cpu_quota").state, FINDING_UNKNOWN);
		assert_int_equal(pick(f, nr, "busy_cpus").state, FINDING_UNKNOWN);
		free(f);
	}
	free(text);
	topo_free(t);
}

static void test_arguments(void **state)
{
	struct topo *t = machine(EIGHT);
	struct finding *f = NULL;
	struct err err;
	char name[8192];
	int nr = -1;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	assert_refused(doctor_examine(t, "", &f, &nr, &err), -EOPNOTSUPP, "not that of this system",
		       &err);
	assert_refused(doctor_examine(t, "/not/there", &f, &nr, &err), -ENOENT, "'/not/there'",
		       &err);
	assert_refused(doctor_examine(t, "/proc/stat", &f, &nr, &err), -ENOENT, "no folder", &err);
	assert_refused(doctor_examine(t, name, &f, &nr, &err), -EINVAL, "too long", &err);
	assert_null(f);
	assert_int_equal(nr, -1);
	topo_free(t);
}

/* ----------------------------------------------------------------------- busy CPUs */

/* of CPUs 0..7: ticks that each was busy, and that were stolen from it, while 10 passed */
static struct finding watched(const char *name, const char *busy, int stolen)
{
	struct topo *t = machine(EIGHT);
	struct ticks before[8], after[8];
	struct exam x = {
		.root = tree, .topo = t, .before = before, .after = after, .watched = true};
	struct finding f = {.name = name, .state = FINDING_UNKNOWN};
	int i, nr;
	const struct topo_cpu *cpus = topo_cpus(t, &nr);

	assert_int_equal(nr, 8);
	for (i = 0; i < 8; i++) {
		before[i] = (struct ticks){1000000, 100, 90000000};
		after[i] = before[i];
		after[i].total += 10;
		after[i].busy += busy[cpus[i].os] - '0';
		after[i].steal += cpus[i].os ? 0 : stolen;
	}
	if (!strcmp(name, "busy_cpus"))
		check_busy_cpus(&x, &f);
	else
		check_steal(&x, &f);
	assert_sane(&f);
	topo_free(t);
	return f;
}

static void test_busy_cpus(void **state)
{
	struct finding f = watched("busy_cpus", "00000000", 0);

	expect_finding(&f, FINDING_OK, "0% of 8 CPUs", "");
	f = watched("busy_cpus", "00001000", 0);
	expect_finding(&f, FINDING_OK, "1% of 8 CPUs for 100 ms; most on CPU 4: 10%", "");
	f = watched("busy_cpus", "00003000", 0);
	expect_finding(&f, FINDING_WARNING, "most on CPU 4: 30%", "now and then");
	f = watched("busy_cpus", "10101010", 0);
	expect_finding(&f, FINDING_WARNING, "5% of 8 CPUs", "now and then");
	f = watched("busy_cpus", "00059900", 0);
	expect_finding(&f, FINDING_FAULT, "29% of 8 CPUs", "on CPU 3-5");
	f = watched("steal", "00000000", 0);
	expect_finding(&f, FINDING_OK, "since boot, 0 of 80", "");
	f = watched("steal", "00000000", 1);
	expect_finding(&f, FINDING_WARNING, "1 of 80 ticks just now", "host");
	f = watched("steal", "00000000", 5);
	expect_finding(&f, FINDING_FAULT, "5 of 80 ticks just now", "host");
}

/* never ok: the register is not read */
static void test_prefetcher(void **state)
{
	struct topo *t = machine(EIGHT);

	strcpy(t->id.vendor, "AuthenticAMD");
	expect(t, "prefetcher", FINDING_UNKNOWN, "", "firmware setup");
	strcpy(t->id.vendor, "GenuineIntel");
	expect(t, "prefetcher", FINDING_UNKNOWN, "", "modprobe msr, then rdmsr -a 0x1a4");
	put("/dev/cpu/0/msr", "");
	expect(t, "prefetcher", FINDING_UNKNOWN, "", "it: rdmsr -a 0x1a4 does");
	topo_free(t);
}

/* --------------------------------------------------------------------- this system */

static void test_this_system(void **state)
{
	struct topo *t = machine(NULL);
	struct finding *f;
	char names[1024] = "";
	int nr, i;

	if (!topo_info(t)->is_this_system) {
		topo_free(t);
		test_skip("HWLOC_SYNTHETIC or HWLOC_XMLFILE stand in for this system");
	}
	f = examine(t, "", &nr);
	for (i = 0; i < nr; i++)
		strcat(strcat(names, f[i].name), " ");
	assert_string_equal(names, order);
	free(f);
	topo_free(t);
}

/* memory policy calls and perf_event_open end with @error from now on; false: no filter here */
static bool refuse_calls(int error)
{
	const unsigned result = SECCOMP_RET_ERRNO | (unsigned)error;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_get_mempolicy, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mbind, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, result),
	};
	struct sock_fprog program = {NR(code), code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* what is found in a process whose calls are refused, into @out[0..1] */
static void child_examines(const struct topo *t, int error, int fd)
{
	struct finding *f = NULL, two[2];
	int nr = 0;

	if (!refuse_calls(error) || doctor_examine(t, "", &f, &nr, NULL))
		_exit(77);
	two[0] = pick(f, nr, "mempolicy");
	two[1] = pick(f, nr, "perf_event");
	free(f);
	_exit(write(fd, two, sizeof(two)) != sizeof(two));
}

/* D10 and A1: Docker's filter says EPERM, others ENOSYS */
static void test_refused_calls(void **state)
{
	static const int errors[] = {EPERM, EACCES, ENOSYS};
	struct topo *t = machine(NULL);
	enum finding_state bad;
	struct finding f[2];
	int i, fd[2], status;
	bool usable = topo_info(t)->is_this_system && !topo_info(t)->nodes_assumed;
	pid_t pid;

	bad = topo_info(t)->numa_nodes > 1 ? FINDING_FAULT : FINDING_WARNING;
	for (i = 0; i < NR(errors) && usable; i++) {
		assert_int_equal(pipe(fd), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (!pid)
			child_examines(t, errors[i], fd[1]);
		close(fd[1]);
		usable = read(fd[0], f, sizeof(f)) == sizeof(f);
		close(fd[0]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!usable)
			break;
		f[0].name = "mempolicy";
		f[1].name = "perf_event";
		expect_finding(&f[0], bad, "get_mempolicy: ", "seccomp");
		assert_non_null(strstr(f[0].value, strerror(errors[i])));
		expect_finding(&f[1], FINDING_FAULT, "perf_event_open: ", "no counter");
		assert_non_null(strstr(f[1].value, strerror(errors[i])));
	}
	topo_free(t);
	if (!usable)
		test_skip("no NUMA, no seccomp filter, or not this system");
}

int main(void)
{
	const struct CMUnitTest doctor_system[] = {
		TREE_TEST(test_nothing_to_read), TREE_TEST(test_huge_files),
		TREE_TEST(test_arguments),	 TREE_TEST(test_busy_cpus),
		TREE_TEST(test_prefetcher),	 TREE_TEST(test_this_system),
		TREE_TEST(test_refused_calls),
	};

	return run_tests(doctor_system);
}
