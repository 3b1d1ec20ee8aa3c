/* SPDX-License-Identifier: MIT */
/* report_fixture.h - reports of synthetic results, and what must hold for each of them */
#ifndef CHARGELINE_TESTS_REPORT_FIXTURE_H
#define CHARGELINE_TESTS_REPORT_FIXTURE_H

#include "test.h"

#include <ctype.h>

#include "report.h"
#include "synthetic.h"

/* what a page says must not hang on a program that may be here: those that test plots set PATH */
__attribute__((constructor)) static void no_gnuplot(void)
{
	setenv("PATH", "/nonexistent", 1);
}

typedef int (*writer)(const struct report *rep, FILE *to);

static inline struct report *build_many(const struct results *const *r, int nr)
{
	struct report *rep = NULL;
	struct err err = ERR_INIT;

	assert_ok(report_build(r, nr, NULL, &rep, &err), &err);
	assert_non_null(rep);
	return rep;
}

/* kept whole: inlined, gcc 12 takes what the stream stores in text for a pointer to text */
__attribute__((noinline, unused)) static char *written(const struct report *rep, writer write)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_int_equal(write(rep, to), 0);
	fclose(to);
	return text;
}

static inline char *report_as(const struct results *r, writer write)
{
	const struct results *const all[] = {r};
	struct report *rep = build_many(all, 1);
	char *text = written(rep, write);

	report_free(rep);
	return text;
}

static inline void assert_says(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("no '%s' in '%s'", part, text ? text : "");
}

static inline void assert_silent(const char *text, const char *part)
{
	if (!text || strstr(text, part))
		fail_msg("'%s' should not be in '%s'", part, text ? text : "");
}

/* the text from @from up to @to; free() it */
static inline char *between(const char *text, const char *from, const char *to)
{
	const char *start = strstr(text, from), *end;

	if (!start) {
		fail_msg("no '%s' in '%s'", from, text);
		return strdup("");
	}
	end = strstr(start + strlen(from), to);
	return strndup(start, end ? (size_t)(end - start) : strlen(start));
}

/* neither as a word nor as a part of a number: "nan", "inf", "-inf" */
static inline void assert_no_nan(const char *text)
{
	static const char *const bad[] = {"nan", "inf"};
	const char *at;
	int i;

	for (i = 0; i < 2; i++)
		for (at = text; (at = strcasestr(at, bad[i])); at += 3)
			if ((at == text || !isalpha((unsigned char)at[-1])) &&
			    !isalpha((unsigned char)at[3]))
				fail_msg("'%s' in '%.80s'", bad[i], at > text + 40 ? at - 40 : at);
}

static inline void assert_mail(const char *text)
{
	const char *line, *end, *c;

	for (line = text; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		if (end - line > 100)
			fail_msg("%d columns: %.*s", (int)(end - line), (int)(end - line), line);
		if (end > line && end[-1] == ' ')
			fail_msg("ends in a blank: %.*s", (int)(end - line), line);
		for (c = line; c < end; c++)
			if (*c < ' ' || *c > '~')
				fail_msg("byte %d in '%.*s'", *c, (int)(end - line), line);
	}
}

static inline bool is_void(const char *name, int len)
{
	static const char *const names[] = {"meta", "br", "!DOCTYPE"};
	int i;

	for (i = 0; i < 3; i++)
		if ((int)strlen(names[i]) == len && !strncmp(names[i], name, len))
			return true;
	return false;
}

/* every element is closed in order, no script, nothing from elsewhere, no bare sign */
static inline void assert_page(const char *html)
{
	const char *stack[64], *c, *name;
	int lens[64], depth = 0, len;

	for (c = html; *c; c++) {
		if (*c != '<')
			continue;
		name = c + 1 + (c[1] == '/');
		len = strcspn(name, " >\n");
		if (c[1] == '/') {
			assert_true(depth > 0);
			depth--;
			if (lens[depth] != len || strncmp(stack[depth], name, len))
				fail_msg("</%.*s> closes <%.*s>", len, name, lens[depth],
					 stack[depth]);
		} else if (!is_void(name, len)) {
			assert_true(isalpha((unsigned char)*name) && depth < 64);
			stack[depth] = name;
			lens[depth++] = len;
		}
	}
	assert_int_equal(depth, 0);
	assert_silent(html, "<script");
	assert_silent(html, "src=");
	assert_silent(html, "href=");
	assert_silent(html, "url(");
	assert_int_equal(strncmp(html, "<!DOCTYPE html>\n<html lang=\"en\">", 32), 0);
}

static inline void check_all(const struct results *r)
{
	char *text = report_as(r, report_text), *html = report_as(r, report_html);

	assert_mail(text);
	assert_page(html);
	assert_no_nan(text);
	assert_no_nan(html);
	free(text);
	free(html);
}

#endif
