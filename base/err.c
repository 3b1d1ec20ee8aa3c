/* SPDX-License-Identifier: MIT */
#include "err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

/*
 * One line, whatever was quoted in it: a newline or an escape sequence in a file name or a field
 * must not reach the terminal. @wanted is what vsnprintf would have liked to write.
 */
static void finish(struct err *err, const char *msg, int wanted)
{
	strcpy(err->msg, msg);
	text_tame(err->msg);
	if (wanted >= (int)sizeof(err->msg))
		memcpy(err->msg + sizeof(err->msg) - 4, "...", 4);
}

/* both build the sentence aside: the old one may be among the arguments */
int err_set(struct err *err, int code, const char *fmt, ...)
{
	char msg[sizeof(err->msg)] = "";
	va_list ap;
	int len;

	if (!err)
		return code;
	err->code = code;
	va_start(ap, fmt);
	len = vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	finish(err, msg, len);
	return code;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
	char msg[sizeof(err->msg)] = "";
	va_list ap;
	int len;

	if (!err)
		return 0;
	va_start(ap, fmt);
	len = vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	if (len >= 0 && len < (int)sizeof(msg))
		len += snprintf(msg + len, sizeof(msg) - len, "%s", err->msg);
	finish(err, msg, len);
	return err->code;
}
