# What bash offers: for each line on standard input a line with the offers, tabs between them. A line is the words of
# a command line as bash cuts them, tabs between them, the last one in the making; _ stands for an empty one.
#
#     bash complete.bash <cases
. ./kelvin.bash
while IFS=$'\t' read -ra COMP_WORDS; do
    [[ ${COMP_WORDS[-1]} != _ ]] || COMP_WORDS[-1]=
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _kelvin kelvin "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
    (IFS=$'\t'; printf '%s\n' "${COMPREPLY[*]}")
done
