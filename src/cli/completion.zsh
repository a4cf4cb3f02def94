#compdef kelvin
# Completion of kelvin's commands, options and values for zsh, made by: kelvin --completion zsh
# All it knows is in the table at its end: it never starts kelvin.

typeset -gA _kelvin_about _kelvin_options _kelvin_operands _kelvin_members
typeset -ga _kelvin_commands

# Members of a family; something follows those that are open.
_kelvin_member() {
    local word more about
    local -a plain open
    while IFS=$'\t' read -r word more about; do
        if [[ $more = more ]]; then
            open+=("${word//:/\\:}:$about")
        elif [[ $word ]]; then
            plain+=("$word:$about")
        fi
    done <<<$_kelvin_members[$1]
    _describe -t members ${(L)1} plain -- open -S ''
}

# Folders with a run in them, or in which there may be some.
_kelvin_run() {
    local -a runs
    runs=(${(Q)PREFIX}*(N/e['[[ -e $REPLY/run.json ]]']))
    if (($#runs)); then
        compadd -Q -U -- ${(q)runs}
    else
        _files -/
    fi
}

# _kelvin_value KIND|KIND: what can stand there, as usage texts call it.
_kelvin_value() {
    local kind ret=1
    for kind in ${(s:|:)1}; do
        case $kind in
        RUN*) _kelvin_run && ret=0 ;;
        DIR) _files -/ && ret=0 ;;
        FILE) _files && ret=0 ;;
        [a-z]*) compadd -- $kind && ret=0 ;;
        DATA)
            if [[ $PREFIX = *:* ]]; then # csv:FILE,test=FILE
                compset -P '*[:,=]'
                _files && ret=0
            else
                _kelvin_member DATA && ret=0
            fi
            ;;
        *) _kelvin_member $kind && ret=0 ;;
        esac
    done
    return ret
}

_kelvin_arguments() {
    local line name takes about
    local -a specs operands
    for line in ${(f)_kelvin_options[$words[1]]}; do
        IFS=$'\t' read -r name takes about <<<$line
        about=${${about//\[/\\[}//\]/\\]}
        if [[ $takes = - ]]; then
            specs+=("${name}[$about]")
        elif [[ $name = --* ]]; then
            specs+=("$name=[$about]:$takes: _kelvin_value '$takes'")
        else
            specs+=("$name+[$about]:$takes: _kelvin_value '$takes'")
        fi
    done
    operands=(${=_kelvin_operands[$words[1]]}) # runs, most, others
    if ((operands[1] == 0 && operands[2] > 1)); then
        specs+=("*:$operands[3]: _kelvin_value '$operands[3]'")
    elif ((operands[1] == operands[2] && operands[1] > 1)); then
        specs+=('*:RUN: _kelvin_value RUN')
    else
        ((operands[1] < 1)) || specs+=('1:RUN: _kelvin_value RUN')
        ((operands[2] == operands[1])) || specs+=("$operands[2]:$operands[3]: _kelvin_value '$operands[3]'")
    fi
    _arguments -S '--help[print help and exit]' $specs
}

_kelvin() {
    local -a globals=(
        '--help:print help and exit' '--version:print the version' '--man:print a manual page'
        '--completion:print a script like this one'
    )
    if ((CURRENT == 2)); then
        _describe -t commands command _kelvin_commands -- globals
    elif [[ $words[2] = --man ]]; then
        ((CURRENT > 3)) || _describe -t commands command _kelvin_commands
    elif [[ $words[2] = --completion ]]; then
        ((CURRENT > 3)) || compadd -- bash zsh
    elif (($+_kelvin_about[$words[2]])); then
        shift words
        ((CURRENT--))
        _kelvin_arguments
    fi
}

_kelvin_read() {
    local row of word takes about
    while IFS=$'\t' read -r row of word takes about; do
        case $row in
        command)
            _kelvin_about[$of]=$about
            _kelvin_commands+=("$of:$about")
            ;;
        operands) _kelvin_operands[$of]="$word $takes $about" ;;
        option) _kelvin_options[$of]+="$word"$'\t'"$takes"$'\t'"$about"$'\n' ;;
        member) _kelvin_members[$of]+="$word"$'\t'"$takes"$'\t'"$about"$'\n' ;;
        esac
    done
}
_kelvin_read <<'END'
@table@
END
_kelvin "$@"
