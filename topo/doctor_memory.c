/* SPDX-License-Identifier: MIT */
/* Where memory is, who may move it, and what this kernel charges for it. */
#include "doctor_private.h"

#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "topo_private.h"

void check_numa_balancing(const struct exam *x, struct finding *f)
{
	static const char path[] = "/proc/sys/kernel/numa_balancing";
	int nodes = topo_info(x->topo)->numa_nodes;
	int64_t v;

	if (!exam_number(x, f, path, 0, INT32_MAX, &v))
		return;
	found(f, v && nodes > 1 ? FINDING_WARNING : FINDING_OK, "%s (%d), %d node%s",
	      v ? "on" : "off", (int)v, nodes, nodes == 1 ? "" : "s");
	if (f->state != FINDING_OK)
		advise(f,
		       "the kernel unmaps pages to see who uses them, and moves them: echo 0 > "
		       "%s",
		       path);
}

/* ---------------------------------------------------------------- memory policy calls */

static int bind_to(void *page, size_t size, int node)
{
	const int bits = 8 * sizeof(unsigned long);
	unsigned long *mask = calloc(node / bits + 1, sizeof(*mask));
	int rc;

	if (!mask)
		return -ENOMEM;
	mask[node / bits] |= 1UL << node % bits;
	rc = syscall(SYS_mbind, page, size, MPOL_BIND, mask, node + 2UL, 0) ? -errno : 0;
	free(mask);
	return rc;
}

/* the name of the call that was refused and why, or NULL with the node; on a page that is touched */
static const char *refused_call(void *page, size_t size, int near, int *node, int *error)
{
	int status = -1;

	*node = near;
	if (syscall(SYS_get_mempolicy, node, NULL, 0UL, page, MPOL_F_NODE | MPOL_F_ADDR)) {
		*error = errno;
		return "get_mempolicy";
	}
	*error = -bind_to(page, size, *node);
	if (*error)
		return "mbind";
	if (syscall(SYS_move_pages, 0, 1UL, &page, NULL, &status, 0)) {
		*error = errno;
		return "move_pages";
	}
	*error = status < 0 ? -status : EIO;
	return status == *node ? NULL : "move_pages";
}

void check_mempolicy(const struct exam *x, struct finding *f)
{
	size_t size = sysconf(_SC_PAGESIZE);
	const struct topo_info *info = topo_info(x->topo);
	int nr, node = 0, error = 0;
	const struct topo_node *nodes = topo_nodes(x->topo, &nr);
	const char *call;
	char *page;

	if (!x->live)
		return advise(f, "not tried: this is not the running system");
	page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return advise(f, "not tried: no page to try it on: %s", strerror(errno));
	page[0] = 1;
	call = refused_call(page, size, nr ? nodes[0].os : 0, &node, &error);
	munmap(page, size);
	if (!call) {
		found(f, FINDING_OK, "a page was bound to node %d and is there", node);
		return;
	}
	found(f, info->numa_nodes > 1 ? FINDING_FAULT : FINDING_WARNING, "%s: %s", call,
	      strerror(error));
	if (error == ENOSYS && info->nodes_assumed) {
		f->state = FINDING_UNKNOWN;
		advise(f, "this kernel has no NUMA, or it is hidden: one node is assumed");
	} else {
		advise(f,
		       "%s (Docker: --cap-add SYS_NICE): memory is placed by first touch, and "
		       "where it is stays unproved",
		       error == EPERM || error == EACCES || error == ENOSYS
			       ? "a seccomp filter or a security module refuses it"
			       : "the kernel refuses it");
	}
}

void check_hidden_nodes(const struct exam *x, struct finding *f)
{
	const struct topo_info *info = topo_info(x->topo);

	if (info->nodes_assumed)
		return advise(f, "this kernel shows no NUMA nodes: one is assumed");
	found(f, FINDING_OK, "%d node%s, %d package%s, %d L3 cache%s", info->numa_nodes,
	      info->numa_nodes == 1 ? "" : "s", info->packages, info->packages == 1 ? "" : "s",
	      info->l3_caches, info->l3_caches == 1 ? "" : "s");
	if (info->numa_nodes < info->sockets) {
		f->state = FINDING_WARNING;
		advise(f, "memory is interleaved over the packages, so no line has a home: switch "
			  "node interleaving off in the firmware setup");
	} else if (info->numa_nodes == 1 && info->l3_caches > 1) {
		f->state = FINDING_WARNING;
		advise(f, "CPUs of one node differ in latency: choose them by L3 (one-l3), or show "
			  "nodes in the firmware setup (NPS, L3 as NUMA domain)");
	} else if (!info->l3_caches) {
		f->state = FINDING_UNKNOWN;
		advise(f, "no L3 cache is shown: whether one node holds several groups is not "
			  "known");
	}
}

/* "always [madvise] never": the chosen word */
void check_thp(const struct exam *x, struct finding *f)
{
	static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
	char text[128], *word, *end;

	if (!exam_line(x, f, path, text, sizeof(text)))
		return;
	word = strchr(text, '[');
	end = word ? strchr(word, ']') : NULL;
	if (end)
		*end = 0;
	if (!end || !exam_is_word(word + 1))
		return exam_garbage(f, path, text);
	word++;
	if (!strcmp(word, "always")) {
		found(f, FINDING_WARNING, "%s", word);
		advise(f,
		       "huge pages come and go by chance, and khugepaged copies: echo madvise > "
		       "%s",
		       path);
	} else if (!strcmp(word, "madvise") || !strcmp(word, "never")) {
		found(f, FINDING_OK, "%s", word);
	} else {
		exam_garbage(f, path, word);
	}
}

/* mm/memcontrol.c: 32 pages until batch 64 was merged in August 2022, for what became 6.1 */
void check_charge_batch(const struct exam *x, struct finding *f)
{
	static const char path[] = "/proc/sys/kernel/osrelease";
	int major, minor;
	char text[128];

	if (!exam_line(x, f, path, text, sizeof(text)))
		return;
	if (text[0] < '0' || text[0] > '9' || sscanf(text, "%4d.%4d", &major, &minor) != 2 ||
	    major < 0 || minor < 0)
		return exam_garbage(f, path, text);
	found(f, FINDING_UNKNOWN, "%d pages by release, %.40s",
	      major > 6 || (major == 6 && minor >= 1) ? 64 : 32, text);
	advise(f, "no file says it: MEMCG_CHARGE_BATCH is 32 before 6.1 and 64 from 6.1 on; "
		  "distributions may differ, so look in the source of this kernel");
}
