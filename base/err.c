/* SPDX-License-Identifier: MIT */
#include "err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void mark_cut(char *msg, size_t size, int wanted)
{
	if (wanted >= (int)size)
		memcpy(msg + size - 4, "...", 4);
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	va_start(ap, fmt);
	mark_cut(err->msg, sizeof(err->msg), vsnprintf(err->msg, sizeof(err->msg), fmt, ap));
	va_end(ap);
	return code;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
	char old[sizeof(err->msg)];
	va_list ap;
	int len;

	if (!err)
		return 0;
	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	len = vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	if (len >= 0 && len < (int)sizeof(err->msg))
		len += snprintf(err->msg + len, sizeof(err->msg) - len, "%s", old);
	mark_cut(err->msg, sizeof(err->msg), len);
	return err->code;
}
