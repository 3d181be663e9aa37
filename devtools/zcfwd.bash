# Completion of zcfwd's options for bash: what `zcfwd --help` lists, engines and files where they belong.
_zcfwd() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} option
	# bash splits --option=value at the sign.
	[ "$word" = "=" ] && word=
	[ "$before" = "=" ] && before=${COMP_WORDS[COMP_CWORD - 2]}
	case $before in
	--forward-mode)
		mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" --list-engines 2>/dev/null)" -- "$word")
		return
		;;
	--port-topology) mapfile -t COMPREPLY < <(compgen -W "paired chained loop" -- "$word"); return ;;
	--model) mapfile -t COMPREPLY < <(compgen -W "xl710 82599 x540" -- "$word"); compopt -o nospace; return ;;
	--output) mapfile -t COMPREPLY < <(compgen -W "text json" -- "$word"); return ;;
	--cmdline-file | --eth-peers-configfile | --history-file) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
	esac
	option=$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -nE 's/^  (--[a-z0-9-]+)(=?).*/\1\2/p')
	[ "$COMP_CWORD" -eq 1 ] && option="$option exec attach"
	mapfile -t COMPREPLY < <(compgen -W "$option" -- "$word")
	[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
}
complete -F _zcfwd zcfwd testpmd dpdk-testpmd
