# Completion of kelvin's commands, options and values for bash, made by: kelvin --completion bash
# All it knows is in the table at its end: it never starts kelvin.

# _kelvin_offer WORD...: offers the words that begin with what is typed.
_kelvin_offer() {
    local word
    for word; do
        [[ $word = "$typed"* ]] || continue
        COMPREPLY+=("$before$word")
        [[ $_kelvin_open != *" $word "* ]] || more=yes
    done
}

# _kelvin_offer_files FILES|FOLDERS: offers those that begin with what is typed.
_kelvin_offer_files() {
    local name action=-f
    local -A offered=() # runs, where both they and files can stand
    [[ $1 = FILES ]] || action=-d
    compopt -o filenames 2>/dev/null
    for name in "${COMPREPLY[@]}"; do
        offered[${name%/}]=yes
    done
    while IFS= read -r name; do
        [[ ${offered[$before$name]} ]] || COMPREPLY+=("$before$name")
    done < <(compgen $action -- "$typed")
}

# Folders with a run in them, and those with folders in them, in which there may be some.
_kelvin_offer_runs() {
    local name
    while IFS= read -r name; do
        if [[ -e $name/run.json ]]; then
            COMPREPLY+=("$before$name")
        elif compgen -d -- "$name/" >/dev/null; then
            COMPREPLY+=("$before$name/")
            more=yes
        fi
    done < <(compgen -d -- "$typed")
}

# _kelvin_offer_value KIND|KIND: what can stand there, as usage texts call it.
_kelvin_offer_value() {
    local kind kinds
    IFS='|' read -ra kinds <<<"$1"
    for kind in "${kinds[@]}"; do
        case $kind in
        RUN*) _kelvin_offer_runs ;;
        DIR) _kelvin_offer_files FOLDERS ;;
        FILE) _kelvin_offer_files FILES ;;
        [a-z]*) _kelvin_offer "$kind" ;;
        DATA)
            if [[ $typed = *:* ]]; then # csv:FILE,test=FILE
                before+=${typed%"${typed##*[:,=]}"}
                typed=${typed##*[:,=]}
                _kelvin_offer_files FILES
            else
                _kelvin_offer ${_kelvin_members[DATA]}
            fi
            ;;
        *) _kelvin_offer ${_kelvin_members[$kind]} ;;
        esac
    done
}

# What comes after the command, which is the first of `words`.
_kelvin_offer_argument() {
    local command=${words[0]} takes= word operands=0 dashes=
    for word in "${words[@]:1:${#words[@]}-2}"; do
        if [[ $takes ]]; then
            takes=
        elif [[ $word = -- ]]; then
            dashes=no
        elif [[ $word = --*=* ]]; then
            continue
        elif [[ $word = -?* && ! $dashes ]]; then
            takes=${_kelvin_takes["$command $word"]}
        else
            operands=$((operands + 1))
        fi
    done
    if [[ ! $takes && ! $dashes && $typed = --*=* ]]; then
        before=${typed%%=*}
        takes=${_kelvin_takes["$command $before"]}
        before+='='
        typed=${typed#*=}
    elif [[ ! $takes && ! $dashes && $typed = -* ]]; then
        _kelvin_offer ${_kelvin_options[$command]} --help
        return
    elif [[ ! $takes ]]; then
        read -r runs most others <<<"${_kelvin_operands[$command]}"
        ((operands >= most)) || takes=$others
        ((operands >= runs)) || takes=RUN
    fi
    [[ ! $takes ]] || _kelvin_offer_value "$takes"
}

_kelvin() {
    local words=() typed before= more= word current i runs most others
    COMPREPLY=()
    # bash cuts words at : and =. Here they are whole again.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        current=${COMP_WORDS[i]}
        if ((${#words[@]})) && [[ $current = [:=]* || ($current && ${words[-1]} = *[:=]) ]]; then
            words[-1]+=$current
        else
            words+=("$current")
        fi
    done
    word=${words[-1]}
    typed=$word
    if ((${#words[@]} == 1)); then
        _kelvin_offer $_kelvin_commands --help --version --man --completion
    elif [[ ${words[0]} = --man && ${#words[@]} -eq 2 ]]; then
        _kelvin_offer $_kelvin_commands
    elif [[ ${words[0]} = --completion && ${#words[@]} -eq 2 ]]; then
        _kelvin_offer bash zsh
    else
        _kelvin_offer_argument
    fi
    # What bash takes for finished already is not said again.
    [[ $current != [:=] ]] || current=
    COMPREPLY=("${COMPREPLY[@]#"${word%"$current"}"}")
    [[ ! $more ]] || compopt -o nospace 2>/dev/null
}

declare -gA _kelvin_takes=() _kelvin_options=() _kelvin_operands=() _kelvin_members=()
declare -g _kelvin_commands= _kelvin_open=' '
_kelvin_read() {
    local row of word takes about
    while IFS=$'\t' read -r row of word takes about; do
        case $row in
        command) _kelvin_commands+=" $of" ;;
        operands) _kelvin_operands[$of]="$word $takes $about" ;;
        option)
            _kelvin_options[$of]+=" $word"
            [[ $takes = - ]] || _kelvin_takes["$of $word"]=$takes
            ;;
        member)
            _kelvin_members[$of]+=" $word"
            [[ $takes = - ]] || _kelvin_open+="$word "
            ;;
        esac
    done
}
_kelvin_read <<'END'
@table@
END
complete -F _kelvin kelvin
