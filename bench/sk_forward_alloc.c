/* SPDX-License-Identifier: MIT */
/*
 * sk_forward_alloc - how often sockets reach the shared counters, by reclaim rule and reserve
 *
 * One message is charged to a socket and uncharged from it later; rules and lines are in
 * sk_forward_alloc.h. A worker uses its sockets in turn: `burst` messages are charged to one, these
 * are uncharged, then comes the next socket. message_bytes is what a message is charged with, the
 * kernel's truesize: payload, struct sk_buff and shared info, so more than what the user sends. It
 * need not be whole pages.
 *
 *   receiver=same_cpu   a worker charges and uncharges: an operation is a message
 *   receiver=other_cpu  worker 2k charges, worker 2k + 1 uncharges, on the same sockets: a message
 *                       is two operations, one of each side. A socket changes hands by the burst:
 *
 *     sender's      sent ......                                                  |
 *     receiver's    received ..                                                  |
 *
 *                       The sender may be ahead by as many bursts as it has sockets, then it waits;
 *                       both give up when worker_over().
 */
#include "experiment.h"

#include <math.h>

#include "bench.h"
#include "sk_forward_alloc.h"

#define SPINS_PER_LOOK 4096 /* polls between two looks at worker_over() */

enum skf_reclaim { SKF_ZERO, SKF_64K, SKF_2M_KEEP_1M, SKF_BYTES };
enum skf_reserve { SKF_PER_CPU, SKF_SHARED };
enum skf_receiver { SKF_SAME_CPU, SKF_OTHER_CPU };

struct skf_params {
	int64_t reclaim, reclaim_bytes, reserve, reserve_pages, message_bytes, burst, sockets;
	int64_t receiver, work_ns;
};

struct skf_worker {
	struct sk_cpu *cpu;
	struct sk_socket *socket; /* with other_cpu the sender's */
	int64_t at;		  /* the socket in use */
	int64_t nr_in_burst;	  /* messages of this burst, so far */
	int64_t nr_messages;	  /* charged, or by a receiver uncharged */
	/* other_cpu: bursts that are done, here and (as last seen) by the partner */
	int64_t nr_bursts, seen, may_be_ahead;
	int64_t *to;
	const int64_t *from;
};

struct skf_shared {
	struct sk_proto proto;
	int nr_workers;
	int64_t nr_sockets; /* of a worker that has any */
	const struct skf_worker **worker;
};

static const char *const reclaim_names[] = {"zero", "64k", "2m_keep_1m", "bytes", NULL};
static const char *const reserve_names[] = {"per_cpu", "shared", NULL};
static const char *const receiver_names[] = {"same_cpu", "other_cpu", NULL};

#define SKF_OFF(field) offsetof(struct skf_params, field)
static const struct param skf_params_table[] = {
	{"reclaim", "",
	 "free bytes at which a socket gives pages back: any whole page, 64 KiB, 2 MiB", SKF_ZERO,
	 0, SKF_BYTES, 0, reclaim_names, SKF_OFF(reclaim)},
	{"reclaim_bytes", "bytes", "reclaim=bytes: all whole pages go back at so many", 65536,
	 SK_PAGE_SIZE, 1 << 24, 0, NULL, SKF_OFF(reclaim_bytes)},
	{"reserve", "", "the protocol's total: a reserve per CPU before it, or the atomic alone",
	 SKF_PER_CPU, 0, SKF_SHARED, 0, reserve_names, SKF_OFF(reserve)},
	{"reserve_pages", "pages", "a CPU's reserve that goes to the total (mem_pcpu_rsv)", 256, 1,
	 1 << 20, 0, NULL, SKF_OFF(reserve_pages)},
	{"message_bytes", "bytes", "charged per message: its truesize", 10240, 1, 1 << 20, 0, NULL,
	 SKF_OFF(message_bytes)},
	{"burst", "messages", "charged to a socket before they are uncharged", 1, 1, 64, 0, NULL,
	 SKF_OFF(burst)},
	{"sockets", "per worker", "used in turn (per sending worker)", 8, 1, 64, 0, NULL,
	 SKF_OFF(sockets)},
	{"receiver", "", "who uncharges: the CPU that charged, or its neighbour", SKF_SAME_CPU, 0,
	 SKF_OTHER_CPU, 0, receiver_names, SKF_OFF(receiver)},
	{"work_ns", "ns", "local work per operation: the demand; 0 saturates", 0, 0, 1000000, 0,
	 NULL, SKF_OFF(work_ns)},
	{NULL}};

static const struct metric skf_metrics[] = {
	{"messages", "per operation", "1, or about 0.5 where sender and receiver are two workers"},
	{"raises", "per message", "pages had to be taken: where a memory cgroup is charged"},
	{"reduces", "per message", "pages were given back: where a memory cgroup is uncharged"},
	{"shared_updates", "per message", "atomics on the protocol's total"},
	{"idle_bytes", "per socket",
	 "held at the end by a socket without a message; none: no such"},
	{NULL}};

static int skf_validate(const void *params, int nr_workers, struct err *err)
{
	const struct skf_params *p = params;

	if (p->receiver == SKF_OTHER_CPU && nr_workers % 2)
		return err_set(err, -EINVAL,
			       "receiver=other_cpu needs workers in pairs, %d is an odd number",
			       nr_workers);
	return 0;
}

static void set_protocol(struct sk_proto *proto, const struct skf_params *p)
{
	static const int reclaim_at[] = {SK_PAGE_SIZE, 1 << 16, 1 << 21};

	proto->sysctl_mem = LONG_MAX / SK_PAGE_SIZE;
	proto->reserve_pages = p->reserve == SKF_PER_CPU ? p->reserve_pages : 0;
	proto->reclaim_at = p->reclaim == SKF_BYTES ? p->reclaim_bytes : reclaim_at[p->reclaim];
	proto->reclaim_chunk = p->reclaim == SKF_2M_KEEP_1M ? 1 << 20 : 0;
}

static bool is_receiver(const struct skf_params *p, int idx)
{
	return p->receiver == SKF_OTHER_CPU && idx % 2;
}

static int set_worker(const struct env *env, const struct skf_params *p, struct worker *workers,
		      int idx)
{
	struct skf_worker *me = env_alloc_worker(env, idx, sizeof(*me), 64);
	struct skf_worker *sender;

	workers[idx].priv = me;
	if (!me)
		return -ENOMEM;
	me->cpu = env_alloc_worker(env, idx, sizeof(*me->cpu), 64);
	me->to = env_alloc_worker(env, idx, sizeof(*me->to), 64);
	if (!me->cpu || !me->to)
		return -ENOMEM;
	if (!is_receiver(p, idx)) {
		me->may_be_ahead = p->sockets;
		me->socket = env_alloc_worker(env, idx, p->sockets * sizeof(*me->socket), 128);
		return me->socket ? 0 : -ENOMEM;
	}
	sender = workers[idx - 1].priv;
	sender->from = me->to;
	me->from = sender->to;
	me->socket = sender->socket;
	return 0;
}

static int skf_setup(const struct env *env, const void *params, struct worker *workers,
		     void **shared, struct err *err)
{
	struct skf_shared *s = env_alloc(env, sizeof(*s), 128);
	const struct skf_params *p = params;
	int i, rc = 0;

	*shared = s;
	if (s)
		s->worker = env_alloc(env, sizeof(*s->worker) * env->nr_workers, 64);
	if (!s || !s->worker)
		return err_set(err, -ENOMEM, "out of memory");
	s->nr_workers = env->nr_workers;
	s->nr_sockets = p->sockets;
	set_protocol(&s->proto, p);
	for (i = 0; i < env->nr_workers && !rc; i++) {
		rc = set_worker(env, p, workers, i);
		s->worker[i] = workers[i].priv;
	}
	return rc ? err_set(err, rc, "out of memory") : 0;
}

/* one more message of the burst; true when that was the last */
static inline bool next_message(struct skf_worker *me, const struct skf_params *p)
{
	return ++me->nr_in_burst == p->burst;
}

static inline void next_socket(struct skf_worker *me, const struct skf_params *p)
{
	me->nr_in_burst = 0;
	me->at = me->at + 1 == p->sockets ? 0 : me->at + 1;
}

static void run_alone(struct sk_proto *proto, const struct skf_params *p, struct skf_worker *me,
		      uint64_t nr_ops)
{
	const int64_t work_ns = p->work_ns;
	struct sk_socket *sk;
	int64_t i;

	for (; nr_ops; nr_ops--) {
		if (work_ns)
			cpu_work_ns(work_ns);
		sk = &me->socket[me->at];
		sk_mem_charge(proto, me->cpu, sk, p->message_bytes);
		me->nr_messages++;
		if (!next_message(me, p))
			continue;
		for (i = 0; i < p->burst; i++)
			sk_mem_uncharge(proto, me->cpu, sk, p->message_bytes);
		next_socket(me, p);
	}
}

/* until the next socket is this worker's; false when the partner has left for good */
static bool wait_for_socket(struct skf_worker *me, const struct worker *w)
{
	unsigned polls = 0;

	while (me->seen + me->may_be_ahead <= me->nr_bursts) {
		me->seen = smp_load_acquire(me->from);
		if (++polls % SPINS_PER_LOOK == 0 && worker_over(w))
			return false;
	}
	return true;
}

static inline void run_side(struct sk_proto *proto, const struct skf_params *p, struct worker *w,
			    uint64_t nr_ops, bool sends)
{
	const int64_t work_ns = p->work_ns;
	struct skf_worker *me = w->priv;

	for (; nr_ops; nr_ops--) {
		if (!me->nr_in_burst && !wait_for_socket(me, w))
			return;
		if (work_ns)
			cpu_work_ns(work_ns);
		if (sends)
			sk_mem_charge(proto, me->cpu, &me->socket[me->at], p->message_bytes);
		else
			sk_mem_uncharge(proto, me->cpu, &me->socket[me->at], p->message_bytes);
		me->nr_messages++;
		if (next_message(me, p)) {
			next_socket(me, p);
			smp_store_release(me->to, ++me->nr_bursts);
		}
	}
}

static void skf_run(void *shared, const void *params, struct worker *w, uint64_t nr_ops)
{
	struct sk_proto *proto = &((struct skf_shared *)shared)->proto;
	const struct skf_params *p = params;

	if (p->receiver == SKF_SAME_CPU)
		run_alone(proto, p, w->priv, nr_ops);
	else
		run_side(proto, p, w, nr_ops, !is_receiver(p, w->idx));
}

/* messages that are charged now */
static int64_t nr_queued(const struct skf_params *p, const struct worker *workers, int nr_workers)
{
	const struct skf_worker *me;
	int64_t nr = 0;
	int i;

	for (i = 0; i < nr_workers; i++) {
		me = workers[i].priv;
		if (p->receiver == SKF_SAME_CPU)
			nr += me->nr_in_burst;
		else
			nr += is_receiver(p, i) ? -me->nr_messages : me->nr_messages;
	}
	return nr;
}

/* a socket with nothing queued holds less than what makes it give pages back */
static int check_socket(const struct sk_proto *proto, const struct sk_socket *sk, struct err *err)
{
	int held = READ_ONCE(sk->sk_forward_alloc), queued = READ_ONCE(sk->sk_wmem_queued);

	if (held < 0 || queued < 0 || (!queued && held >= proto->reclaim_at))
		return err_set(err, -EUCLEAN,
			       "a socket holds %d bytes ahead with %d queued; it gives pages back "
			       "at %d",
			       held, queued, proto->reclaim_at);
	return 0;
}

static int check_worker(const struct sk_proto *proto, const struct skf_params *p,
			const struct skf_worker *me, uint64_t ops, struct err *err)
{
	int reserve = READ_ONCE(me->cpu->per_cpu_fw_alloc);

	/* who waited for a partner that had left dropped what was left to do */
	if (p->receiver == SKF_SAME_CPU ? me->nr_messages != (int64_t)ops
					: me->nr_messages > (int64_t)ops)
		return err_set(err, -EUCLEAN, "%lld messages were handled, %llu were asked for",
			       (long long)me->nr_messages, (unsigned long long)ops);
	if (proto->reserve_pages
		    ? reserve <= -proto->reserve_pages || reserve >= proto->reserve_pages
		    : reserve != 0)
		return err_set(err, -EUCLEAN, "a CPU keeps %d pages, its reserve is %d", reserve,
			       proto->reserve_pages);
	if (me->cpu->nr_over_limit)
		return err_set(err, -EUCLEAN, "%llu raises saw a total that cannot be",
			       (unsigned long long)me->cpu->nr_over_limit);
	return 0;
}

static int skf_check(const struct env *env, const void *params, const void *shared,
		     const struct worker *workers, const uint64_t *ops, struct err *err)
{
	const struct sk_proto *proto = &((const struct skf_shared *)shared)->proto;
	const struct skf_params *p = params;
	long total = atomic_long_read(&proto->memory_allocated), held = 0, queued = 0, expected;
	const struct skf_worker *me;
	int i, k, rc = 0;

	for (i = 0; i < env->nr_workers && !rc; i++) {
		me = workers[i].priv;
		rc = check_worker(proto, p, me, ops[i], err);
		total += READ_ONCE(me->cpu->per_cpu_fw_alloc);
		for (k = 0; k < p->sockets && !rc && !is_receiver(p, i); k++) {
			rc = check_socket(proto, &me->socket[k], err);
			held += READ_ONCE(me->socket[k].sk_forward_alloc);
			queued += READ_ONCE(me->socket[k].sk_wmem_queued);
		}
	}
	if (rc)
		return rc;
	expected = nr_queued(p, workers, env->nr_workers) * p->message_bytes;
	if (queued != expected)
		return err_set(err, -EUCLEAN, "%ld bytes are queued, the workers account for %ld",
			       queued, expected);
	if (held + queued != total * SK_PAGE_SIZE)
		return err_set(err, -EUCLEAN,
			       "sockets hold %ld bytes, the protocol and its CPUs count %ld pages",
			       held + queued, total);
	return 0;
}

static void skf_read_metrics(const struct env *env, const void *params, const void *shared,
			     const struct worker *workers, const uint64_t *ops, double *values)
{
	double nr_messages = 0, nr_ops = 0, raises = 0, reduces = 0, updates = 0, idle = 0, nr = 0;
	const struct skf_params *p = params;
	const struct skf_worker *me;
	int i, k;

	for (i = 0; i < env->nr_workers; i++) {
		me = workers[i].priv;
		nr_ops += ops[i];
		raises += me->cpu->nr_raises;
		reduces += me->cpu->nr_reduces;
		updates += me->cpu->nr_shared_updates;
		if (is_receiver(p, i))
			continue;
		nr_messages += me->nr_messages;
		for (k = 0; k < p->sockets; k++) {
			if (READ_ONCE(me->socket[k].sk_wmem_queued))
				continue;
			idle += READ_ONCE(me->socket[k].sk_forward_alloc);
			nr++;
		}
	}
	values[0] = nr_ops ? nr_messages / nr_ops : NAN;
	values[1] = nr_messages ? raises / nr_messages : NAN;
	values[2] = nr_messages ? reduces / nr_messages : NAN;
	values[3] = nr_messages ? updates / nr_messages : NAN;
	values[4] = nr ? idle / nr : NAN;
}

static void skf_describe(const void *shared, field_teller tell, void *ctx)
{
	const struct skf_shared *s = shared;
	const struct skf_worker *me;
	char name[40];
	int i, k;

	sk_describe_proto(&s->proto, tell, ctx);
	for (i = 0; i < s->nr_workers; i++) {
		me = s->worker[i];
		snprintf(name, sizeof(name), "cpu[%d].per_cpu_fw_alloc", i);
		tell(ctx, &me->cpu->per_cpu_fw_alloc, sizeof(me->cpu->per_cpu_fw_alloc), name);
		snprintf(name, sizeof(name), "worker[%d].%s", i,
			 me->may_be_ahead ? "sent" : "received");
		tell(ctx, me->to, sizeof(*me->to), name);
		for (k = 0; k < s->nr_sockets && me->may_be_ahead; k++)
			sk_describe_socket(&me->socket[k], i, k, tell, ctx);
	}
}

const struct experiment sk_forward_alloc_experiment = {
	.name = "sk_forward_alloc",
	.summary = "memory accounting of sockets: pages taken ahead and given back",
	.question =
		"How often do messages reach the shared memory counters, and what do idle sockets "
		"hold for it?",
	.op = "one message charged to a socket and uncharged later; one of the two where each has "
	      "its own CPU",
	.unit = "messages",
	.source = "include/net/sock.h, include/net/proto_memory.h, net/core/sock.c of 5.19 and 6.0 "
		  "on; 64k: proposal of May 2023",
	.min_workers = 1,
	.params = skf_params_table,
	.params_size = sizeof(struct skf_params),
	.metrics = skf_metrics,
	.validate = skf_validate,
	.setup = skf_setup,
	.run = skf_run,
	.check = skf_check,
	.read_metrics = skf_read_metrics,
	.describe = skf_describe,
};
