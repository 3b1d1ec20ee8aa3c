/* SPDX-License-Identifier: MIT */
/*
 * fiber.h - a stack of its own and a way to switch to it; private to sim/
 *
 * A switch is a handful of register moves on x86-64 and aarch64. Elsewhere it is ucontext, which
 * asks the kernel for the signal mask each time and is twenty times slower.
 * Threads: a fiber is switched to on the thread that made it.
 */
#ifndef SIM_FIBER_H
#define SIM_FIBER_H

#include <stddef.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#define FIBER_UCONTEXT
#endif

struct fiber {
#ifdef FIBER_UCONTEXT
	ucontext_t context;
#else
	void *sp; /* where the callee-saved registers are */
#endif
	void (*entry)(void *arg);
	void *arg;
};

/* a fiber that will call entry(arg) on @stack; entry never returns, it switches away */
void fiber_make(struct fiber *f, void *stack, size_t size, void (*entry)(void *), void *arg);

/* the caller's state goes into @from; returns when somebody switches to @from */
void fiber_switch(struct fiber *from, struct fiber *to);

#endif
