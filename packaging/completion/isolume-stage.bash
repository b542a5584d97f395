# Completion of isolume-stage for bash.

_isolume_stage_complete() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" words
  case "$prev" in
    --scene) words="$("$1" --list-scenes 2>/dev/null | cut -d' ' -f1)" ;;
    --command) words="$("$1" --list-commands 2>/dev/null | cut -d' ' -f1)" ;;
    --size) words="1280x720 1920x1080 3840x2160" ;;
    --screenshot | --script) words="" ;;
    *) words="--help --version --scene --list-scenes --list-commands --size --present --screenshot --seconds --command --script --quit-after-commands --scale" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _isolume_stage_complete isolume-stage
