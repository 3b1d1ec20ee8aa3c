/* SPDX-License-Identifier: MIT */
/* what the doctor makes of control groups: D17, a quota is not an affinity */
#include "doctor_fixture.h"

#define FOUR	  "Package:1 [NUMANode(memory=8GiB)] L3Cache:1(size=16MiB) Core:4 PU:1"
#define GROUP	  "/proc/self/cgroup"
#define MOUNTS	  "/proc/self/mountinfo"
#define TOP	  "/sys/fs/cgroup"
#define V2_MOUNT  "30 22 0:26 / " TOP " rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define CPU_MOUNT "33 31 0:30 / " TOP "/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
#define MEM_MOUNT "35 31 0:32 / " TOP "/memory rw - cgroup cgroup rw,memory\n"
#define OTHER	  "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\ngarbage\n- - -\n"

static struct topo *four;

static int load_four(void **state)
{
	four = machine(FOUR);
	return make_tree(state);
}

static int free_four(void **state)
{
	topo_free(four);
	return remove_tree(state);
}

#define FOUR_TEST(name) cmocka_unit_test_setup_teardown(name, load_four, free_four)

static void quota(enum finding_state state, const char *value, const char *remedy)
{
	expect(four, "cpu_quota", state, value, remedy);
}

/* a group two levels down; the root of v2 has no cpu.max and no cgroup.events */
static void put_v2(const char *inner, const char *outer)
{
	fresh_tree();
	put(GROUP, "0::/a.slice/b.scope\n");
	put(MOUNTS, OTHER V2_MOUNT);
	put(TOP "/a.slice/cgroup.events", "populated 1\n");
	put(TOP "/a.slice/b.scope/cgroup.events", "populated 1\n");
	if (inner)
		put(TOP "/a.slice/b.scope/cpu.max", inner);
	if (outer)
		put(TOP "/a.slice/cpu.max", outer);
}

static void test_quota_v2(void **state)
{
	put_v2("max 100000\n", "max 100000\n");
	quota(FINDING_OK, "none", "");
	put_v2(NULL, NULL);
	quota(FINDING_OK, "none", "");
	put_v2("150000 100000\n", NULL);
	quota(FINDING_FAULT, "1.5 CPUs for the 4",
	      "at most 1, or echo max > " TOP "/a.slice/b.scope/cpu.max");
	/* that of an ancestor holds as well, and the least of all decides */
	put_v2("max 100000\n", "200000 100000\n");
	quota(FINDING_FAULT, "2 CPUs for the 4", TOP "/a.slice/cpu.max");
	put_v2("300000 100000\n", "100000 100000\n");
	quota(FINDING_FAULT, "1 CPU for the 4", TOP "/a.slice/cpu.max");
	put_v2("50000 100000\n", NULL);
	quota(FINDING_FAULT, "0.5 CPUs", "even one spinning worker");
	put_v2("400000 100000\n", NULL);
	quota(FINDING_OK, "4 CPUs for the 4", "");
}

static void test_quota_v2_garbage(void **state)
{
	static const char *const bad[] = {
		"",	      "\n",	     "max\n",
		"0 100000\n", "-1 100000\n", "100000 0\n",
		"1e9 100\n",  "nothing\n",   "99999999999999999999 100000\n"};
	int i;

	for (i = 0; i < NR(bad); i++) {
		put_v2(bad[i], NULL);
		quota(FINDING_UNKNOWN, "", "cannot be read");
		/* one that is known to be too small decides all the same */
		put_v2(bad[i], "100000 100000\n");
		quota(FINDING_FAULT, "1 CPU for the 4", "at most 1");
	}
}

static void test_quota_in_a_container(void **state)
{
	put(GROUP, "0::/\n");
	put(MOUNTS, V2_MOUNT);
	put(TOP "/cgroup.events", "populated 1\n");
	quota(FINDING_UNKNOWN, "none as far as shown", "hides the groups above");
	put(TOP "/cpu.max", "800000 100000\n");
	quota(FINDING_UNKNOWN, "8 CPUs for 4, as far as shown", "hides");
	put(TOP "/cpu.max", "100000 100000\n");
	quota(FINDING_FAULT, "1 CPU for the 4", "at most 1");
}

static void put_v1(const char *quota_us, const char *period_us)
{
	fresh_tree();
	put(GROUP, "4:memory:/x\n2:cpu,cpuacct:/docker/7f\n0::/\n");
	put(MOUNTS, OTHER MEM_MOUNT CPU_MOUNT);
	put(TOP "/cpu,cpuacct/release_agent", "");
	put(TOP "/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
	put(TOP "/cpu,cpuacct/docker/7f/cpu.cfs_quota_us", quota_us);
	if (period_us)
		put(TOP "/cpu,cpuacct/docker/7f/cpu.cfs_period_us", period_us);
}

static void test_quota_v1(void **state)
{
	put_v1("-1\n", "100000\n");
	quota(FINDING_OK, "none", "");
	put_v1("50000\n", "25000\n");
	quota(FINDING_FAULT, "2 CPUs for the 4", "echo -1 > " TOP "/cpu,cpuacct/docker/7f/cpu.cfs");
	put_v1("50000\n", NULL);
	quota(FINDING_UNKNOWN, "", "cannot be read");
	put_v1("max\n", "100000\n");
	quota(FINDING_OK, "none", "");
	put_v1("0\n", "100000\n");
	quota(FINDING_UNKNOWN, "", "cannot be read");
	/* a container that shares the host's names but sees its own part of the tree only */
	fresh_tree();
	put(GROUP, "2:cpu:/docker/7f\n");
	put(MOUNTS, "33 31 0:30 /docker/7f " TOP "/cpu ro - cgroup cgroup rw,cpu\n");
	put(TOP "/cpu/cpu.cfs_quota_us", "100000\n");
	put(TOP "/cpu/cpu.cfs_period_us", "100000\n");
	quota(FINDING_FAULT, "1 CPU for the 4", "at most 1");
	put(TOP "/cpu/cpu.cfs_quota_us", "-1\n");
	quota(FINDING_UNKNOWN, "none as far as shown", "hides");
}

static void test_group_not_found(void **state)
{
	static const struct {
		const char *group, *mounts;
	} cases[] = {
		{"", OTHER V2_MOUNT},
		{"0::/\n", ""},
		{"0::/\n", OTHER},
		{"0:/\n", V2_MOUNT},
		{"garbage\n", V2_MOUNT},
		{"0::relative\n", V2_MOUNT},
		{"0::/not/there\n", V2_MOUNT},
		{"0::/../other\n", V2_MOUNT},
		{"0::/ab\n", "30 22 0:26 /a " TOP " rw - cgroup2 cgroup2 rw\n"},
		{"0::/\n", "30 22 0:26 /a " TOP " rw - cgroup2\n"},
		{"3:cpu:/\n", V2_MOUNT},
	};
	int i;

	quota(FINDING_UNKNOWN, "", "is not found");
	for (i = 0; i < NR(cases); i++) {
		fresh_tree();
		put(GROUP, cases[i].group);
		put(MOUNTS, cases[i].mounts);
		put(TOP "/cpu.max", "max 100000\n");
		quota(FINDING_UNKNOWN, "", "is not found");
	}
}

static void test_hierarchy(void **state)
{
	expect(four, "cgroup", FINDING_UNKNOWN, "", "no control group tree");
	put(GROUP, "0::/a\n");
	put(MOUNTS, OTHER V2_MOUNT);
	expect(four, "cgroup", FINDING_UNKNOWN, "v2", "not found");
	put(TOP "/a/cgroup.controllers", "cpuset cpu io memory pids\n");
	expect(four, "cgroup", FINDING_OK, "v2, memory controller on", "");
	put(TOP "/a/cgroup.controllers", "cpu\n");
	put(TOP "/cgroup.controllers", "cpuset cpu memory\n");
	expect(four, "cgroup", FINDING_WARNING, "off for our group", "subtree_control");
	put(TOP "/cgroup.controllers", "cpuset cpu memoryless\n");
	expect(four, "cgroup", FINDING_WARNING, "v2, no memory controller", "cgroup_disable");
	/* not the root: what is above may have it */
	put(TOP "/cgroup.events", "populated 1\n");
	expect(four, "cgroup", FINDING_WARNING, "off for our group", "subtree_control");
	put(GROUP, "5:memory:/a\n1:name=systemd:/a\n0::/a\n");
	put(MOUNTS, MEM_MOUNT);
	expect(four, "cgroup", FINDING_WARNING, "v1, memory controller on v1", "unified");
	put(MOUNTS, MEM_MOUNT V2_MOUNT);
	expect(four, "cgroup", FINDING_WARNING, "hybrid, memory controller on v1", "unified");
	put(GROUP, "0::/a\n");
	put(TOP "/a/cgroup.controllers", "memory\n");
	put(MOUNTS, CPU_MOUNT V2_MOUNT);
	expect(four, "cgroup", FINDING_OK, "hybrid, memory controller on", "");
}

/* overlay mounts have lines of many KiB; depth and length of names have no limit worth trusting */
static void test_long_lines(void **state)
{
	char *text = malloc(1 << 20);

	memset(text, 'l', 1 << 20);
	strcpy(text + (1 << 20) - sizeof("\n" V2_MOUNT), "\n" V2_MOUNT);
	put(GROUP, "0::/a\n");
	put(TOP "/a/cpu.max", "100000 100000\n");
	put(MOUNTS, text);
	quota(FINDING_FAULT, "1 CPU for the 4", "at most 1");
	memset(text, '/', 1 << 19);
	memcpy(text, "0::", 3);
	text[1 << 19] = 0;
	put(GROUP, text);
	quota(FINDING_UNKNOWN, "", "is not found");
	free(text);
}

int main(void)
{
	const struct CMUnitTest doctor_cgroup[] = {
		FOUR_TEST(test_quota_v2),
		FOUR_TEST(test_quota_v2_garbage),
		FOUR_TEST(test_quota_in_a_container),
		FOUR_TEST(test_quota_v1),
		FOUR_TEST(test_group_not_found),
		FOUR_TEST(test_hierarchy),
		FOUR_TEST(test_long_lines),
	};

	return run_tests(doctor_cgroup);
}
