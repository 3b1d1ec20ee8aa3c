/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool text_same(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

void text_tame(char *s)
{
	for (; *s; s++) {
		if (*s == '\xc2' && (unsigned char)s[1] >= 0x80 && (unsigned char)s[1] < 0xa0)
			*s++ = '?', *s = '?';
		else if ((unsigned char)*s < ' ' || *s == 0x7f)
			*s = '?';
	}
}

int text_parse_int(const char *s, int64_t min, int64_t max, int64_t *out, struct err *err)
{
	char *end;
	long long v;

	/* strtoll would also take white space and a plus sign */
	if (s[0] != '-' && (s[0] < '0' || s[0] > '9'))
		return err_set(err, -EINVAL, "'%.80s' is not a whole number", s);
	errno = 0;
	v = strtoll(s, &end, 10);
	if (end == s || *end)
		return err_set(err, -EINVAL, "'%.80s' is not a whole number", s);
	if (errno || v < min || v > max)
		return err_set(err, -EINVAL, "%.80s is outside %lld..%lld", s, (long long)min,
			       (long long)max);
	*out = v;
	return 0;
}

/*
 * Digits, at most one point, digits. strtod would take a comma under some locales, and "inf",
 * "nan" and hexadecimal under all.
 */
static int parse_decimal(const char *s, const char **end, double *out)
{
	double v = 0, scale = 1;
	bool digits = false;

	for (; *s >= '0' && *s <= '9'; s++, digits = true)
		v = v * 10 + (*s - '0');
	if (*s == '.') {
		for (s++; *s >= '0' && *s <= '9'; s++, digits = true) {
			if (scale >= 1e18) /* too small to be seen */
				continue;
			v = v * 10 + (*s - '0');
			scale *= 10;
		}
	}
	*end = s;
	*out = v / scale;
	return digits && isfinite(*out) ? 0 : -EINVAL;
}

int text_parse_percent(const char *s, double min, double max, double *out, struct err *err)
{
	const char *end;
	double v;

	if (parse_decimal(s, &end, &v) || (*end && strcmp(end, "%")))
		return err_set(err, -EINVAL, "'%.80s' is not a percentage", s);
	if (v < min || v > max)
		return err_set(err, -EINVAL, "%.80s is outside %g..%g", s, min, max);
	*out = v;
	return 0;
}

struct unit {
	const char *name;
	double factor;
};

static int parse_unit(const char *s, const struct unit *units, double *out)
{
	const char *end;
	double v;

	if (parse_decimal(s, &end, &v))
		return -EINVAL;
	for (; units->name; units++) {
		if (!strcmp(end, units->name)) {
			v *= units->factor;
			if (v >= 9e18)
				return -ERANGE;
			*out = v;
			return 0;
		}
	}
	return -EINVAL;
}

int text_parse_duration(const char *s, int64_t *out_ns, struct err *err)
{
	static const struct unit units[] = {{"ns", 1},	 {"us", 1e3},	{"ms", 1e6},   {"s", 1e9},
					    {"m", 6e10}, {"min", 6e10}, {"h", 3.6e12}, {NULL, 0}};
	double ns;
	int rc = parse_unit(s, units, &ns);

	if (rc == -ERANGE)
		return err_set(err, -EINVAL, "duration '%.80s' is too long", s);
	if (rc || ns < 1)
		return err_set(err, -EINVAL,
			       "'%.80s' is not a duration such as 30s, 2m, 500ms or 20us", s);
	*out_ns = (int64_t)ns;
	return 0;
}

int text_parse_size(const char *s, int64_t *out_bytes, struct err *err)
{
	static const struct unit units[] = {{"", 1},
					    {"B", 1},
					    {"KiB", 1024.0},
					    {"K", 1024.0},
					    {"MiB", 1048576.0},
					    {"M", 1048576.0},
					    {"GiB", 1073741824.0},
					    {"G", 1073741824.0},
					    {"TiB", 1099511627776.0},
					    {NULL, 0}};
	double bytes;
	int rc = parse_unit(s, units, &bytes);

	if (rc == -ERANGE)
		return err_set(err, -EINVAL, "size '%.80s' is too large", s);
	if (rc || (bytes > 0 && bytes < 1))
		return err_set(err, -EINVAL, "'%.80s' is not a size such as 64MiB, 512KiB or 2GiB",
			       s);
	*out_bytes = (int64_t)bytes;
	return 0;
}

const char *text_duration(char *buf, size_t size, double ns)
{
	double s = ns / 1e9;
	long long whole = s < 1e15 ? (long long)(s + 0.5) : 0;

	if (!(ns >= 999.5))
		snprintf(buf, size, "%.3g ns", ns);
	else if (ns < 999.5e3)
		snprintf(buf, size, "%.3g us", ns / 1e3);
	else if (ns < 999.5e6)
		snprintf(buf, size, "%.3g ms", ns / 1e6);
	else if (s < 119.5)
		snprintf(buf, size, "%.3g s", s);
	else if (whole < 7200 && whole)
		snprintf(buf, size, "%lld min %lld s", whole / 60, whole % 60);
	else if (whole)
		snprintf(buf, size, "%lld h %lld min", (whole + 30) / 3600, (whole + 30) / 60 % 60);
	else
		snprintf(buf, size, "%.3g s", s);
	return buf;
}

const char *text_bytes(char *buf, size_t size, double bytes)
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
	int i = 0;

	while (bytes >= 1023.5 && i < 5) {
		bytes /= 1024;
		i++;
	}
	snprintf(buf, size, bytes >= 99.95 || bytes == floor(bytes) ? "%.0f %s" : "%.3g %s", bytes,
		 unit[i]);
	return buf;
}

const char *text_si(char *buf, size_t size, double value)
{
	static const char *const unit[] = {"", " k", " M", " G", " T"};
	int i = 0;

	while (fabs(value) >= 999.5 && i < 4) {
		value /= 1000;
		i++;
	}
	if (fabs(value) >= 99.95)
		snprintf(buf, size, "%.0f%s", value, unit[i]);
	else if (fabs(value) >= 9.995)
		snprintf(buf, size, "%.1f%s", value, unit[i]);
	else if (value != 0 && fabs(value) < 0.9995)
		snprintf(buf, size, "%#.3g", value);
	else
		snprintf(buf, size, "%.2f%s", value, unit[i]);
	return buf;
}
