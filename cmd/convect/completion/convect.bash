# Completion of convect in bash: source <(convect completion bash)
_convect() {
	local line=${COMP_LINE:0:COMP_POINT} words word cut answers
	read -ra words <<<"$line"
	case $line in *[[:space:]]) words+=("") ;; esac
	word=${words[${#words[@]} - 1]}
	mapfile -t answers < <("${words[0]/#\~/$HOME}" __complete "${words[@]:1}" 2>/dev/null)
	# bash replaces only what follows the last = or : of a word.
	cut=${word%"${word##*[=:]}"}
	COMPREPLY=("${answers[@]#"$cut"}")
	case ${answers[0]} in *[=.]) compopt -o nospace 2>/dev/null ;; esac
}
complete -o default -F _convect convect
