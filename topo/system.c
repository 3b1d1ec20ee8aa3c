/* SPDX-License-Identifier: MIT */
#include "topo_private.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

/* the kernel refuses a mask shorter than its own, whose length only trying tells */
int system_affinity(struct cpulist *out, struct err *err)
{
	cpu_set_t *set;
	size_t size;
	int nr, cpu, rc = 0;

	for (nr = 1024; nr <= 1 << 20; nr *= 2) {
		set = CPU_ALLOC(nr);
		size = CPU_ALLOC_SIZE(nr);
		if (!set)
			return err_set(err, -ENOMEM, "out of memory for the CPU affinity");
		if (!sched_getaffinity(0, size, set)) {
			for (cpu = 0; !rc && cpu < (int)size * 8; cpu++)
				if (CPU_ISSET_S(cpu, size, set))
					rc = cpulist_add(out, cpu);
			CPU_FREE(set);
			return rc ? err_set(err, rc, "out of memory for the CPU affinity") : 0;
		}
		rc = -errno;
		CPU_FREE(set);
		if (rc != -EINVAL)
			break;
		rc = 0;
	}
	rc = rc ? rc : -EINVAL;
	return err_set(err, rc, "cannot read the CPU affinity: %s", strerror(-rc));
}

bool system_read_line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok;

	buf[0] = 0;
	if (!f)
		return false;
	ok = fgets(buf, (int)size, f);
	fclose(f);
	buf[strcspn(buf, "\n")] = 0;
	return ok;
}

static bool cpuinfo_field(const char *line, const char *name, char *value, size_t size)
{
	const char *colon = strchr(line, ':');
	size_t len = strlen(name);

	if (!colon || strncmp(line, name, len) || line + len + strspn(line + len, " \t") != colon)
		return false;
	snprintf(value, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
	value[strcspn(value, "\n")] = 0;
	return *value;
}

void system_cpu_id(struct cpu_id *id, char *model, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[1024], value[128];

	if (!f)
		return;
	while (fgets(line, sizeof(line), f) && line[0] != '\n') {
		if (cpuinfo_field(line, "vendor_id", value, sizeof(value)))
			snprintf(id->vendor, sizeof(id->vendor), "%.30s", value);
		else if (cpuinfo_field(line, "cpu family", value, sizeof(value)))
			id->family = atoi(value);
		else if (cpuinfo_field(line, "model name", value, sizeof(value)) ||
			 cpuinfo_field(line, "cpu", value, sizeof(value)))
			snprintf(model, size, "%s", value);
		else if (cpuinfo_field(line, "model", value, sizeof(value)))
			id->model = atoi(value);
		else if (cpuinfo_field(line, "stepping", value, sizeof(value)))
			id->stepping = atoi(value);
		else if (cpuinfo_field(line, "CPU implementer", value, sizeof(value)))
			id->implementer = (int)strtol(value, NULL, 0);
		else if (cpuinfo_field(line, "CPU part", value, sizeof(value)))
			id->part = (int)strtol(value, NULL, 0);
	}
	fclose(f);
}

#ifdef __x86_64__
/* leaf 0x40000000: __get_cpuid would refuse it, it lies outside the range it checks */
static bool cpuid_hypervisor(char sig[13])
{
	unsigned int a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 31))
		return false;
	__cpuid(0x40000000, a, b, c, d);
	memcpy(sig, &b, 4);
	memcpy(sig + 4, &c, 4);
	memcpy(sig + 8, &d, 4);
	sig[12] = 0;
	return true;
}
#else
static bool cpuid_hypervisor(char sig[13])
{
	return false;
}
#endif

static const char *signature_name(const char *sig)
{
	static const struct {
		const char *sig, *name;
	} known[] = {{"TCGTCGTCGTCG", "qemu-tcg"},   {"KVMKVMKVM", "kvm"},
		     {"Linux KVM Hv", "kvm"},	     {"VMwareVMware", "vmware"},
		     {"Microsoft Hv", "hyperv"},     {"XenVMMXenVMM", "xen"},
		     {"VBoxVBoxVBox", "virtualbox"}, {"bhyve bhyve ", "bhyve"},
		     {" lrpepyh  vr", "parallels"},  {"ACRNACRNACRN", "acrn"},
		     {"Jailhouse", "jailhouse"},     {"QNXQVMBSQG", "qnx"}};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(sig, known[i].sig))
			return known[i].name;
	return "unknown";
}

/* where CPUID does not exist or says nothing: the firmware tables */
static void firmware_hypervisor(char *name, size_t size)
{
	static const char *const files[] = {
		"/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name",
		"/sys/class/dmi/id/board_vendor", "/proc/device-tree/hypervisor/compatible"};
	char text[128];
	size_t i;

	if (system_read_line("/sys/hypervisor/type", text, sizeof(text)))
		snprintf(name, size, "%.30s", text);
	for (i = 0; !*name && i < sizeof(files) / sizeof(files[0]); i++)
		if (system_read_line(files[i], text, sizeof(text)))
			snprintf(name, size, "%s", topo_platform_hypervisor(text));
}

void system_hypervisor(char *name, size_t size)
{
	char sig[13];

	if (cpuid_hypervisor(sig))
		snprintf(name, size, "%s", signature_name(sig));
	else
		firmware_hypervisor(name, size);
}

bool system_smt_off(void)
{
	char text[64];

	return system_read_line("/sys/devices/system/cpu/smt/control", text, sizeof(text)) &&
	       (!strcmp(text, "off") || !strcmp(text, "forceoff"));
}

bool system_nodes_missing(void)
{
	return access("/sys/devices/system/node", F_OK) != 0;
}

bool system_has_node(int node)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d", node);
	return !access(path, F_OK);
}

/* the node the kernel has for a CPU, even one without memory that hwloc leaves out */
static int kernel_node(const char *root, int cpu)
{
	char path[256];
	int node;

	for (node = 0; node < 1024; node++) {
		snprintf(path, sizeof(path), "%s/cpu/cpu%d/node%d", root, cpu, node);
		if (!access(path, F_OK))
			return node;
	}
	return -1;
}

int system_near_node(const char *root, int cpu, const struct topo *topo)
{
	struct cpulist online = CPULIST_INIT;
	char path[256], text[4096], *s, *end;
	int node = kernel_node(root, cpu), i, n, best = -1;
	long d, nearest = 0;

	snprintf(path, sizeof(path), "%s/node/online", root);
	if (node < 0 || !system_read_line(path, text, sizeof(text)) ||
	    cpulist_parse(text, &online, NULL))
		return -1;
	snprintf(path, sizeof(path), "%s/node/node%d/distance", root, node);
	if (!system_read_line(path, text, sizeof(text)))
		goto out;
	for (i = 0, s = text; i < online.nr; i++, s = end) {
		d = strtol(s, &end, 10);
		if (end == s)
			break;
		n = topo_node_index(topo, online.cpu[i]);
		if (n < 0 || (!topo->nodes[n].memory && topo->nodes[n].memory_known))
			continue;
		if (best < 0 || d < nearest) {
			best = n;
			nearest = d;
		}
	}
out:
	cpulist_free(&online);
	return best;
}
