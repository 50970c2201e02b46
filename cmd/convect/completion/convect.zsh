#compdef convect
# Completion of convect in zsh: source <(convect completion zsh)
_convect() {
	local -a answers open
	answers=("${(@f)$("${(Q)words[1]}" __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
	answers=(${answers:#})
	if (( $#answers == 0 )); then
		_files
		return
	fi
	open=(${(M)answers:#*[=.]})
	answers=(${answers:#*[=.]})
	compadd -S '' -a open
	compadd -a answers
}
# In a folder of fpath this file is the function itself, which Tab calls.
if [[ ${funcstack[1]} == _convect ]]; then
	_convect "$@"
else
	compdef _convect convect
fi
