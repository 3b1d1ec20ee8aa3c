/* SPDX-License-Identifier: MIT */
/* Uses of katomic.h that tempt a compiler to take a cheaper instruction; asm.sh looks at its code. */
#include "../bench/katomic.h"

bool probe_sub_and_test(atomic_long_t *v);
bool probe_add_and_test(atomic_long_t *v);
void probe_add_unused(atomic_long_t *v);
bool probe_fetch_add_and_test(atomic_long_t *v);
void probe_add(atomic_long_t *v);
void probe_sub(atomic_long_t *v);
void probe_xchg_unused(atomic_long_t *v);
void probe_cmpxchg_once(atomic_long_t *v);

bool probe_sub_and_test(atomic_long_t *v)
{
	return atomic_long_sub_return(3, v) < 0;
}

bool probe_add_and_test(atomic_long_t *v)
{
	return atomic_long_add_return(3, v) == 0;
}

void probe_add_unused(atomic_long_t *v)
{
	(void)atomic_long_add_return(3, v);
}

bool probe_fetch_add_and_test(atomic_long_t *v)
{
	return atomic_long_fetch_add(1, v) == -1;
}

void probe_add(atomic_long_t *v)
{
	atomic_long_add(3, v);
}

void probe_sub(atomic_long_t *v)
{
	atomic_long_sub(3, v);
}

void probe_xchg_unused(atomic_long_t *v)
{
	(void)atomic_long_xchg(v, 3);
}

void probe_cmpxchg_once(atomic_long_t *v)
{
	long old = 3;

	(void)atomic_long_try_cmpxchg(v, &old, 4);
}
