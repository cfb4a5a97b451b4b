# Bash completion of cairn: commands, their options and choices, scenes, methods, settings, samples, files. Everything is asked from the program itself.
#     source tools/completion.bash          (make install puts it where bash finds it)
_cairn_methods() { # names of the methods
    "$1" methods 2>/dev/null | sed -n 's/^\([a-z0-9-]*\):.*/\1/p'
}
_cairn() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} program=${COMP_WORDS[0]} command=${COMP_WORDS[1]:-} choices='' i method=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        choices=$("$program" --help 2>/dev/null | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$choices --help --version" -- "$word")
        return
    fi
    case $before in
    --method | --methods) choices=$(_cairn_methods "$program") ;;
    --opt) # settings of the method that was named, else of the default
        for ((i = 2; i < COMP_CWORD; i++)); do
            [ "${COMP_WORDS[i]}" = --method ] && method=${COMP_WORDS[i + 1]}
        done
        choices=$("$program" methods "${method:-auto}" 2>/dev/null | sed -n '/^setting /,$s/^\([a-z][a-z_-]*\)  .*/\1=/p' | grep -v '^setting=')
        ;;
    --set) # parameters of the scene
        choices=$("$program" run "${COMP_WORDS[2]}" --until 0 --quiet 2>/dev/null | sed -n 's/^  parameters: //p' | tr ',' '\n' | sed -n 's/^ *\([A-Za-z_0-9]*\) = .*/\1=/p')
        ;;
    --*) # the choices of an option: "--law coulomb|associated"
        choices=$("$program" "$command" --help 2>/dev/null | sed -n "s/^  $before \([a-z0-9]*|[a-z0-9|]*\).*/\1/p" | tr '|' ' ')
        ;;
    esac
    if [ -n "$choices" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
        [[ ${COMPREPLY[0]:-} == *= ]] && compopt -o nospace 2>/dev/null
    elif [[ $word == -* ]]; then
        choices=$("$program" "$command" --help 2>/dev/null | sed -n 's/^  \(--\{0,1\}[a-z-]*\) .*/\1/p' | grep '^-')
        mapfile -t COMPREPLY < <(compgen -W "$choices --help" -- "$word")
    elif [ "$command" = run ] || [ "$command" = scenes ]; then
        choices=$("$program" scenes 2>/dev/null | sed 's/ .*//')
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word"; compgen -f -- "$word")
    elif [ "$command" = methods ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_cairn_methods "$program")" -- "$word")
    elif [ "$command" = generate ] && [ "$COMP_CWORD" -eq 2 ]; then
        choices=$("$program" generate --list 2>/dev/null | sed -n 's/^\([a-z0-9-]*\):.*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
    elif [ "$command" = generate ] && [ "$before" != --out ] && [ "$before" != -o ]; then # parameters of the sample
        choices=$("$program" generate --list "${COMP_WORDS[2]}" 2>/dev/null | sed -n 's/^ *\([a-z_]*=\).*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
        compopt -o nospace 2>/dev/null
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -F _cairn cairn
