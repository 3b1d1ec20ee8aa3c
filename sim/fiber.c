/* SPDX-License-Identifier: MIT */
#include "fiber.h"

#include <stdint.h>
#include <string.h>

#ifdef FIBER_UCONTEXT

static void start(unsigned hi, unsigned lo)
{
	struct fiber *f = (struct fiber *)(((uintptr_t)hi << 32) | lo);

	f->entry(f->arg);
}

void fiber_make(struct fiber *f, void *stack, size_t size, void (*entry)(void *), void *arg)
{
	f->entry = entry;
	f->arg = arg;
	getcontext(&f->context);
	f->context.uc_stack.ss_sp = stack;
	f->context.uc_stack.ss_size = size;
	f->context.uc_link = NULL;
	makecontext(&f->context, (void (*)(void))start, 2, (unsigned)((uintptr_t)f >> 32),
		    (unsigned)(uintptr_t)f);
}

void fiber_switch(struct fiber *from, struct fiber *to)
{
	swapcontext(&from->context, &to->context);
}

#else

/* pushes what the ABI makes the callee keep, changes the stack, pops the same of the other side */
void fiber_swap_stacks(void **from_sp, void *to_sp);

#if defined(__x86_64__)
#define NR_SAVED 8 /* mxcsr and x87 control word, rbx, rbp, r12-r15, and the return address */
__asm__(".text\n"
	".globl fiber_swap_stacks\n"
	".hidden fiber_swap_stacks\n"
	".type fiber_swap_stacks,@function\n"
	"fiber_swap_stacks:\n"
	"	pushq %rbp\n"
	"	pushq %rbx\n"
	"	pushq %r12\n"
	"	pushq %r13\n"
	"	pushq %r14\n"
	"	pushq %r15\n"
	"	subq $8, %rsp\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	movq %rsp, (%rdi)\n"
	"	movq %rsi, %rsp\n"
	"	ldmxcsr (%rsp)\n"
	"	fldcw 4(%rsp)\n"
	"	addq $8, %rsp\n"
	"	popq %r15\n"
	"	popq %r14\n"
	"	popq %r13\n"
	"	popq %r12\n"
	"	popq %rbx\n"
	"	popq %rbp\n"
	"	ret\n"
	".size fiber_swap_stacks,.-fiber_swap_stacks\n");
#else
#define NR_SAVED 20 /* x19-x30, d8-d15 */
__asm__(".text\n"
	".globl fiber_swap_stacks\n"
	".hidden fiber_swap_stacks\n"
	".type fiber_swap_stacks,%function\n"
	"fiber_swap_stacks:\n"
	"	sub sp, sp, #160\n"
	"	stp x19, x20, [sp, #0]\n"
	"	stp x21, x22, [sp, #16]\n"
	"	stp x23, x24, [sp, #32]\n"
	"	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n"
	"	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n"
	"	stp d10, d11, [sp, #112]\n"
	"	stp d12, d13, [sp, #128]\n"
	"	stp d14, d15, [sp, #144]\n"
	"	mov x2, sp\n"
	"	str x2, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp, #0]\n"
	"	ldp x21, x22, [sp, #16]\n"
	"	ldp x23, x24, [sp, #32]\n"
	"	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n"
	"	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n"
	"	ldp d10, d11, [sp, #112]\n"
	"	ldp d12, d13, [sp, #128]\n"
	"	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n"
	"	ret\n"
	".size fiber_swap_stacks,.-fiber_swap_stacks\n");
#endif

static _Thread_local struct fiber *starting;

static void start(void)
{
	struct fiber *f = starting;

	f->entry(f->arg);
	__builtin_trap();
}

void fiber_make(struct fiber *f, void *stack, size_t size, void (*entry)(void *), void *arg)
{
	uintptr_t top = ((uintptr_t)stack + size) & ~(uintptr_t)63;
	uint64_t *sp;

	f->entry = entry;
	f->arg = arg;
#if defined(__x86_64__)
	/* as after a call: the stack pointer is 8 off a multiple of 16 when start() begins */
	sp = (uint64_t *)(top - 16) - NR_SAVED + 1;
	memset(sp, 0, NR_SAVED * sizeof(*sp));
	sp[0] = 0x1f80 | 0x37fULL << 32; /* the control words that a program starts with */
	sp[NR_SAVED - 1] = (uintptr_t)start;
#else
	sp = (uint64_t *)top - NR_SAVED;
	memset(sp, 0, NR_SAVED * sizeof(*sp));
	sp[11] = (uintptr_t)start; /* x30 */
#endif
	f->sp = sp;
}

void fiber_switch(struct fiber *from, struct fiber *to)
{
	starting = to;
	fiber_swap_stacks(&from->sp, to->sp);
}

#endif
