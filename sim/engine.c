/* SPDX-License-Identifier: MIT */
#include "sim_private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench.h"
#include "stats.h"

#define STACK_SIZE  (256 << 10) /* reserved, not used: frames are large where nothing is optimized */
#define GUARD_SIZE  (64 << 10)	/* below each; of whole pages on any machine */
#define STAGGER	    1088	/* stacks that begin alike share the same few sets of every cache */
#define NR_STAGGERS 64
#define CPU_BITS    12
#define WORK_VARIES 250 /* of 1000 */
#define RELAX_PS    40000
#define CHUNK_OPS   8 /* between two looks at the end of the batch */

/* the simulation that this thread runs: katomic's hook has no room for it */
static _Thread_local struct sim *current;

/* ----------------------------------------------------------------------- heap */

static uint64_t key_of(const struct sim_cpu *c, int64_t at)
{
	return (uint64_t)at << CPU_BITS | (uint64_t)c->idx;
}

static void heap_push(struct sim *s, uint64_t key)
{
	int i = s->nr_heap++, up;

	for (; i; i = up) {
		up = (i - 1) / 2;
		if (s->heap[up] <= key)
			break;
		s->heap[i] = s->heap[up];
	}
	s->heap[i] = key;
}

static uint64_t heap_pop(struct sim *s)
{
	uint64_t top = s->heap[0], last = s->heap[--s->nr_heap];
	int i = 0, down;

	for (; (down = 2 * i + 1) < s->nr_heap; i = down) {
		if (down + 1 < s->nr_heap && s->heap[down + 1] < s->heap[down])
			down++;
		if (last <= s->heap[down])
			break;
		s->heap[i] = s->heap[down];
	}
	s->heap[i] = last;
	return top;
}

/* -------------------------------------------------------------------- switching */

bool engine_is_first(const struct sim *s, const struct sim_cpu *c)
{
	return !s->nr_heap || key_of(c, c->now) < s->heap[0];
}

void engine_schedule(struct sim *s, struct sim_cpu *c, int64_t at)
{
	heap_push(s, key_of(c, at));
}

void engine_yield(struct sim *s)
{
	fiber_switch(&s->running->fiber, &s->scheduler);
}

void engine_wait_turn(struct sim *s, struct sim_cpu *c)
{
	engine_schedule(s, c, c->now);
	engine_yield(s);
}

/* forever: chunks of operations, with a stop where a batch ends */
static void cpu_main(void *arg)
{
	struct sim_cpu *c = arg;
	struct sim *s = current;
	int64_t share = s->config->ops_per_worker;
	uint64_t chunk;

	for (;;) {
		chunk = s->long_ops ? 1 : CHUNK_OPS;
		if (share && (int64_t)(c->ops + chunk) > share)
			chunk = share - c->ops;
		if (!chunk) {
			c->done = true;
			engine_yield(s);
		}
		c->ops_asked += chunk;
		s->exp->run(s->shared, s->params, &c->w, chunk);
		c->ops += chunk;
		c->now += s->op_ps * (int64_t)chunk;
		c->time.other += s->op_ps * (int64_t)chunk;
		if (s->draining) {
			c->done = true;
			engine_yield(s);
		}
		if (c->now >= s->stop_at) {
			engine_wait_turn(s, c);
		}
	}
}

void engine_run(struct sim *s, int64_t until)
{
	struct sim *before = current;
	struct sim_cpu *c;
	uint64_t key;

	current = s;
	s->stop_at = until;
	while (s->nr_heap && (int64_t)(s->heap[0] >> CPU_BITS) < until &&
	       s->nr_accesses < s->max_accesses) {
		key = heap_pop(s);
		c = &s->cpu[key & ((1 << CPU_BITS) - 1)];
		c->now = (int64_t)(key >> CPU_BITS);
		if (c->line)
			line_grant(s, c);
		s->running = c;
		fiber_switch(&s->scheduler, &c->fiber);
		s->running = NULL;
	}
	current = before;
}

static int64_t op_of(const struct sim *s)
{
	const struct sim_profile *p = s->profile;
	int i;

	for (i = 0; i < p->nr_op; i++)
		if (!strcmp(p->op[i].experiment, s->config->experiment) &&
		    !memcmp(p->op[i].params, s->params, s->exp->params_size))
			return p->op[i].ps;
	return p->costs.op;
}

int engine_open(struct sim *s)
{
	char *stack;
	int i;

	s->op_ps = op_of(s);
	s->heap = calloc(s->nr + 1, sizeof(*s->heap));
	s->stacks = mmap(NULL, (size_t)(GUARD_SIZE + STACK_SIZE) * s->nr, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (s->stacks == MAP_FAILED)
		s->stacks = NULL;
	if (!s->heap || !s->stacks)
		return -ENOMEM;
	for (i = 0; i < s->nr; i++) {
		stack = (char *)s->stacks + (size_t)(GUARD_SIZE + STACK_SIZE) * i + GUARD_SIZE;
		if (mprotect(stack, STACK_SIZE, PROT_READ | PROT_WRITE))
			return -ENOMEM;
		/* tops at one offset would all fall into the same few sets of a cache */
		fiber_make(&s->cpu[i].fiber, stack, STACK_SIZE - i % 128 * 448, cpu_main,
			   &s->cpu[i]);
		engine_schedule(s, &s->cpu[i], 0);
	}
	return 0;
}

void engine_close(struct sim *s)
{
	if (s->stacks)
		munmap(s->stacks, (size_t)(GUARD_SIZE + STACK_SIZE) * s->nr);
	free(s->heap);
}

/* ------------------------------------------------- what the subjects were compiled against */

enum katomic_access {
	KATOMIC_READ,
	KATOMIC_WRITE,
	KATOMIC_ADD,
	KATOMIC_XCHG,
	KATOMIC_CMPXCHG,
	KATOMIC_POST
};
void katomic_hook(enum katomic_access access, const volatile void *addr, size_t size);
void katomic_relax(void);
void model_cpu_work_ns(int64_t n);

static void count_field(struct sim *s, enum katomic_access access, const volatile void *addr)
{
	int64_t at = arena_offset(s, addr);
	struct sim_field *f;

	for (f = s->field; f < s->field + s->nr_fields; f++) {
		if (at < f->offset || at >= f->offset + f->size)
			continue;
		if (access == KATOMIC_READ)
			f->reads++;
		else
			f->writes++;
	}
}

void katomic_hook(enum katomic_access access, const volatile void *addr, size_t size)
{
	struct sim *s = current;
	struct sim_line *l;

	/* setup and check are not simulated: they happen at no time on no CPU */
	if (!s || !s->running)
		return;
	if (s->count_fields)
		count_field(s, access, addr);
	l = arena_line(s, addr);
	if (l)
		line_access(s, l,
			    access == KATOMIC_READ    ? SIM_LOAD
			    : access == KATOMIC_WRITE ? SIM_STORE
			    : access == KATOMIC_POST  ? SIM_POST
						      : SIM_RMW,
			    (int)((uintptr_t)addr % LINE_SIZE / sizeof(long)));
}

/* a subject that touches nothing shared must not be able to run for ever: it counts as accesses do */
static void pause_for_others(struct sim *s)
{
	if (++s->nr_accesses >= s->max_accesses)
		engine_wait_turn(s, s->running);
}

/* PAUSE is some 140 cycles since Skylake and 10 before it and on Arm; nothing hangs on it but how
 * often a CPU looks for what another one writes */
void katomic_relax(void)
{
	struct sim *s = current;

	if (!s || !s->running)
		return;
	s->running->now += RELAX_PS;
	s->running->time.other += RELAX_PS;
	pause_for_others(s);
}

/* drawn within a quarter of its length: of CPUs that all work equally long, convoys would stay */
void model_cpu_work_ns(int64_t n)
{
	struct sim *s = current;
	int64_t ps;

	if (n <= 0 || !s || !s->running)
		return;
	ps = n * (1000 - WORK_VARIES) + stats_rng_below(&s->rng, 2 * WORK_VARIES * n + 1);
	s->running->now += ps;
	s->running->time.work += ps;
	pause_for_others(s);
}
