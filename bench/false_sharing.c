/* SPDX-License-Identifier: MIT */
/*
 * false_sharing - fields that nobody shares, and the distance at which they stop being shared
 *
 *   parity=even, distance=8     line 2N    [0][1].......                     |
 *   parity=even, distance=64    line 2N    [0]..........  line 2N+1 [1]......|
 *   parity=odd,  distance=64    line 2N+1  [0]..........  line 2N+2 [1]......|
 *   distance=0                  line       [0 and 1]....                     |
 *
 * Worker i has the 8 bytes at i * distance and uses no others. What the distance costs beyond that
 * is the hardware's: lines are 64 bytes, and where an adjacent-line prefetcher joins lines 2N and
 * 2N+1 (not 2N+1 and 2N+2) two lines act as one of 128 bytes. Such a pair cost 22.7% of
 * will-it-scale page_fault2 in kernel 5.10 (commit 4df910620beb), hence the parity.
 *
 *   writers        everybody writes his own field
 *   writer_reader  worker 0 writes its field, the others read theirs, which nobody ever writes
 *
 * At distance 0 the fields are one, and truly shared.
 */
#include "experiment.h"

#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "katomic.h"

#define LINE 64

enum fs_pattern { FS_WRITERS, FS_WRITER_READER };
enum fs_parity { FS_EVEN, FS_ODD };
enum fs_op { FS_ADD, FS_STORE };

struct fs_params {
	int64_t distance, pattern, parity, op, work_ns;
};

struct fs_worker {
	atomic_long_t *field;
	long nr_stores; /* op=store: what the field holds after the worker's last one */
	uint64_t nr_reads;
	long seen; /* the sum of what a reader read */
};

struct fs_shared {
	char *first; /* field of worker 0 */
	int64_t distance;
	int nr_fields;
};

static const char *const pattern_names[] = {"writers", "writer_reader", NULL};
static const char *const parity_names[] = {"even", "odd", NULL};
static const char *const op_names[] = {"add", "store", NULL};

#define FS_OFF(field) offsetof(struct fs_params, field)
static const struct param fs_params_table[] = {
	{"distance", "bytes", "from one worker's field to the next; 0: they share it", 64, 0, 256,
	 8, NULL, FS_OFF(distance)},
	{"pattern", "", "everybody writes his own field, or worker 0 writes and the others read",
	 FS_WRITERS, 0, FS_WRITER_READER, 0, pattern_names, FS_OFF(pattern)},
	{"parity", "", "the first field is in line 2N or 2N+1 of a 128-byte pair", FS_EVEN, 0,
	 FS_ODD, 0, parity_names, FS_OFF(parity)},
	{"op", "", "what a writer does: an atomic addition, or a plain store of its count", FS_ADD,
	 0, FS_STORE, 0, op_names, FS_OFF(op)},
	{"work_ns", "ns", "local work per operation", 0, 0, 1000000, 0, NULL, FS_OFF(work_ns)},
	{NULL}};

static const struct metric fs_metrics[] = {
	{"writer_part", "of all", "pattern=writer_reader: operations of worker 0 among all"},
	{NULL}};

static int fs_setup(const struct env *env, const void *params, struct worker *workers,
		    void **shared, struct err *err)
{
	const struct fs_params *p = params;
	struct fs_shared *s = env_alloc(env, sizeof(*s), 128);
	size_t first = p->parity == FS_ODD ? LINE : 0;
	struct fs_worker *me;
	char *block;
	int i;

	block = env_alloc(env, first + p->distance * (env->nr_workers - 1) + sizeof(*me->field),
			  128);
	if (!s || !block)
		return err_set(err, -ENOMEM, "out of memory");
	*s = (struct fs_shared){block + first, p->distance, p->distance ? env->nr_workers : 1};
	for (i = 0; i < env->nr_workers; i++) {
		me = env_alloc_worker(env, i, sizeof(*me), 64);
		if (!me)
			return err_set(err, -ENOMEM, "out of memory");
		me->field = (atomic_long_t *)(s->first + i * p->distance);
		workers[i].priv = me;
	}
	*shared = s;
	return 0;
}

static bool reads(const struct fs_params *p, int worker)
{
	return p->pattern == FS_WRITER_READER && worker > 0;
}

#define FS_LOOP(step)                         \
	for (; nr_ops; nr_ops--) {            \
		if (work_ns)                  \
			cpu_work_ns(work_ns); \
		step;                         \
	}

static void fs_run(void *shared, const void *params, struct worker *w, uint64_t nr_ops)
{
	const struct fs_params *p = params;
	const int64_t work_ns = p->work_ns;
	struct fs_worker *me = w->priv;
	atomic_long_t *field = me->field;

	if (reads(p, w->idx)) {
		FS_LOOP((me->seen += atomic_long_read(field), me->nr_reads++));
	} else if (p->op == FS_ADD) {
		FS_LOOP(atomic_long_add(1, field));
	} else {
		FS_LOOP(atomic_long_set(field, ++me->nr_stores));
	}
}

static long writes_of(const struct fs_params *p, int worker, const uint64_t *ops)
{
	return reads(p, worker) ? 0 : (long)ops[worker];
}

/* one field of all: additions sum up; of stores the last one stays, whosever it was */
static int check_one(const struct env *env, const struct fs_params *p, long value,
		     const uint64_t *ops, struct err *err)
{
	bool is_last = false;
	long sum = 0;
	int i;

	for (i = 0; i < env->nr_workers; i++) {
		sum += writes_of(p, i, ops);
		is_last |= !reads(p, i) && value == (long)ops[i];
	}
	if (p->op == FS_ADD ? value != sum : !is_last)
		return err_set(err, -EUCLEAN, "the one field holds %ld after %ld writes", value,
			       sum);
	return 0;
}

static int fs_check(const struct env *env, const void *params, const void *shared,
		    const struct worker *workers, const uint64_t *ops, struct err *err)
{
	const struct fs_shared *s = shared;
	const struct fs_params *p = params;
	const struct fs_worker *me;
	long value;
	int i;

	for (i = 0; i < env->nr_workers; i++) {
		me = workers[i].priv;
		if (reads(p, i) && me->nr_reads != ops[i])
			return err_set(
				err, -EUCLEAN, "worker %d read its field %llu times, not %llu", i,
				(unsigned long long)me->nr_reads, (unsigned long long)ops[i]);
		value = atomic_long_read(me->field);
		if (p->distance && value != writes_of(p, i, ops))
			return err_set(err, -EUCLEAN, "the field of worker %d holds %ld, not %ld",
				       i, value, writes_of(p, i, ops));
		if (p->distance && me->seen)
			return err_set(err, -EUCLEAN, "worker %d read what nobody wrote", i);
	}
	return p->distance
		       ? 0
		       : check_one(env, p, atomic_long_read((atomic_long_t *)s->first), ops, err);
}

static void fs_read_metrics(const struct env *env, const void *params, const void *shared,
			    const struct worker *workers, const uint64_t *ops, double *values)
{
	const struct fs_params *p = params;
	uint64_t sum = 0;
	int i;

	for (i = 0; i < env->nr_workers; i++)
		sum += ops[i];
	values[0] = p->pattern == FS_WRITER_READER && sum ? (double)ops[0] / sum : NAN;
}

static void fs_describe(const void *shared, field_teller tell, void *ctx)
{
	const struct fs_shared *s = shared;
	char name[24];
	int i;

	for (i = 0; i < s->nr_fields; i++) {
		snprintf(name, sizeof(name), "field %d", i);
		tell(ctx, s->first + i * s->distance, sizeof(atomic_long_t), name);
	}
}

const struct experiment false_sharing_experiment = {
	.name = "false_sharing",
	.summary = "fields of different CPUs in one block: the spacing this machine needs",
	.question =
		"How far apart must fields of different CPUs be here to cost each other nothing?",
	.op = "one write, or read, of the worker's own field",
	.unit = "accesses",
	.source = "",
	.min_workers = 1,
	.params = fs_params_table,
	.params_size = sizeof(struct fs_params),
	.metrics = fs_metrics,
	.setup = fs_setup,
	.run = fs_run,
	.check = fs_check,
	.read_metrics = fs_read_metrics,
	.describe = fs_describe,
};
