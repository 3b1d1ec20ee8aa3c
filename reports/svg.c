/* SPDX-License-Identifier: MIT */
#include "svg.h"

#include <stdlib.h>
#include <string.h>

#include "gnuplot.h"

/*
 * Okabe and Ito's colours, which differ for every colour vision, darker for a light page and
 * lighter for a dark one; each has a sign of its own, so that grey print tells them apart, too.
 */
static const struct style {
	const char *light, *dark;
	const char *sign; /* in units of about a sign's radius */
} styles[DOC_STYLES] = {
	{"#0072b2", "#56b4e9", "M-1 0a1 1 0 1 0 2 0a1 1 0 1 0-2 0z"},
	{"#c44e00", "#ff8a50", "M-.9-.9h1.8v1.8h-1.8z"},
	{"#007a5a", "#2dc79a", "M0-1.2L1.15.8h-2.3z"},
	{"#a0527f", "#e69ac4", "M0-1.25L1.25 0 0 1.25-1.25 0z"},
	{"#96640a", "#e6b450", "M0 1.2L1.15-.8h-2.3z"},
	{"#5b5bd0", "#a9a9ff", "M-.3-1h.6v.7h.7v.6h-.7v.7h-.6v-.7h-.7v-.6h.7z"},
	{"#444", "#ccc", "M-1-1L1 1M1-1L-1 1"},
	{"#7a7a00", "#f0e442", "M-1.2-.5h2.4v1h-2.4z"},
};

void svg_style(FILE *to)
{
	int i;

	fputs(":root{", to);
	for (i = 0; i < DOC_STYLES; i++)
		fprintf(to, "--s%d:%s;", i, styles[i].light);
	fputs("}\n@media screen and (prefers-color-scheme:dark){:root{", to);
	for (i = 0; i < DOC_STYLES; i++)
		fprintf(to, "--s%d:%s;", i, styles[i].dark);
	fputs("}}\n", to);
	for (i = 0; i < DOC_STYLES; i++)
		fprintf(to,
			".s%d{stroke:var(--s%d);fill:none}.m%d{stroke:var(--s%d);"
			"fill:var(--s%d)}.o%d{stroke:var(--s%d);fill:var(--bg)}\n",
			i, i, i, i, i, i, i);
	fputs(".fig svg{display:block;width:100%;height:auto;max-width:40rem;overflow:visible}\n"
	      ".fig text{font:16px system-ui,sans-serif;fill:currentColor}\n"
	      ".axis{stroke:currentColor;fill:none}.gridline{stroke:var(--line);fill:none}\n"
	      ".curve{stroke-width:2;stroke-linejoin:round}.bar{stroke-width:1.2}"
	      ".sign{stroke-width:.3}\n",
	      to);
}

/* --------------------------------------------------------------------------- reading */

struct reader {
	const char *at;
	FILE *to;
	int nr_curves;
	bool bad;
};

/* the value of attribute @name of the tag at @tag, copied; "" when there is none */
static const char *attribute(const char *tag, const char *name, char *buf, size_t size)
{
	const char *end = tag + strcspn(tag, ">"), *at = tag;
	size_t len = strlen(name), n;
	char quote;

	buf[0] = '\0';
	while ((at = strstr(at, name)) && at < end) {
		if (strchr(" \t\n", at[-1]) && at[len] == '=' && strchr("'\"", at[len + 1])) {
			quote = at[len + 1];
			at += len + 2;
			n = strcspn(at, (char[]){quote, '\0'});
			if (at + n > end || n >= size)
				return buf;
			memcpy(buf, at, n);
			buf[n] = '\0';
			return buf;
		}
		at += len;
	}
	return buf;
}

/* is it made of these signs only? then it can be written as it is */
static bool made_of(const char *s, const char *signs)
{
	return *s && !s[strspn(s, signs)];
}

#define NUMBERS "0123456789.,- \t\n"

/* "rgb(  1,   0,   3)" */
static bool curve_colour(const char *s, int *family, int *kind, int *style)
{
	return sscanf(s, "rgb( %d , %d , %d )", family, kind, style) == 3;
}

/* paths may be long: written from where they stand */
static void path(struct reader *r, const char *tag)
{
	const char *end = tag + strcspn(tag, ">"), *d = strstr(tag, " d='"), *stop;
	int family = 0, kind = 0, style = 0;
	char stroke[40], dash[40], *text;

	attribute(tag, "stroke", stroke, sizeof(stroke));
	attribute(tag, "stroke-dasharray", dash, sizeof(dash));
	if (!d || d > end)
		return;
	d += 4;
	stop = d + strcspn(d, "'");
	text = strndup(d, stop - d);
	if (!text || !made_of(text, NUMBERS "MLZHVmlzhv")) {
		r->bad = true;
		free(text);
		return;
	}
	curve_colour(stroke, &family, &kind, &style);
	if (family == GNUPLOT_CURVE && style >= 0 && style < DOC_STYLES) {
		fprintf(r->to, "<path class=\"curve s%d%s\"", style,
			kind == DOC_AT || kind == DOC_AT_PREDICTED ? " at" : "");
		r->nr_curves++;
	} else {
		fprintf(r->to, "<path class=\"%s\"", family == GNUPLOT_GRID ? "gridline" : "axis");
	}
	if (made_of(dash, NUMBERS) && family == GNUPLOT_CURVE)
		fprintf(r->to, " stroke-dasharray=\"%s\"", dash);
	fprintf(r->to, " d=\"%s\"></path>\n", text);
	free(text);
}

static void sign(struct reader *r, const char *tag)
{
	char transform[80], stroke[40];
	int family, kind, style;

	attribute(tag, "transform", transform, sizeof(transform));
	attribute(tag, "color", stroke, sizeof(stroke));
	/* without a transform it is the dot in the middle of an interval */
	if (!curve_colour(stroke, &family, &kind, &style) || family != GNUPLOT_CURVE || style < 0 ||
	    style >= DOC_STYLES || !*transform)
		return;
	if (!made_of(transform, NUMBERS "translatescale()")) {
		r->bad = true;
		return;
	}
	fprintf(r->to, "<path class=\"sign %c%d\" transform=\"%s\" d=\"%s\"></path>\n",
		kind == DOC_PREDICTED ? 'o' : 'm', style, transform, styles[style].sign);
}

/* gnuplot has escaped it; an element in it would be something else than a text */
static void text(struct reader *r, const char *group, const char *tag)
{
	const char *start = tag + strcspn(tag, ">"), *end;
	char transform[80], anchor[16];

	if (!*start || !group)
		return;
	start++;
	end = strchr(start, '<');
	attribute(group, "transform", transform, sizeof(transform));
	attribute(group, "text-anchor", anchor, sizeof(anchor));
	if (!end || strncmp(end, "</text>", 7) ||
	    !made_of(transform, NUMBERS "translaterotate()") ||
	    !made_of(anchor, "startmiddleend")) {
		r->bad = true;
		return;
	}
	while (start < end && *start == ' ')
		start++;
	fprintf(r->to, "<text transform=\"%s\" text-anchor=\"%s\">%.*s</text>\n", transform, anchor,
		(int)(end - start), start);
}

static bool is_tag(const char *at, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(at + 1, name, len) && strchr(" >\t\n", at[1 + len]);
}

int svg_embed(const char *drawing, FILE *to, struct err *err)
{
	const char *at = strstr(drawing, "</defs>"), *group = NULL;
	struct reader r = {.to = to};

	if (!strstr(drawing, "<svg") || !at || !strstr(at, "</svg>"))
		return err_set(err, -EBADMSG, "gnuplot wrote no drawing");
	for (; (at = strchr(at, '<')); at++) {
		if (is_tag(at, "g"))
			group = at;
		else if (is_tag(at, "path"))
			path(&r, at);
		else if (is_tag(at, "use"))
			sign(&r, at);
		else if (is_tag(at, "text"))
			text(&r, group, at);
	}
	if (r.bad || !r.nr_curves)
		return err_set(err, -EBADMSG, "gnuplot's drawing is not understood");
	return 0;
}

/* -------------------------------------------------------------------------- the legend */

void svg_sample(const struct doc_curve *c, FILE *to)
{
	const char *dash = "";

	if (c->kind == DOC_PREDICTED || c->kind == DOC_AT_PREDICTED)
		dash = " stroke-dasharray=\"8,5\"";
	else if (c->kind == DOC_RIGHT)
		dash = c->style % 2 ? " stroke-dasharray=\"2,4\"" : " stroke-dasharray=\"9,3,2,3\"";
	fprintf(to,
		"<svg viewBox=\"0 0 40 14\" aria-hidden=\"true\"><path class=\"curve s%d\"%s "
		"d=\"%s\"></path>",
		c->style, dash,
		c->kind == DOC_AT || c->kind == DOC_AT_PREDICTED ? "M20 0v14" : "M0 7h40");
	if (c->kind == DOC_MEASURED || c->kind == DOC_PREDICTED)
		fprintf(to,
			"<path class=\"sign %c%d\" transform=\"translate(20 7) scale(5)\" "
			"d=\"%s\"></path>",
			c->kind == DOC_PREDICTED ? 'o' : 'm', c->style, styles[c->style].sign);
	fputs("</svg>", to);
}
