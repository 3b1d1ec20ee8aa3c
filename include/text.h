/* SPDX-License-Identifier: MIT */
/*
 * text.h - what people type and what they read: numbers, durations, sizes, names, CPU lists
 *
 * Every parser here takes the whole string or refuses it: no trailing junk, no silent overflow, no
 * locale (the decimal point is a point whatever LC_ALL says). Refusals are -EINVAL with a sentence
 * that quotes the input; the caller puts the option's name in front with err_prefix().
 *
 * Threads: no state; any number of calls at once.
 */
#ifndef CHARGELINE_TEXT_H
#define CHARGELINE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"

/* ------------------------------------------------------------------ numbers */

int text_parse_int(const char *s, int64_t min, int64_t max, int64_t *out, struct err *err);

/* "3", "2.5", "3%" -> 3, 2.5, 3; finite, inside [min, max] */
int text_parse_percent(const char *s, double min, double max, double *out, struct err *err);

/* "250ns", "20us", "5ms", "30s", "2m", "1h", "0.5s" -> nanoseconds; the unit is required, > 0 */
int text_parse_duration(const char *s, int64_t *out_ns, struct err *err);

/* "64MiB", "300KiB", "2GiB", "4096B" or a bare number of bytes; decimal units are refused */
int text_parse_size(const char *s, int64_t *out_bytes, struct err *err);

/* "250 ns", "1.5 us", "20 ms", "2 min 5 s": for people. Returns @buf. */
const char *text_duration(char *buf, size_t size, double ns);

/* "18 MiB", "1.5 GiB": for people. Returns @buf. */
const char *text_bytes(char *buf, size_t size, double bytes);

/* "1.23 G", "45.6 M", "789 k", "12.3": three significant digits. Returns @buf. */
const char *text_si(char *buf, size_t size, double value);

/*
 * text_tame - what a terminal would take for a command becomes '?', byte by byte
 * Control characters: below U+0020, U+007F, and U+0080 to U+009F in UTF-8. Line breaks too.
 */
void text_tame(char *s);

/* NULL is the empty text */
bool text_same(const char *a, const char *b);

/* -------------------------------------------------------------------- names */

/*
 * text_nearest - the name that the user probably meant
 * @names: @nr names
 * Returns the nearest by edit distance, or NULL when none is near (more than a third of it differs).
 */
const char *text_nearest(const char *s, const char *const *names, size_t nr);

/*
 * text_unknown - the sentence for an unknown name
 * "unknown layout 'paked': nearest is 'packed_5_19'", else it lists the names there are. -EINVAL.
 */
int text_unknown(struct err *err, const char *what, const char *s, const char *const *names,
		 size_t nr);

/* ---------------------------------------------------------------- CPU lists */

/*
 * A list of OS CPU numbers, in the order they are to be used (workers are placed in this order).
 * Not a bit mask: any CPU number fits, order is kept. Owned by whoever declared it:
 * start from CPULIST_INIT, end with cpulist_free (any number of times).
 */
struct cpulist {
	int nr;
	int *cpu;
};

#define CPULIST_INIT    \
	{               \
		0, NULL \
	}
#define CPULIST_MAX_CPU 65535 /* larger CPU numbers in a list are refused as a typing mistake */

void cpulist_free(struct cpulist *list);
int cpulist_add(struct cpulist *list, int cpu);			  /* 0 or -ENOMEM */
int cpulist_copy(struct cpulist *to, const struct cpulist *from); /* replaces @to; 0 or -ENOMEM */
bool cpulist_has(const struct cpulist *list, int cpu);

/*
 * cpulist_parse - kernel list format: "0-3,8,12-15", with strides "8-159:8" (every 8th) and
 * "0-31:2/8" (the first 2 of every 8). A CPU named twice is refused. Order as written.
 */
int cpulist_parse(const char *s, struct cpulist *out, struct err *err);

/*
 * cpulist_format - the same format, without strides; consecutive runs become ranges, order is kept
 * Returns @buf, always terminated; cut with "..." when it does not fit. "" for an empty list.
 */
char *cpulist_format(const struct cpulist *list, char *buf, size_t size);

/* like cpulist_format, but sorted; allocates exactly; NULL when out of memory; free() it */
char *cpulist_text_sorted(const struct cpulist *list);

#endif
