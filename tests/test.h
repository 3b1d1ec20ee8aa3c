/* SPDX-License-Identifier: MIT */
/*
 * test.h - cmocka, and the two things it lacks: a reason for a skip, and failing when nothing ran
 *
 * cmocka's TAP calls a skip "not ok" (1.1.5), so its standard output is used; scripts/check counts
 * the lines "[       OK ]", "[  FAILED  ]" and "[  SKIPPED ]" of every program.
 */
#ifndef CHARGELINE_TEST_H
#define CHARGELINE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "err.h"

#define test_skip(...)                                      \
	do {                                                \
		print_message("[  REASON  ] " __VA_ARGS__); \
		print_message("\n");                        \
		skip();                                     \
	} while (0)

/* fails, and shows the sentence, unless @call returns 0 */
#define assert_ok(call, err)                                            \
	do {                                                            \
		int rc_ = (call);                                       \
		if (rc_)                                                \
			fail_msg("%s: %d: %s", #call, rc_, (err)->msg); \
	} while (0)

/* fails unless @call returns @code and the sentence contains @part */
#define assert_refused(call, code_, part, err_)                                               \
	do {                                                                                  \
		*(err_) = (struct err)ERR_INIT;                                               \
		assert_int_equal((call), (code_));                                            \
		if (!strstr((err_)->msg, (part)))                                             \
			fail_msg("%s: sentence '%s' lacks '%s'", #call, (err_)->msg, (part)); \
	} while (0)

/* the folder of recorded machines and reference data; NULL: this checkout stands alone */
static inline const char *test_shared(void)
{
	static const char *const places[] = {"../shared", "../../shared", "../../../shared"};
	const char *named = getenv("CHARGELINE_SHARED");
	size_t i;

	if (named && !access(named, R_OK))
		return named;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (!access(places[i], R_OK))
			return places[i];
	return NULL;
}

#undef run_tests /* cmocka's old name for something else */
#define run_tests(tests) run_group(#tests, tests, NULL, NULL)
#define run_group(name, tests, up, down) \
	(sizeof(tests) == 0 ? 1 : cmocka_run_group_tests_name(name, tests, up, down))

#endif
