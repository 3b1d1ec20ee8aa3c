# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# bash completion of chargeline: the program itself says what could follow

_chargeline() {
	local tool=${COMP_WORDS[0]} words=() word glued='' cur before found i
	# bash splits words at = and :, the program wants them whole
	for ((i = 1; i <= COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		if [[ $word == [=:] && ${#words[@]} -gt 0 ]]; then
			words[-1]+=$word
			glued=1
		elif [[ $glued && -n $word ]]; then
			words[-1]+=$word
			glued=
		elif [[ -z $glued ]]; then
			words+=("$word")
		fi
	done
	cur=${words[-1]}
	# what stands before the last = is not the word that bash replaces
	before=
	[[ $COMP_WORDBREAKS != *=* || $cur != *=* ]] || before=${cur%"${cur##*=}"}
	[[ $tool != \~/* ]] || tool=$HOME${tool#\~}

	COMPREPLY=()
	while IFS= read -r found; do
		case $found in
		:files)
			compopt -o filenames 2>/dev/null
			mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "${cur#"$before"}")
			;;
		:folders)
			compopt -o filenames 2>/dev/null
			mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "${cur#"$before"}")
			;;
		*)
			[[ $found != *= ]] || compopt -o nospace 2>/dev/null
			COMPREPLY+=("${found#"$before"}")
			;;
		esac
	done < <("$tool" help --complete "${words[@]}" 2>/dev/null)
}
complete -F _chargeline chargeline
