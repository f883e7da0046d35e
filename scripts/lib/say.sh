# shellcheck shell=bash
# What a person reads while a script works. Sourced by every script; it must not run anything.

if [[ -t 2 && -z ${NO_COLOR:-} ]]; then
    bold=$'\e[1m' red=$'\e[31m' plain=$'\e[0m'
else
    bold='' red='' plain=''
fi

# say SENTENCE: what happens next. On stderr, so that stdout stays free for answers.
say() { printf '%s==> %s%s\n' "$bold" "$*" "$plain" >&2; }

# fail SENTENCE: what is missing and what to do about it; ends the script.
fail() {
    printf '%serror:%s %s\n' "$red$bold" "$plain" "$*" >&2
    exit 1
}

# has COMMAND: whether it is on the PATH.
has() { command -v "$1" >/dev/null 2>&1; }
