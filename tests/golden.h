/* SPDX-License-Identifier: MIT */
/* golden.h - texts that are expected to the byte, in tests/golden/ */
#ifndef CHARGELINE_TESTS_GOLDEN_H
#define CHARGELINE_TESTS_GOLDEN_H

#include "test.h"

static inline char *golden_path(const char *name)
{
	const char *slash = strrchr(__FILE__, '/');
	char *path, *whole;

	if (asprintf(&path, "%.*s/golden", slash ? (int)(slash - __FILE__) : 1,
		     slash ? __FILE__ : ".") < 0)
		fail();
	if (access(path, R_OK)) {
		free(path);
		path = strdup("tests/golden");
	}
	if (access(path, R_OK))
		test_skip("tests/golden is not found from here");
	if (asprintf(&whole, "%s/%s", path, name) < 0)
		fail();
	free(path);
	return whole;
}

static inline char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (!f)
		return strdup("");
	if (getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = strdup("");
	}
	fclose(f);
	return text;
}

/* CHARGELINE_GOLDEN=update writes what is found as what is expected */
static inline void check_golden(const char *name, const char *text)
{
	const char *update = getenv("CHARGELINE_GOLDEN");
	char *path = golden_path(name), *expected;
	int i = 0, line = 1;
	FILE *f;

	if (update && !strcmp(update, "update")) {
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(text, f);
		assert_int_equal(fclose(f), 0);
	}
	expected = read_file(path);
	for (; text[i] && text[i] == expected[i]; i++)
		line += text[i] == '\n';
	if (text[i] || expected[i])
		fail_msg("%s line %d: '%.60s' instead of '%.60s'; CHARGELINE_GOLDEN=update accepts "
			 "it",
			 path, line, text + i, expected + i);
	free(expected);
	free(path);
}

#endif
