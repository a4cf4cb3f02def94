# What zsh makes of command lines when the tab key is pressed, in a terminal of its own: for each line on standard input,
# a line as it has become.
#
#     zsh -f complete.zsh <cases
zmodload zsh/zpty || exit 1
zpty shell zsh -f -i
zpty -w shell "PS1= PS2= ; fpath=($PWD/functions \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell "setopt no_beep no_list_beep; unsetopt auto_menu auto_list; zle_highlight=(none)"
# The key after the tab prints the line and empties it.
zpty -w shell "tell() { print -r -- '<<'\"\$BUFFER\"'>>' >\$TTY; BUFFER= }; zle -N tell; bindkey '^T' tell; bindkey '^I' complete-word"
zpty -w shell "print -r ready''now"
zpty -r shell output '*readynow*'
while IFS= read -r line; do
    zpty -w -n shell "$line"$'\t\C-t'
    zpty -r shell output '*<<*>>*'
    output=${output##*<<}
    print -r -- "${output%%>>*}"
done
zpty -d shell
