/* SPDX-License-Identifier: MIT */
/*
 * Memory of one window: fresh pages, so that every window samples other physical lines. Shared
 * lines and each worker's private lines come from separate mappings, since they may belong to
 * different nodes. Where the memory policy calls are refused, pages are touched first from a thread
 * on the right CPU, which places them as well but proves nothing.
 */
#include "bench_private.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef HAVE_NUMA
#include <numaif.h>
#endif

#define PAIR	   128UL /* two lines: the adjacent-line prefetcher joins them */
#define CHUNK_SIZE (256UL << 10)

struct chunk {
	struct chunk *next;
	char *base;
	size_t size, used, touched;
	int node; /* OS number; -1: interleaved */
};

struct kept {
	struct kept *next;
	struct chunk *chunk;
	size_t size;
};

struct arena {
	const struct topo *topo;
	const struct cpulist *cpus;
	int home_node;
	size_t page;
	struct chunk **worker; /* one chain per worker, and the shared one at nr */
	int bind_errno;	       /* first refusal of a memory policy call */
	struct kept **kept;    /* of the session */
	struct kept *in_use;   /* by this window */
};

struct arena *arena_open(const struct topo *topo, const struct cpulist *cpus, int home_node,
			 struct kept **kept)
{
	struct arena *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->topo = topo;
	a->cpus = cpus;
	a->home_node = home_node;
	a->kept = kept;
	a->page = sysconf(_SC_PAGESIZE);
	a->worker = calloc(cpus->nr + 1, sizeof(*a->worker));
	if (!a->worker) {
		free(a);
		return NULL;
	}
	return a;
}

void arena_close(struct arena *a)
{
	struct chunk *c, *next;
	int i;

	if (!a)
		return;
	for (i = 0; i <= a->cpus->nr; i++) {
		for (c = a->worker[i]; c; c = next) {
			next = c->next;
			munmap(c->base, c->size);
			free(c);
		}
	}
	free(a->worker);
	free(a);
}

#ifdef HAVE_NUMA
/* a bit per node up to the largest OS number: no fixed mask */
static int bind_chunk(const struct arena *a, const struct chunk *c)
{
	const int bits = 8 * sizeof(unsigned long);
	const struct topo_node *nodes;
	unsigned long *mask;
	int nr, i, max = c->node, rc;

	nodes = topo_nodes(a->topo, &nr);
	for (i = 0; i < nr; i++)
		if (nodes[i].os > max)
			max = nodes[i].os;
	if (max < 0)
		return 0;
	mask = calloc(max / bits + 1, sizeof(*mask));
	if (!mask)
		return -ENOMEM;
	if (c->node >= 0)
		mask[c->node / bits] |= 1UL << c->node % bits;
	for (i = 0; i < nr && c->node < 0; i++)
		if (nodes[i].default_target)
			mask[nodes[i].os / bits] |= 1UL << nodes[i].os % bits;
	rc = mbind(c->base, c->size, c->node < 0 ? MPOL_INTERLEAVE : MPOL_BIND, mask, max + 2, 0);
	rc = rc ? -errno : 0;
	free(mask);
	return rc;
}

static int nodes_of_pages(void **pages, int *node, unsigned long nr)
{
	return move_pages(0, nr, pages, NULL, node, 0) ? -errno : 0;
}
#else
static int bind_chunk(const struct arena *a, const struct chunk *c)
{
	return -EOPNOTSUPP;
}

static int nodes_of_pages(void **pages, int *node, unsigned long nr)
{
	return -EOPNOTSUPP;
}
#endif

/* a CPU whose local node is @node; -1: none */
static int cpu_near(const struct topo *topo, int node)
{
	const struct topo_node *nodes;
	const struct topo_cpu *cpus;
	int nr, nr_nodes, i;

	nodes = topo_nodes(topo, &nr_nodes);
	cpus = topo_cpus(topo, &nr);
	for (i = 0; i < nr; i++)
		if (cpus[i].node_near >= 0 && cpus[i].node_near < nr_nodes &&
		    nodes[cpus[i].node_near].os == node)
			return cpus[i].os;
	return -1;
}

/* the pages of [from, to), written once from where the policy or the first touch puts them */
static void touch(const struct arena *a, struct chunk *c, size_t to)
{
	size_t setsize = 0;
	cpu_set_t *old = NULL, *one = NULL;
	int cpu = a->bind_errno ? cpu_near(a->topo, c->node) : -1;

	if (cpu >= 0) {
		setsize = CPU_ALLOC_SIZE(CPULIST_MAX_CPU + 1);
		old = CPU_ALLOC(CPULIST_MAX_CPU + 1);
		one = CPU_ALLOC(CPULIST_MAX_CPU + 1);
	}
	if (old && one && !sched_getaffinity(0, setsize, old)) {
		CPU_ZERO_S(setsize, one);
		CPU_SET_S(cpu, setsize, one);
		sched_setaffinity(0, setsize, one);
	} else {
		cpu = -1;
	}
	for (; c->touched < to; c->touched += a->page)
		*(volatile char *)(c->base + c->touched) = 0;
	if (cpu >= 0)
		sched_setaffinity(0, setsize, old);
	CPU_FREE(old);
	CPU_FREE(one);
}

static struct chunk *add_chunk(struct arena *a, struct chunk **chain, size_t size, int node)
{
	struct chunk *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return NULL;
	c->size = (size + CHUNK_SIZE - 1) & ~(CHUNK_SIZE - 1);
	c->node = node;
	c->base = mmap(NULL, c->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c->base == MAP_FAILED) {
		free(c);
		return NULL;
	}
	/* small pages everywhere: a huge page would put all lines of a run in one place */
	madvise(c->base, c->size, MADV_NOHUGEPAGE);
	rc = bind_chunk(a, c);
	if (rc && !a->bind_errno)
		a->bind_errno = -rc;
	c->next = *chain;
	*chain = c;
	return c;
}

static void *take(struct arena *a, struct chunk **chain, size_t size, size_t align, int node)
{
	struct chunk *c = *chain;
	size_t at;

	if (align < PAIR)
		align = PAIR;
	size = (size + PAIR - 1) & ~(PAIR - 1);
	at = c ? (c->used + align - 1) & ~(align - 1) : 0;
	if (!c || at + size > c->size) {
		c = add_chunk(a, chain, size, node);
		if (!c)
			return NULL;
		at = 0;
	}
	c->used = at + size;
	touch(a, c, c->used);
	return c->base + at;
}

void *env_alloc(const struct env *env, size_t size, size_t align)
{
	struct arena *a = env->arena;

	return take(a, &a->worker[a->cpus->nr], size, align, a->home_node);
}

void *env_alloc_worker(const struct env *env, int idx, size_t size, size_t align)
{
	struct arena *a = env->arena;
	const struct topo_cpu *cpu = topo_cpu_by_os(a->topo, a->cpus->cpu[idx]);
	const struct topo_node *nodes;
	int nr;

	nodes = topo_nodes(a->topo, &nr);
	return take(a, &a->worker[idx], size, align,
		    cpu && cpu->node_near >= 0 && cpu->node_near < nr ? nodes[cpu->node_near].os
								      : a->home_node);
}

void *env_keep(const struct env *env, size_t size)
{
	struct arena *a = env->arena;
	struct kept *k = a->kept ? *a->kept : NULL;

	while (k && (k->size != size || k->chunk->node != a->home_node))
		k = k->next;
	if (!a->kept)
		return NULL;
	if (!k) {
		k = calloc(1, sizeof(*k));
		if (!k)
			return NULL;
		k->size = size;
		if (!take(a, &k->chunk, size, PAIR, a->home_node)) {
			free(k);
			return NULL;
		}
		k->next = *a->kept;
		*a->kept = k;
	}
	a->in_use = k;
	memset(k->chunk->base, 0, size);
	return k->chunk->base;
}

void kept_free(struct kept *k)
{
	struct kept *next;

	for (; k; k = next) {
		next = k->next;
		munmap(k->chunk->base, k->chunk->size);
		free(k->chunk);
		free(k);
	}
}

static int verify_chunk(const struct arena *a, const struct chunk *c)
{
	unsigned long nr = c->touched / a->page, i;
	void **pages = calloc(nr + 1, sizeof(*pages));
	int *node = calloc(nr + 1, sizeof(*node));
	int rc = pages && node ? 0 : -ENOMEM;

	for (i = 0; i < nr && !rc; i++)
		pages[i] = c->base + i * a->page;
	if (!rc)
		rc = nodes_of_pages(pages, node, nr);
	for (i = 0; i < nr && rc >= 0; i++) {
		if (node[i] < 0)
			rc = node[i];
		else
			rc = node[i] == c->node || c->node < 0;
		if (!rc)
			break;
	}
	free(pages);
	free(node);
	return rc;
}

static int say_unverified(int rc, char *note, size_t size)
{
	snprintf(note, size,
		 "where memory lies is not verified: %s%s; pages were placed by first touch",
		 rc == -EOPNOTSUPP ? "built without libnuma" : "the kernel will not say, ",
		 rc == -EOPNOTSUPP ? "" : strerror(-rc));
	return rc;
}

int arena_verify(struct arena *a, char *note, size_t size)
{
	struct chunk *c;
	int i, rc, all = 1;

	for (i = 0; i <= a->cpus->nr; i++) {
		for (c = a->worker[i]; c; c = c->next) {
			rc = verify_chunk(a, c);
			if (rc < 0)
				return say_unverified(rc, note, size);
			all &= rc;
		}
	}
	rc = a->in_use ? verify_chunk(a, a->in_use->chunk) : 1;
	return rc < 0 ? say_unverified(rc, note, size) : all & rc;
}
