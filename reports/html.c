/* SPDX-License-Identifier: MIT */
/* A doc as one HTML5 page that needs nothing else: no script, no font, no network. */
#include "html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
	":root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--soft:#5a6370;--line:#d3d8de;"
	"--card:#eef4fb;--edge:#1f6fb5;--row:#f6f8fa}\n"
	"@media (prefers-color-scheme:dark){:root{--fg:#e4e8ee;--bg:#15181c;--soft:#a3adba;"
	"--line:#3a424c;--card:#1c2a38;--edge:#6db3f2;--row:#1c2026}}\n"
	"*{box-sizing:border-box}\n"
	"body{margin:0 auto;padding:1rem;max-width:70rem;color:var(--fg);background:var(--bg);"
	"font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\n"
	"h1{font-size:1.35rem;line-height:1.25}\n"
	"h2{font-size:1.1rem;margin:2rem 0 .5rem}\n"
	"#answer{background:var(--card);border-left:.3rem solid var(--edge);padding:.1rem 1rem}\n"
	"#answer h2{margin-top:.8rem}\n"
	".strong{font-size:1.15rem;font-weight:600}\n"
	"p,ul,dl{margin:.5rem 0;max-width:48rem}\n"
	"ul{padding-left:1.2rem}\n"
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}\n"
	"dt{color:var(--soft)}\n"
	"dd{margin:0}\n"
	".scroll{overflow-x:auto;margin:.8rem 0;border:1px solid var(--line);"
	"width:fit-content;max-width:100%}\n"
	"table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}\n"
	"caption{text-align:left;padding:.4rem .7rem;color:var(--soft);min-width:14rem}\n"
	"caption span{position:sticky;left:.7rem;display:inline-block;"
	"max-width:calc(100vw - 4.6rem)}\n"
	"th,td{padding:.25rem .7rem;text-align:left;white-space:nowrap;"
	"border-top:1px solid var(--line)}\n"
	"thead th{vertical-align:bottom}\n"
	"th{font-weight:600}\n"
	"tbody tr:nth-child(even){background:var(--row)}\n"
	"tbody th:first-child{position:sticky;left:0;background:var(--bg)}\n"
	"tbody tr:nth-child(even) th:first-child{background:var(--row)}\n"
	".n{text-align:right}\n"
	".notes{font-size:.85rem;color:var(--soft)}\n"
	"pre{overflow-x:auto;border:1px solid var(--line);padding:.6rem .8rem;font-size:.9rem}\n"
	"@media print{body{padding:0;max-width:none;font-size:10pt}"
	".scroll,pre{overflow:visible;border:0}"
	"th,td{white-space:normal;overflow-wrap:normal;padding:.15rem .4rem}"
	"tbody th:first-child{position:static}"
	"pre{white-space:pre-wrap}tr,#answer{break-inside:avoid}h2{break-after:avoid}}\n";

/* ---------------------------------------------------------------------------- escaping */

/* the length of the UTF-8 character at @s, 0 when there is none (RFC 3629) */
static int utf8_len(const char *s)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned lo = 0x80, hi = 0xbf;
	int len = 0, i;

	if (u[0] < 0x80)
		return 1;
	if (u[0] >= 0xc2 && u[0] <= 0xdf)
		len = 2;
	else if (u[0] >= 0xe0 && u[0] <= 0xef)
		len = 3;
	else if (u[0] >= 0xf0 && u[0] <= 0xf4)
		len = 4;
	if (u[0] == 0xe0)
		lo = 0xa0;
	else if (u[0] == 0xed)
		hi = 0x9f;
	else if (u[0] == 0xf0)
		lo = 0x90;
	else if (u[0] == 0xf4)
		hi = 0x8f;
	for (i = 1; i < len; i++, lo = 0x80, hi = 0xbf)
		if (u[i] < lo || u[i] > hi)
			return 0;
	return len;
}

static bool is_control(const char *s)
{
	unsigned char c = *s;

	/* U+0080..U+009F are controls, too */
	return c < 0x20 || c == 0x7f || (c == 0xc2 && (unsigned char)s[1] < 0xa0);
}

/* anything may come in a host name: markup is shown, what is no text becomes a replacement sign */
void html_text(FILE *to, const char *s)
{
	int len;

	for (; *s; s += len) {
		len = utf8_len(s);
		if (*s == '&')
			fputs("&amp;", to);
		else if (*s == '<')
			fputs("&lt;", to);
		else if (*s == '>')
			fputs("&gt;", to);
		else if (*s == '"')
			fputs("&quot;", to);
		else if (*s == '\'')
			fputs("&#39;", to);
		else if (!len || is_control(s))
			fputs("&#xfffd;", to);
		else
			fwrite(s, 1, len, to);
		len = len ? len : 1;
	}
}

void html_number(FILE *to, const char *s)
{
	const char *sign = strstr(s, "+-");
	char before[128];

	if (!sign || (size_t)(sign - s) >= sizeof(before)) {
		html_text(to, s);
		return;
	}
	memcpy(before, s, sign - s);
	before[sign - s] = '\0';
	html_text(to, before);
	fputs("&plusmn;", to);
	html_text(to, sign + 2);
}

static void cell(FILE *to, const struct doc_column *col, const char *s)
{
	fprintf(to, "<%s%s>", col->kind & DOC_KEY ? "th scope=\"row\"" : "td",
		col->kind & DOC_NUM ? " class=\"n\"" : "");
	if (col->kind & DOC_NUM)
		html_number(to, s);
	else
		html_text(to, s);
	fputs(col->kind & DOC_KEY ? "</th>" : "</td>", to);
}

/* ---------------------------------------------------------------------------- blocks */

static void head_cell(FILE *to, const struct doc_column *col)
{
	const char *second = strchr(col->head, '\n');
	char first[128];
	int len = second ? (int)(second - col->head) : (int)strlen(col->head);

	fprintf(to, "<th scope=\"col\"%s>", col->kind & DOC_NUM ? " class=\"n\"" : "");
	if (!second || len >= (int)sizeof(first)) {
		html_text(to, col->head);
	} else {
		memcpy(first, col->head, len);
		first[len] = '\0';
		html_text(to, first);
		fputs("<br>", to);
		html_text(to, second + 1);
	}
	fputs("</th>", to);
}

static void table(FILE *to, const struct doc_block *b)
{
	const struct doc_table *t = &b->table;
	int i;

	fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"", to);
	html_text(to, b->text);
	fputs("\">\n<table>\n<caption><span>", to);
	html_text(to, b->text);
	fputs("</span></caption>\n<thead><tr>", to);
	for (i = 0; i < t->nr_cols; i++)
		head_cell(to, &t->cols[i]);
	fputs("</tr></thead>\n<tbody>\n", to);
	for (i = 0; i < t->nr_cells; i++) {
		if (i % t->nr_cols == 0)
			fputs("<tr>", to);
		cell(to, &t->cols[i % t->nr_cols], t->cells[i]);
		if (i % t->nr_cols == t->nr_cols - 1)
			fputs("</tr>\n", to);
	}
	fputs("</tbody>\n</table>\n</div>\n", to);
	for (i = 0; i < t->nr_notes; i++) {
		fprintf(to, "<p class=\"notes\">(%c) ", 'a' + i % 26);
		html_text(to, t->notes[i]);
		fputs("</p>\n", to);
	}
}

static void element(FILE *to, const char *open, const char *s, const char *close)
{
	fputs(open, to);
	html_text(to, s);
	fputs(close, to);
}

static void drawing(FILE *to, const char *s)
{
	const char *end;
	char *line;

	fputs("<pre class=\"drawing\" tabindex=\"0\">", to);
	for (; *s; s = *end ? end + 1 : end) {
		end = strchrnul(s, '\n');
		line = strndup(s, end - s);
		html_text(to, line ? line : "");
		fputc('\n', to);
		free(line);
	}
	fputs("</pre>\n", to);
}

static void block(FILE *to, const struct doc_block *b, struct err *no_plots)
{
	switch (b->kind) {
	case DOC_PARA:
		element(to, "<p>", b->text, "</p>\n");
		break;
	case DOC_STRONG:
		element(to, "<p class=\"strong\">", b->text, "</p>\n");
		break;
	case DOC_ITEM:
		element(to, "<li>", b->text, "</li>\n");
		break;
	case DOC_FACT:
		element(to, "<dt>", b->key, "</dt>");
		element(to, "<dd>", b->text, "</dd>\n");
		break;
	case DOC_COMMAND:
		element(to, "<pre><code>", b->text, "</code></pre>\n");
		break;
	case DOC_DRAWING:
		drawing(to, b->text);
		break;
	case DOC_TABLE:
		table(to, b);
		break;
	case DOC_HEATMAP:
		html_heat(to, b);
		break;
	case DOC_PLOT:
		html_plot(to, b, no_plots);
		break;
	case DOC_LINES:
		html_lines(to, b);
		break;
	}
}

/* what neighbours of one kind share; NULL: nothing */
static const char *shared_element(enum doc_kind kind)
{
	return kind == DOC_ITEM ? "ul" : kind == DOC_FACT ? "dl" : kind == DOC_LINES ? "div" : NULL;
}

static void section(FILE *to, const struct doc_section *s, struct err *no_plots)
{
	const struct doc_block *b, *next;
	const char *list = NULL;
	int i;

	fprintf(to, "<section id=\"%s\">\n", s->id);
	element(to, "<h2>", s->title, "</h2>\n");
	for (i = 0; i < s->nr_blocks; i++) {
		b = &s->blocks[i];
		next = i + 1 < s->nr_blocks ? b + 1 : NULL;
		if (!list && (list = shared_element(b->kind)))
			fprintf(to, "<%s%s>\n", list,
				b->kind == DOC_LINES ? " class=\"structs\"" : "");
		block(to, b, no_plots);
		if (list && (!next || next->kind != b->kind)) {
			fprintf(to, "</%s>\n", list);
			list = NULL;
		}
	}
	fputs("</section>\n", to);
}

static bool has(const struct doc *d, enum doc_kind kind)
{
	int i, k;

	for (i = 0; i < d->nr_sections; i++)
		for (k = 0; k < d->sections[i].nr_blocks; k++)
			if (d->sections[i].blocks[k].kind == kind)
				return true;
	return false;
}

int doc_write_html(const struct doc *d, FILE *to)
{
	struct err no_plots = ERR_INIT;
	int i;

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
	      to);
	element(to, "<title>", d->title, "</title>\n");
	fprintf(to, "<style>\n%s", style);
	if (has(d, DOC_HEATMAP))
		html_heat_style(to);
	if (has(d, DOC_PLOT) || has(d, DOC_LINES))
		html_figure_style(to);
	fputs("</style>\n</head>\n<body>\n<main>\n", to);
	element(to, "<h1>", d->title, "</h1>\n");
	for (i = 0; i < d->nr_sections; i++)
		section(to, &d->sections[i], &no_plots);
	fputs("</main>\n</body>\n</html>\n", to);
	return ferror(to) ? -EIO : 0;
}
