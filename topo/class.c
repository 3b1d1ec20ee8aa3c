/* SPDX-License-Identifier: MIT */
#include "topo_private.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* the rule is this text: "chargeline topo --help" prints it, name_class() follows it */
static const char help[] =
	"Machine class: machines of one class are expected to give the same answer.\n"
	"\n"
	"  <uarch>-<S>s<C>c<T>t-<N>n[marks]       icx-2s40c2t-2n, zen3-2s64c2t-8n-nps4-8l3\n"
	"\n"
	"  uarch  microarchitecture, from CPUID family, model and stepping or the Arm MIDR; where a\n"
	"         recorded machine has no numbers, from its CPU model text. Processors that the table\n"
	"         lacks are intel-<family>-<model>, amd-..., arm-<implementer>-<part>; with nothing to\n"
	"         go by: unknown.\n"
	"  S      sockets with usable CPUs: packages; nodes where the machine shows no packages or one\n"
	"         package per core\n"
	"  C      usable cores of the largest socket (CPUs, where the machine shows no cores)\n"
	"  T      threads of the widest core\n"
	"  N      memory nodes with general memory and CPUs of their own; GPU memory, HBM and slow\n"
	"         memory beside such a node do not count\n"
	"\n"
	"Marks, always in this order:\n"
	"  -sncK         K nodes in every socket (Intel)\n"
	"  -npsK         the same elsewhere\n"
	"  -l3numa       a node for each of several L3 caches, where K is none of 2 and 4\n"
	"  -Kl3          K > 1 L3 caches in the socket that has most\n"
	"  -asymC        sockets differ in cores; C is the sum over all\n"
	"  -hybridF+E    kinds of cores: the fastest first, with the cores of each\n"
	"  -vm           virtual machine; -vm-tcg: emulated, times mean nothing\n"
	"  -restricted   cpuset, cgroup or affinity hide CPUs or nodes: the shape is what is left\n"
	"  -smtoff       second threads exist and are offline\n"
	"  -nolocal      some CPU has no local memory\n"
	"  -nocore       the machine shows no cores\n"
	"  -nol3         the machine shows no L3 cache\n"
	"\n"
	"Node numbers, CPU numbers and their order, memory sizes and distances are not part of it.";

const char *topo_class_help(void)
{
	return help;
}

/* words that DMI, the device tree or the CPU's own name use */
const char *topo_platform_hypervisor(const char *text)
{
	static const struct {
		const char *word, *name;
	} words[] = {{"QEMU Virtual CPU", "qemu"},
		     {"QEMU", "qemu"},
		     {"Common KVM processor", "kvm"},
		     {"KVM", "kvm"},
		     {"linux,kvm", "kvm"},
		     {"VMware", "vmware"},
		     {"VirtualBox", "virtualbox"},
		     {"innotek", "virtualbox"},
		     {"Xen", "xen"},
		     {"Parallels", "parallels"},
		     {"Bochs", "bochs"},
		     {"BHYVE", "bhyve"},
		     {"OpenStack", "kvm"},
		     {"Google Compute Engine", "kvm"},
		     {"Virtual Machine", "hyperv"}};
	size_t i;

	/* Amazon's bare metal and its virtual machines differ in the product only */
	if (strstr(text, "Amazon EC2"))
		return strstr(text, ".metal") ? "" : "kvm";
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(text, words[i].word))
			return words[i].name;
	return "";
}

struct shape {
	int *cores, *caches; /* per socket */
	int max_cores, sum_cores, max_caches, nodes;
	bool equal, no_local;
};

static int measure_shape(const struct topo *t, struct shape *s)
{
	int nr = t->info.sockets, *seen, i;

	memset(s, 0, sizeof(*s));
	s->cores = calloc(nr + 1, sizeof(int));
	s->caches = calloc(nr + 1, sizeof(int));
	seen = calloc(t->info.l3_caches + 1, sizeof(int));
	for (i = 0; s->cores && s->caches && seen && i < t->nr_cpus; i++) {
		s->cores[t->cpus[i].socket] += !t->cpus[i].smt;
		if (t->cpus[i].l3 >= 0 && !seen[t->cpus[i].l3]++)
			s->caches[t->cpus[i].socket]++;
		s->no_local |= t->cpus[i].node < 0;
	}
	s->equal = true;
	for (i = 0; s->cores && s->caches && i < nr; i++) {
		s->sum_cores += s->cores[i];
		s->equal &= s->cores[i] == s->cores[0];
		if (s->cores[i] > s->max_cores)
			s->max_cores = s->cores[i];
		if (s->caches[i] > s->max_caches)
			s->max_caches = s->caches[i];
	}
	for (i = 0; i < t->nr_nodes; i++)
		s->nodes += t->nodes[i].default_target;
	i = s->cores && s->caches && seen ? 0 : -ENOMEM;
	free(s->cores);
	free(s->caches);
	free(seen);
	return i;
}

static void __attribute__((format(printf, 2, 3))) append(struct topo *t, const char *fmt, ...)
{
	size_t len = strlen(t->info.class_name);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->info.class_name + len, sizeof(t->info.class_name) - len, fmt, ap);
	va_end(ap);
}

static bool looks_intel(const struct topo *t)
{
	return !strcmp(t->id.vendor, "GenuineIntel") || strstr(t->info.model, "Intel");
}

static void mark_nodes(struct topo *t, const struct shape *s)
{
	int k = s->nodes / t->info.sockets;

	if (k < 2 || s->nodes % t->info.sockets)
		return;
	if (looks_intel(t))
		append(t, "-snc%d", k);
	else if (k == s->max_caches && k != 2 && k != 4)
		append(t, "-l3numa");
	else
		append(t, "-nps%d", k);
}

static void mark_kinds(struct topo *t)
{
	int i;

	for (i = t->nr_kinds - 1; t->nr_kinds > 1 && i >= 0; i--)
		append(t, "%s%d", i == t->nr_kinds - 1 ? "-hybrid" : "+", t->kinds[i].nr_cores);
}

static int name_class(struct topo *t)
{
	const struct topo_info *info = &t->info;
	struct shape s;

	if (measure_shape(t, &s))
		return -ENOMEM;
	t->info.class_name[0] = 0;
	append(t, "%s-%ds%dc%dt-%dn", info->uarch, info->sockets, s.max_cores,
	       info->smt_max ? info->smt_max : 1, s.nodes);
	mark_nodes(t, &s);
	if (s.max_caches > 1)
		append(t, "-%dl3", s.max_caches);
	if (!s.equal)
		append(t, "-asym%d", s.sum_cores);
	mark_kinds(t);
	append(t, "%s%s%s%s%s%s%s", *info->hypervisor ? "-vm" : "",
	       !strcmp(info->hypervisor, "qemu-tcg") ? "-tcg" : "",
	       info->restricted ? "-restricted" : "", info->smt_off ? "-smtoff" : "",
	       s.no_local ? "-nolocal" : "", info->cores ? "" : "-nocore",
	       info->l3_caches ? "" : "-nol3");
	return 0;
}

/* what a recorded machine does not tell core by core: as many offline as online, twice as many, ... */
static bool siblings_offline(const struct topo_info *info)
{
	int online = info->pus + info->pus_disallowed;

	return info->smt_max == 1 && info->pus_offline && info->pus_offline % online == 0;
}

int topo_classify(struct topo *t)
{
	struct topo_info *info = &t->info;

	topo_uarch(&t->id, info->model, info->uarch, sizeof(info->uarch));
	if (!*info->hypervisor && !info->is_this_system)
		snprintf(info->hypervisor, sizeof(info->hypervisor), "%s",
			 topo_platform_hypervisor(info->model));
	if (!*info->hypervisor && !info->is_this_system)
		snprintf(info->hypervisor, sizeof(info->hypervisor), "%s",
			 topo_platform_hypervisor(t->id.platform));
	if (siblings_offline(info))
		info->smt_off = true;
	return name_class(t);
}
