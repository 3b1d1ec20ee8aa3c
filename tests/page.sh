#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The pages: valid HTML (tidy), opened by a browser (headless Chromium) that finds every part and has
# no complaint, and names from result files shown as text. What is not installed is skipped.
set -u
tool=$(readlink -f "$1")
maker=$(readlink -f "$2")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
nr=0

ok() { # ok STATUS NAME
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		sed 's/^/# /' why 2>/dev/null | cut -c1-200 | head -n 10
	fi
	: >why
}

skip() {
	nr=$((nr + 1))
	echo "ok $nr - $1 # SKIP $2"
}

have() { command -v "$1" >/dev/null; }

# says PAGE PART NAME / silent PAGE PART NAME
says() { grep -qF -- "$2" "$1"; ok $? "$3"; }
silent() { ! grep -F -- "$2" "$1" >why; ok $? "$3"; }

# sections PAGE ID...: they are there, in this order
sections() {
	local page=$1
	shift
	printf '%s\n' "$@" >want
	grep -o '<section id="[^"]*"' "$page" | cut -d'"' -f2 | grep -xFf want >found
	diff want found >why
	ok $? "$page: sections in their order: $*"
}

# parts PAGE ID...: each plot has a drawing with curves, signs, axes and a text alternative
parts() {
	local page=$1 id
	shift
	: >why
	for id; do
		sed -n "/<figure class=\"fig\" id=\"plot-$id\"/,/<\/figure>/p" "$page" >part
		for want in '<svg viewBox=' '<desc>[^<]' 'class="curve s0"[^>]* d="M[0-9.]*,[0-9.]* L' \
			'class="sign [mo][0-9]" transform="translate([0-9.]*,[^"]*" d="M' '<text [^>]*>[^<]*workers\|<text [^>]*>[^<]*batch' 'class="said">[^<]'; do
			grep -q -- "$want" part || echo "plot $id lacks $want" >>why
		done
	done
	[ ! -s why ]
	ok $? "$page: plots drawn: $*"
}

valid() { # valid PAGE
	if have tidy; then
		tidy -q -e -utf8 "$1" >why 2>&1
		ok $? "$1 is valid HTML"
	else
		skip "$1 is valid HTML" "tidy is not installed"
	fi
}

browser=
for b in chromium chromium-browser google-chrome; do
	! have $b || { browser=$b && break; }
done

# opened PAGE: the browser's own idea of the page, as $1.dom
opened() {
	if [ -z "$browser" ]; then
		skip "$1 opens in a browser" "chromium is not installed"
		cp "$1" "$1.dom"
		return
	fi
	timeout 100 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$dir/profile" \
		--enable-logging=stderr --virtual-time-budget=2000 --dump-dom "file://$dir/$1" \
		>"$1.dom" 2>log
	grep -E 'CONSOLE|Uncaught|Failed to load resource' log | grep -vF chromestatus.com >why
	[ -s "$1.dom" ] && [ ! -s why ] && grep -q '</main>' "$1.dom"
	ok $? "$1 opens in a browser without a complaint"
}

"$maker" . >why 2>&1
ok $? "the records are made"

# ---------------------------------------------------------------------------- small and hostile
timeout 100 "$tool" report narrow.json --html narrow.html --markdown narrow.md >narrow.txt 2>why
ok $? "a report of the small machine"
valid narrow.html
opened narrow.html
silent narrow.html '<script' "no script gets into the page"
silent narrow.html.dom '<script' "nor does the browser see one"
says narrow.html.dom "host &lt;script&gt;alert(1)&lt;/script&gt;" "the host name is shown as text"
says narrow.html.dom 'a map ``` &lt;script&gt;' "so is the map of the machine"
says narrow.html.dom "cores-first &lt;script&gt;alert(1)" "so is a placement, in the legend"
# nothing is markup in a block of code: commands, the map
awk '/^```/ { inside = !inside; next } !inside' narrow.md >prose.md
silent prose.md '<script' "Markdown has no HTML in it"
# shellcheck disable=SC2016 # backticks as they are
says narrow.md 'a \| b \`c\` &lt;script&gt;' "Markdown shows the same text"
timeout 100 "$tool" report narrow.json --markdown - >stdout.md 2>why
cmp narrow.md stdout.md >why
ok $? "Markdown on standard output is the same, and nothing else is there"
if have gnuplot; then
	parts narrow.html.dom scaling batch layouts layouts-load
else
	skip "plots of the small machine" "gnuplot is not installed"
fi
timeout 100 env PATH=/nonexistent "$tool" report narrow.json --html bare.html >/dev/null 2>why
says bare.html 'install gnuplot-nox' "without gnuplot the page says what to install"
valid bare.html
opened bare.html

# -------------------------------------------------------------------------------- 160 CPUs
timeout 100 "$tool" report wide.json wide-compact.json --html wide.html >wide.txt 2>why
ok $? "a report of two records of 160 CPUs"
valid wide.html
opened wide.html
sections wide.html.dom answer machine core-to-core scaling batch throughput lines limit model warnings repeat
says wide.html.dom 'package 1     node 1, 256 GiB, 40 cores, 80 CPUs' "the map of the machine"
says wide.html.dom '</svg>compact</li>' "each placement has its curve"
if have gnuplot; then
	parts wide.html.dom scaling scaling-load batch layouts layouts-load
	says wide.html.dom '(prediction)</li>' "the model's curves say what they are"
else
	skip "plots of 160 CPUs" "gnuplot is not installed"
	skip "the model's curves say what they are" "gnuplot is not installed"
fi

# ------------------------------------------------------------------------------- predicted
timeout 100 "$tool" predict page_counter --machine icx-8380 --workers 1,8 \
	--set layout=packed_5_19,v6_15 --set batch=8,64 --set work_ns=0,1000 --html far.html \
	>far.txt 2>why
ok $? "a page of a machine that is not here"
valid far.html
opened far.html
sections far.html.dom answer machine core-to-core page_counter repeat
says far.html.dom 'none is a measurement' "it says that nothing was measured"
says far.html.dom 'chargeline predict --machine icx-8380' "and how to repeat it"
if have gnuplot; then
	parts far.html.dom p0 p1
	[ "$(grep -c '^<li><svg' far.html.dom)" -gt 0 ] &&
		! grep '^<li><svg' far.html.dom | grep -v '(prediction)</li>' >why
	ok $? "every curve is marked as a prediction"
else
	skip "predicted plots" "gnuplot is not installed"
	skip "every curve is marked as a prediction" "gnuplot is not installed"
fi

echo "1..$nr"
