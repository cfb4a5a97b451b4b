# Bash completion of cairn: commands, their options and choices, scenes, methods, files. Everything is asked from the program itself.
#     source tools/completion.bash          (make install puts it where bash finds it)
_cairn() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]} command=${COMP_WORDS[1]:-} choices
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        choices=$("$program" --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$choices --help --version" -- "$word")
        return
    fi
    case $before in
    --method) choices=$("$program" methods 2>/dev/null | sed -n 's/^\([a-z0-9-]*\):.*/\1/p') ;;
    --*) # the choices of an option: "--law coulomb|associated"
        choices=$("$program" "$command" --help 2>/dev/null | sed -n "s/^  $before \([a-z0-9]*|[a-z0-9|]*\).*/\1/p" | tr '|' ' ')
        ;;
    esac
    if [ -n "${choices:-}" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
    elif [[ $word == -* ]]; then
        choices=$("$program" "$command" --help 2>/dev/null | sed -n 's/^  \(--\{0,1\}[a-z-]*\) .*/\1/p' | grep '^-')
        mapfile -t COMPREPLY < <(compgen -W "$choices --help" -- "$word")
    elif [ "$command" = run ] || [ "$command" = scenes ]; then
        choices=$("$program" scenes 2>/dev/null | sed 's/ .*//')
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word"; compgen -f -- "$word")
    elif [ "$command" = methods ]; then
        choices=$("$program" methods 2>/dev/null | sed -n 's/^\([a-z0-9-]*\):.*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -F _cairn cairn
