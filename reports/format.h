/* SPDX-License-Identifier: MIT */
/*
 * format.h - how numbers look in reports; every function returns @buf
 *
 * An interval is always the 95% one. "?" stands for one that too few windows leave infinite;
 * "~ +-1.3%" for a change whose interval holds 0: one of more than 1.3% would have been seen.
 */
#ifndef CHARGELINE_REPORTS_FORMAT_H
#define CHARGELINE_REPORTS_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "stats.h"

#define FORMAT_MAX 64

char *format_rate(char *buf, const struct estimate *e);	  /* "12.3 M +-0.5%", "12.3 M ?" */
char *format_change(char *buf, const struct estimate *e); /* of a ratio: "+12.3% [+11.0,+13.5]" */
char *format_gain(char *buf, const struct estimate *e);	  /* the same, never "~" */
char *format_percent(char *buf, double part);		  /* 0.03: "3%" */
char *format_count(char *buf, int64_t n);		  /* "10,240" */
char *format_work(char *buf, double ns);		  /* "saturated", "250 ns" */

/* what local work is counted per: "page" where an operation is a page, else "operation" */
const char *format_per(const char *experiment);

#endif
