# Completion of convect in fish: convect completion fish > ~/.config/fish/completions/convect.fish
function __convect_complete
	set -l words (commandline -opc) (commandline -ct)
	set -l answers ($words[1] __complete $words[2..-1] 2>/dev/null)
	if test (count $answers) -eq 0
		__fish_complete_path (commandline -ct)
	else
		printf '%s\n' $answers
	end
end
complete -c convect -f -a '(__convect_complete)'
