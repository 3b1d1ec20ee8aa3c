/* SPDX-License-Identifier: MIT */
/* case_copy.h - what names a case outlives the file that it was read from */
#ifndef CHARGELINE_REPORTS_CASE_COPY_H
#define CHARGELINE_REPORTS_CASE_COPY_H

#include "results.h"

/* all of @from but its samples, into @to, which is zeroed; case_free() also after -ENOMEM */
int case_copy(struct result_case *to, const struct result_case *from);
void case_free(struct result_case *c); /* what it holds, its samples too */

#endif
