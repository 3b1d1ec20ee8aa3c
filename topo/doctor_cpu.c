/* SPDX-License-Identifier: MIT */
/* How the CPUs run: their clock, their siblings, what the kernel keeps off them. */
#include "doctor_private.h"

#include <string.h>
#include <unistd.h>

#include "topo_private.h"

#define CPU_DIR "/sys/devices/system/cpu"

/* --------------------------------------------------------------- clock frequency */

static bool cpufreq_line(const struct exam *x, int cpu, const char *name, char *buf, size_t size)
{
	char path[96];

	snprintf(path, sizeof(path), CPU_DIR "/cpu%d/cpufreq/%s", cpu, name);
	return exam_line(x, NULL, path, buf, size);
}

static bool is_governor(const char *s)
{
	static const char *const known[] = {"performance", "powersave",	   "userspace",
					    "ondemand",	   "conservative", "schedutil"};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(s, known[i]))
			return true;
	return false;
}

void check_governor(const struct exam *x, struct finding *f)
{
	int nr, i, silent = 0, other = 0;
	const struct topo_cpu *cpus = topo_cpus(x->topo, &nr);
	char word[32], name[32] = "", driver[32], dir[64];

	for (i = 0; i < nr; i++) {
		if (!cpufreq_line(x, cpus[i].os, "scaling_governor", word, sizeof(word)) ||
		    !is_governor(word)) {
			silent++;
		} else if (strcmp(word, "performance")) {
			if (!other++)
				strcpy(name, word);
			else if (strcmp(name, word))
				strcpy(name, "several others");
		}
	}
	if (!cpufreq_line(x, cpus[0].os, "scaling_driver", driver, sizeof(driver)) ||
	    !exam_is_word(driver))
		strcpy(driver, "unknown");
	if (other) {
		found(f, strcmp(name, "userspace") ? FINDING_FAULT : FINDING_WARNING,
		      "%s on %d of %d CPUs, driver %s", name, other, nr, driver);
		advise(f, "the clock follows the load or a program: "
			  "cpupower frequency-set -g performance");
	} else if (silent == nr) {
		snprintf(dir, sizeof(dir), CPU_DIR "/cpu%d/cpufreq", cpus[0].os);
		advise(f, "%s: firmware or hypervisor sets the clock, and nothing here says how",
		       exam_there(x, dir) ? "no CPU names a governor that is known"
					  : "the CPUs have no cpufreq folder");
	} else {
		found(f, silent ? FINDING_UNKNOWN : FINDING_OK,
		      "performance on %d of %d CPUs, driver %s", nr - silent, nr, driver);
		if (silent)
			advise(f, "%d CPUs do not name a governor that is known", silent);
	}
}

static void turbo_is(struct finding *f, bool on, const char *path, int64_t value)
{
	found(f, on ? FINDING_WARNING : FINDING_OK, "%s (%s is %d)", on ? "on" : "off",
	      path + strlen(CPU_DIR "/"), (int)value);
	if (on)
		advise(f,
		       "the clock depends on how many cores are busy and how warm they are: "
		       "echo %d > %s",
		       !value, path);
}

/* one switch for all, where the driver has one; else a switch of each CPU */
void check_turbo(const struct exam *x, struct finding *f)
{
	static const char no_turbo[] = CPU_DIR "/intel_pstate/no_turbo",
			  boost[] = CPU_DIR "/cpufreq/boost";
	int nr, i, on = 0, known = 0;
	const struct topo_cpu *cpus = topo_cpus(x->topo, &nr);
	char text[8];
	int64_t v;

	if (exam_there(x, no_turbo)) {
		if (exam_number(x, f, no_turbo, 0, 1, &v))
			turbo_is(f, !v, no_turbo, v);
		return;
	}
	if (exam_there(x, boost)) {
		if (exam_number(x, f, boost, 0, 1, &v))
			turbo_is(f, v, boost, v);
		return;
	}
	for (i = 0; i < nr; i++) {
		cpufreq_line(x, cpus[i].os, "boost", text, sizeof(text));
		on += !strcmp(text, "1");
		known += !strcmp(text, "1") || !strcmp(text, "0");
	}
	if (on) {
		found(f, FINDING_WARNING, "on for %d of %d CPUs", on, nr);
		advise(f, "the clock depends on how many cores are busy and how warm they are: "
			  "write 0 to " CPU_DIR "/cpu*/cpufreq/boost");
	} else if (known == nr) {
		found(f, FINDING_OK, "off for all %d CPUs", nr);
	} else {
		advise(f, "neither intel_pstate/no_turbo nor cpufreq/boost is in " CPU_DIR
			  ": look at the firmware setup");
	}
}

/* ---------------------------------------------------------------------- siblings */

void check_smt(const struct exam *x, struct finding *f)
{
	static const char control_path[] = CPU_DIR "/smt/control",
			  active_path[] = CPU_DIR "/smt/active";
	int threads = topo_info(x->topo)->smt_max;
	char control[32];
	int64_t active;

	if (!exam_line(x, f, control_path, control, sizeof(control))) {
		if (threads)
			found(f, FINDING_UNKNOWN, "%d per core of those we may use", threads);
		return;
	}
	if (!exam_is_word(control))
		return exam_garbage(f, control_path, control);
	if (!strcmp(control, "off") || !strcmp(control, "forceoff") ||
	    !strcmp(control, "notsupported")) {
		found(f, FINDING_OK, "%s", control);
		return;
	}
	/* "on", on Power also a number; "notimplemented": active still tells */
	if (!exam_number(x, f, active_path, 0, 1, &active))
		return;
	if (!active) {
		found(f, FINDING_OK, "control %s, no core has two threads online", control);
		return;
	}
	if (threads)
		found(f, FINDING_WARNING, "control %s, active, %d per core of those we may use",
		      control, threads);
	else
		found(f, FINDING_WARNING, "control %s, active", control);
	advise(f,
	       "two threads share a core: keep workers <= cores (cores-first leaves siblings "
	       "idle), or echo off > %s",
	       control_path);
}

/* ------------------------------------------------------------- isolated, tickless */

static void isolation(const struct exam *x, struct finding *f, const char *path, const char *what)
{
	char text[EXAM_MAX_LINE];
	int nr, i, ours = 0;
	const struct topo_cpu *cpus = topo_cpus(x->topo, &nr);
	struct cpulist list = CPULIST_INIT;

	if (!exam_line(x, f, path, text, sizeof(text)))
		return;
	if (!*text || !strcmp(text, "(null)")) {
		found(f, FINDING_OK, "none");
		return;
	}
	if (cpulist_parse(text, &list, NULL))
		return exam_garbage(f, path, text);
	for (i = 0; i < nr; i++)
		ours += cpulist_has(&list, cpus[i].os);
	if (ours == nr) {
		found(f, FINDING_OK, "%.80s: all %d CPUs that we may use", text, nr);
	} else if (ours) {
		found(f, FINDING_WARNING, "%.80s: %d of the %d CPUs that we may use", text, ours,
		      nr);
		advise(f,
		       "workers on %s CPUs and on others do not compare: name one kind with "
		       "--placement CPULIST",
		       what);
	} else {
		found(f, FINDING_WARNING, "%.80s: none of the CPUs that we may use", text);
		advise(f, "the %s CPUs would be quieter: start under taskset -c %.80s", what, text);
	}
	cpulist_free(&list);
}

void check_isolcpus(const struct exam *x, struct finding *f)
{
	isolation(x, f, CPU_DIR "/isolated", "isolated");
}

void check_nohz_full(const struct exam *x, struct finding *f)
{
	isolation(x, f, CPU_DIR "/nohz_full", "tickless");
}

/* ------------------------------------------------------------------- clock source */

void check_clocksource(const struct exam *x, struct finding *f)
{
	static const char path[] = "/sys/devices/system/clocksource/clocksource0/current_"
				   "clocksource";
	static const struct {
		const char *name;
		enum finding_state state;
	} known[] = {
		/* read by an instruction, without a system call */
		{"tsc", FINDING_OK},
		{"kvm-clock", FINDING_OK},
		{"hyperv_clocksource_tsc_page", FINDING_OK},
		{"arch_sys_counter", FINDING_OK},
		{"timebase", FINDING_OK},
		{"tod", FINDING_OK},
		{"riscv_clocksource", FINDING_OK},
		{"stick", FINDING_OK},
		/* a system call */
		{"tsc-early", FINDING_WARNING},
		{"xen", FINDING_WARNING},
		{"hyperv_clocksource_msr", FINDING_WARNING},
		/* a device that all CPUs share, or the timer tick */
		{"hpet", FINDING_FAULT},
		{"acpi_pm", FINDING_FAULT},
		{"pit", FINDING_FAULT},
		{"jiffies", FINDING_FAULT},
		{"refined-jiffies", FINDING_FAULT},
	};
	char name[32];
	size_t i;

	if (!exam_line(x, f, path, name, sizeof(name)))
		return;
	if (!exam_is_word(name))
		return exam_garbage(f, path, name);
	found(f, FINDING_UNKNOWN, "%s", name);
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i].name))
			f->state = known[i].state;
	if (f->state == FINDING_UNKNOWN)
		advise(f, "whether it is read without a system call is not known; the report "
			  "shows what a reading costs");
	else if (f->state == FINDING_WARNING)
		advise(f, "a reading of the clock may be a system call: clocksource=tsc on the "
			  "kernel command line, where that clock is stable");
	else if (f->state == FINDING_FAULT)
		advise(f, "every reading of the clock is slow: dmesg says why the TSC was dropped; "
			  "tsc=reliable on the kernel command line keeps a sound one");
}

/* --------------------------------------------------------------------- prefetcher */

/* reading the register is for those who know the CPU model: the bits differ */
void check_prefetcher(const struct exam *x, struct finding *f)
{
	char msr[EXAM_MAX_PATH];

	if (strcmp(x->topo->id.vendor, "GenuineIntel"))
		advise(f, "no file says whether prefetchers are on: look at the firmware setup");
	else if (exam_path(x, msr, sizeof(msr), "/dev/cpu/0/msr") && !access(msr, R_OK))
		advise(f, "no file says it: rdmsr -a 0x1a4 does, a set bit is off, bit 1 is the "
			  "one that joins lines in pairs; a virtual machine may answer 0");
	else
		advise(f, "no file says it: as root, modprobe msr, then rdmsr -a 0x1a4; a set bit "
			  "is off, bit 1 is the one that joins lines in pairs");
}
