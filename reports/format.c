/* SPDX-License-Identifier: MIT */
#include "format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

char *format_rate(char *buf, const struct estimate *e)
{
	char rate[FORMAT_MAX / 2];
	double half = stats_rel_halfwidth(e);

	text_si(rate, sizeof(rate), e->mid);
	if (isfinite(half))
		snprintf(buf, FORMAT_MAX, "%s +-%.*f%%", rate, half < 0.0995 ? 1 : 0, 100 * half);
	else
		snprintf(buf, FORMAT_MAX, "%s%s", rate, e->mid == 0 && e->n ? "" : " ?");
	return buf;
}

static char *signed_percent(char *buf, double ratio)
{
	double pct = 100 * (ratio - 1);

	if (fabs(pct) < 0.05)
		strcpy(buf, "0.0");
	else if (fabs(pct) < 99999)
		snprintf(buf, FORMAT_MAX / 4, "%+.*f", fabs(pct) < 99.95 ? 1 : 0, pct);
	else
		snprintf(buf, FORMAT_MAX / 4, "%+.3g", pct);
	return buf;
}

char *format_gain(char *buf, const struct estimate *e)
{
	char mid[FORMAT_MAX / 4], lo[FORMAT_MAX / 4], hi[FORMAT_MAX / 4];

	signed_percent(mid, e->mid);
	if (isfinite(e->lo) && isfinite(e->hi))
		snprintf(buf, FORMAT_MAX, "%s%% [%s,%s]", mid, signed_percent(lo, e->lo),
			 signed_percent(hi, e->hi));
	else
		snprintf(buf, FORMAT_MAX, "%s%% ?", mid);
	return buf;
}

char *format_change(char *buf, const struct estimate *e)
{
	if (!isfinite(e->lo) || !isfinite(e->hi) || e->lo > 1 || e->hi < 1)
		return format_gain(buf, e);
	snprintf(buf, FORMAT_MAX, "~ +-%.1f%%", 100 * fmax(1 - e->lo, e->hi - 1));
	return buf;
}

char *format_percent(char *buf, double part)
{
	snprintf(buf, FORMAT_MAX, "%.3g%%", 100 * part);
	return buf;
}

char *format_count(char *buf, int64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRId64, n), i;
	char *to = buf;

	for (i = 0; i < len; i++) {
		*to++ = digits[i];
		if ((len - i - 1) % 3 == 0 && i < len - 1 && digits[i] != '-')
			*to++ = ',';
	}
	*to = '\0';
	return buf;
}

char *format_work(char *buf, double ns)
{
	if (ns == 0)
		return strcpy(buf, "saturated");
	text_duration(buf, FORMAT_MAX, ns);
	return buf;
}

const char *format_per(const char *experiment)
{
	return experiment && !strcmp(experiment, "page_counter") ? "page" : "operation";
}
