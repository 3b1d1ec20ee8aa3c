#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What is made from the tables of --help: the man page, and the completion of bash. TAP.
set -u
# shellcheck source=tests/steps.sh
. "$(dirname -- "$(readlink -f -- "$0")")/steps.sh"
tool=$(readlink -f "$1")
completion=$(readlink -f "$2")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

told() { head -n 20 out 2>/dev/null; }
mkdir bin folder
ln -s "$tool" bin/chargeline
: >"a file.json"
PATH=$dir/bin:$PATH

commands=$(timeout 60 chargeline --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
options() { timeout 60 chargeline "$1" --help | grep -oE '^  (-., |    )--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+'; }

# ------------------------------------------------------------------------------- the text
[ "$(chargeline help)" = "$(chargeline --help)" ] &&
	[ "$(chargeline help pick)" = "$(chargeline pick --help)" ]
ok $? "'help' and 'help COMMAND' are --help"
# refused PART ARGS...: status 2, one sentence with PART
refused() {
	local part=$1
	shift
	chargeline "$@" >out 2>&1
	[ $? = 2 ] && [ "$(wc -l <out)" = 1 ] && grep -qF -- "$part" out
	ok $? "refused: chargeline $*"
}
refused "nearest is 'report'" help raport
refused "not the argument 'run'" help pick run
refused "no argument 'pick'" help --man pick
refused "option --man takes no value" help --man=1

# --------------------------------------------------------------------------- the man page
timeout 60 chargeline help --man >page 2>out
ok $? 'help --man'
sed 's/\\-/-/g; s/\\f[BIR]//g' page >plain
[ "$(wc -w <<<"$commands")" -ge 12 ] && for c in $commands; do
	grep -qx ".SS chargeline $c" plain || echo "$c is not in the page"
	for o in $(options "$c"); do
		[ "$o" = --help ] || sed -n "/^.SS chargeline $c\$/,/^.S[SH] /p" plain |
			grep -qE -- "(^|, )$o( |\$)" || echo "$c $o is not in the page"
	done
done >out
ok "$(test -s out; echo $((1 - $?)))" 'man page: every command with every option'
(export LC_ALL=C TZ=Asia/Tokyo COLUMNS=40 && timeout 60 chargeline help --man) | cmp - page >out 2>&1
ok $? 'man page: the same again, wherever and whenever'
if command -v groff >/dev/null; then
	groff -ww -man -Tutf8 page 2>out >/dev/null && [ ! -s out ]
	ok $? 'man page: groff has no warning'
else
	skip 'man page: groff has no warning' 'groff is not there'
fi
if command -v mandoc >/dev/null; then
	# a version that is not released has no date
	mandoc -Tlint -Wwarning page 2>&1 | grep -v 'missing date, using ""' >out
	ok "$(test -s out; echo $((1 - $?)))" 'man page: mandoc has no warning'
else
	skip 'man page: mandoc has no warning' 'mandoc is not there'
fi

# ------------------------------------------------------------------------- the completion
# shellcheck source=cli/chargeline.bash
. "$completion"

# typed 'LINE': what bash would offer for the last word of LINE, one a line in out
typed() {
	local line=${1//=/ = } word
	read -ra COMP_WORDS <<<"$line"
	[[ $1 != *' ' ]] || COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
	_chargeline
	for word in "${COMPREPLY[@]}"; do
		printf '%s\n' "$word"
	done >out
}

# offers 'LINE' WORD...: these are among what is offered
offers() {
	local line=$1 word missing=0
	shift
	typed "$line"
	for word; do
		grep -qxF -- "$word" out || missing=1
	done
	ok $missing "offered for '$line': $*"
}

# offers_only 'LINE' WORD...: these in this order and nothing else
offers_only() {
	local line=$1
	shift
	typed "$line"
	[ "$(cat out)" = "$(printf '%s\n' "$@")" ]
	ok $? "offered for '$line' alone: $*"
}

# the order of words in $commands is not the matter
# shellcheck disable=SC2086
offers 'chargeline ' $commands --help --version
for c in $commands; do
	# shellcheck disable=SC2046
	offers "chargeline $c -" $(options "$c")
done
offers_only 'chargeline pre' predict
offers_only 'chargeline run sk' sk_forward_alloc
offers 'chargeline run ' page_counter charge_path s0
offers_only 'chargeline run --placement comp' compact
offers_only 'chargeline run --placement=comp' compact
offers_only 'chargeline run page_counter --set bat' batch=
offers_only 'chargeline run page_counter --set layout=pad' padded_2022
offers_only 'chargeline run page_counter --set layout=v6_12,pad' v6_12,padded_2022
offers_only 'chargeline run page_counter --set=layout=pad' padded_2022
offers_only 'chargeline run memcg_stock --set overflow=' drain trim
offers_only 'chargeline run --home f' farthest
offers_only 'chargeline predict -m ic' icx-8380
offers_only 'chargeline predict --set batch=64 --machine=ic' icx-8380
offers_only 'chargeline pick --format ' text json markdown commit
offers_only 'chargeline reproduce s2' s2
offers_only 'chargeline list p' params placements
offers_only 'chargeline help rep' report reproduce
offers_only 'chargeline store ' add list export
offers_only 'chargeline store add a' 'a file.json'
offers_only 'chargeline store export fo' folder
offers_only 'chargeline report --html=a' 'a file.json'
offers_only 'chargeline list params ' ''
offers_only 'chargeline run --workers ' ''
offers_only 'chargeline nothing ' ''
if chargeline bench --help | grep -q -- --benchmark_filter=; then
	offers_only 'chargeline bench --benchmark_fi' --benchmark_filter=
else
	skip 'options of libbenchmark' 'built without libbenchmark'
fi

# a word in capitals that the program cannot tell what it stands for
for c in $commands; do
	chargeline help --complete "$c" ''
	for o in $(options "$c"); do
		chargeline help --complete "$c" "$o" ''
	done
done | grep unknown >out
ok "$(test -s out; echo $((1 - $?)))" 'every place in the tables is known to the completion'

# in a real terminal: Tab, and the line that bash then runs
cat >rc <<END
PS1='> '
bind 'set bell-style none'
PATH=$dir/bin:\$PATH
. '$completion'
END
cat >tab.py <<'END'
import os, pty, select, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.environ['TERM'] = 'dumb'
    os.execvp('bash', ['bash', '--noprofile', '--rcfile', 'rc', '-i'])
def until(text):
    seen, end = '', time.time() + 60
    while text not in seen:
        if time.time() > end or not select.select([fd], [], [], 60)[0]:
            sys.exit(f'no {text!r} in {seen!r}')
        seen += os.read(fd, 4096).decode()
until('> ')
for keys, shown in (('chargeline predi\t', 'predict '), ('-m ic\t', 'icx-8380 '),
                    ('--set lay\t', 'layout='), ('pad\t', 'padded_2022 ')):
    os.write(fd, keys.encode())
    until(shown)
os.write(fd, b'\x03exit\r')
END
timeout 120 python3 tab.py >out 2>&1
ok $? 'Tab in a terminal'
echo "1..$nr"
