/* SPDX-License-Identifier: MIT */
/*
 * sk_forward_alloc.h - memory accounting of a socket: bytes taken ahead in whole pages
 *
 * A message takes its bytes from the socket's sk_forward_alloc. Where that is too small, whole
 * pages for what is missing are raised: added to the protocol's total, which is then read and
 * compared with the protocol's limit. When the message is freed its bytes go back to
 * sk_forward_alloc, and from there whole pages are given back (reduced) by the release's rule:
 *
 *   reclaim_at  reclaim_chunk      when sk_forward_alloc reaches reclaim_at, give back
 *   2 MiB       1 MiB              1 MiB (up to 5.19)
 *   1 page      0: all             all whole pages, after every message (4890b686f408, 6.0)
 *   64 KiB      0: all             all whole pages (proposed in May 2023, not taken)
 *
 * The total is one atomic (up to 5.19), or each CPU keeps a reserve, positive or negative, and
 * moves all of it to the atomic when that is reserve_pages or more away from 0 (6.0; 1 MiB by
 * default). The atomic is read on every raise in either case. Lines, 64 bytes, "|" is a line's end:
 *
 *   socket    sk_forward_alloc   sk_wmem_queued                                  |
 *   protocol  sysctl_mem         reserve_pages   reclaim_at   reclaim_chunk      |
 *             memory_allocated                                                   |
 *   per CPU   per_cpu_fw_alloc                                                   |
 *
 * sk_forward_alloc belongs to the socket, not to a CPU: who charges and who uncharges write the
 * same line. The kernel's socket lock orders them; here the caller does.
 *
 * A memory cgroup is charged with the pages of each raise, between reading the total and comparing
 * it, and uncharged with those of each reduce. This is not part of it: sk_mem_charge() and
 * sk_mem_uncharge() return these pages, for the caller to charge (charge_path).
 *
 * Since 6.0 what is raised is what is missing; before, it was the message's whole size, so a socket
 * held at most one message more. Here it is always what is missing. Nothing is refused: the limit
 * is out of reach, and nr_over_limit says so.
 *
 * Facts: include/net/sock.h, include/net/proto_memory.h and net/core/sock.c of 5.19 and 6.0 on.
 * Private to bench/.
 */
#ifndef BENCH_SK_FORWARD_ALLOC_H
#define BENCH_SK_FORWARD_ALLOC_H

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#include "experiment.h"
#include "katomic.h"

#define SK_PAGE_SIZE 4096

struct sk_proto {
	long sysctl_mem;   /* pages; the only limit that is compared while all is well */
	int reserve_pages; /* of a CPU; 0: no reserve, every raise and reduce is on the atomic */
	int reclaim_at, reclaim_chunk; /* bytes, see above; at least a page, 0 for all */
	atomic_long_t memory_allocated __attribute__((aligned(128))); /* pages */
};

struct sk_socket {
	int sk_forward_alloc; /* bytes */
	int sk_wmem_queued;   /* bytes of messages that are charged */
} __attribute__((aligned(128)));

struct sk_cpu {
	int per_cpu_fw_alloc; /* pages that the protocol's total has yet to learn of */
	/* ours: what this CPU did */
	uint64_t nr_raises, nr_reduces, nr_shared_updates, nr_over_limit;
};

/* returns the protocol's total as it is known, in pages */
static inline long sk_memory_allocated_add(struct sk_proto *proto, struct sk_cpu *cpu, int nr_pages)
{
	const int most = READ_ONCE(proto->reserve_pages);
	int reserve;

	if (!most) {
		cpu->nr_shared_updates++;
		return atomic_long_add_return(nr_pages, &proto->memory_allocated);
	}
	reserve = READ_ONCE(cpu->per_cpu_fw_alloc) + nr_pages;
	if (reserve >= most) {
		cpu->nr_shared_updates++;
		atomic_long_add(reserve, &proto->memory_allocated);
		reserve = 0;
	}
	WRITE_ONCE(cpu->per_cpu_fw_alloc, reserve);
	return atomic_long_read(&proto->memory_allocated);
}

static inline void sk_memory_allocated_sub(struct sk_proto *proto, struct sk_cpu *cpu, int nr_pages)
{
	const int most = READ_ONCE(proto->reserve_pages);
	int reserve;

	if (!most) {
		cpu->nr_shared_updates++;
		atomic_long_sub(nr_pages, &proto->memory_allocated);
		return;
	}
	reserve = READ_ONCE(cpu->per_cpu_fw_alloc) - nr_pages;
	if (reserve <= -most) {
		cpu->nr_shared_updates++;
		atomic_long_add(reserve, &proto->memory_allocated);
		reserve = 0;
	}
	WRITE_ONCE(cpu->per_cpu_fw_alloc, reserve);
}

/* sk_mem_charge - queue a message of @bytes; returns the pages raised for it, 0 when none were */
static inline int sk_mem_charge(struct sk_proto *proto, struct sk_cpu *cpu, struct sk_socket *sk,
				int bytes)
{
	int forward_alloc = READ_ONCE(sk->sk_forward_alloc), nr_pages = 0;

	if (bytes > forward_alloc) {
		nr_pages = (bytes - forward_alloc + SK_PAGE_SIZE - 1) / SK_PAGE_SIZE;
		forward_alloc += nr_pages * SK_PAGE_SIZE;
		cpu->nr_raises++;
		if (sk_memory_allocated_add(proto, cpu, nr_pages) > READ_ONCE(proto->sysctl_mem))
			cpu->nr_over_limit++;
	}
	WRITE_ONCE(sk->sk_forward_alloc, forward_alloc - bytes);
	WRITE_ONCE(sk->sk_wmem_queued, READ_ONCE(sk->sk_wmem_queued) + bytes);
	return nr_pages;
}

/* sk_mem_uncharge - free a message of @bytes; returns the pages given back, 0 when none were */
static inline int sk_mem_uncharge(struct sk_proto *proto, struct sk_cpu *cpu, struct sk_socket *sk,
				  int bytes)
{
	int reclaimable = READ_ONCE(sk->sk_forward_alloc) + bytes, nr_pages = 0;

	WRITE_ONCE(sk->sk_wmem_queued, READ_ONCE(sk->sk_wmem_queued) - bytes);
	if (reclaimable >= proto->reclaim_at) {
		nr_pages =
			(proto->reclaim_chunk ? proto->reclaim_chunk : reclaimable) / SK_PAGE_SIZE;
		cpu->nr_reduces++;
		sk_memory_allocated_sub(proto, cpu, nr_pages);
	}
	WRITE_ONCE(sk->sk_forward_alloc, reclaimable - nr_pages * SK_PAGE_SIZE);
	return nr_pages;
}

/* ----------------------------------------------------------- names, for the model */

static inline void sk_describe_proto(const struct sk_proto *proto, field_teller tell, void *ctx)
{
	tell(ctx, &proto->sysctl_mem, sizeof(proto->sysctl_mem), "sysctl_mem");
	tell(ctx, &proto->reserve_pages, sizeof(proto->reserve_pages), "reserve_pages");
	tell(ctx, &proto->memory_allocated, sizeof(proto->memory_allocated), "memory_allocated");
}

/* "worker[2].socket[1].sk_forward_alloc" */
static inline void sk_describe_socket(const struct sk_socket *sk, int worker, int nr,
				      field_teller tell, void *ctx)
{
	char name[64];

	snprintf(name, sizeof(name), "worker[%d].socket[%d].sk_forward_alloc", worker, nr);
	tell(ctx, &sk->sk_forward_alloc, sizeof(sk->sk_forward_alloc), name);
	snprintf(name, sizeof(name), "worker[%d].socket[%d].sk_wmem_queued", worker, nr);
	tell(ctx, &sk->sk_wmem_queued, sizeof(sk->sk_wmem_queued), name);
}

#endif
