# Waits for the end of its input, then ends the processes that it was told about and
# removes one directory. The input is a pipe that the sandbox's process holds: it ends
# when that process closes it or dies, however it dies.
#
# Argument: the directory to remove, or nothing when it is to be kept.
# Input, one a line:
#   watch PID START SIGNAL   end this process, and all below it, by SIGNAL
#   forget PID               it has ended and was collected: leave the id alone
# START is the kernel's start time of the process. A later process that was given the same
# id has another one, so no stranger is ever signalled.
trap '' HUP INT QUIT TERM
directory=${1:-}
watched=''
victims=''

while read -r verb pid start signal; do
    case $verb in
    watch) watched="$watched $pid:$start:$signal" ;;
    forget)
        others=''
        for entry in $watched; do
            case $entry in "$pid":*) ;; *) others="$others $entry" ;; esac
        done
        watched=$others
        ;;
    esac
done

# Sets $found to the start time of process $1 and $parent to its parent's id; $found is
# empty when the process is gone or only waits to be collected.
look_at() {
    found='' parent='' line=''
    { read -r line <"/proc/$1/stat"; } 2>/dev/null
    # The second field is the program's name in parentheses and may hold spaces.
    set -- ${line##*) }
    case ${1:-Z} in Z | X) ;; *) parent=$2 found=${20:-} ;; esac
}

# Fills $victims with the watched processes and everything below them.
collect_victims() {
    family=' '
    for entry in $watched; do
        pid=${entry%%:*} start=${entry#*:} start=${start%%:*}
        look_at "$pid"
        [ "$found" = "$start" ] || continue
        family="$family$pid " victims="$victims $pid:$start"
    done
    grown=yes
    while [ -n "$grown" ] && [ "$family" != ' ' ]; do
        grown=''
        for path in /proc/[0-9]*; do
            pid=${path#/proc/}
            case $family in *" $pid "*) continue ;; esac
            look_at "$pid"
            [ -n "$found" ] || continue
            case $family in
            *" $parent "*) family="$family$pid " victims="$victims $pid:$found" grown=yes ;;
            esac
        done
    done
}

# Keeps in $victims only those that still run.
drop_the_dead() {
    alive=''
    for victim in $victims; do
        look_at "${victim%%:*}"
        [ "$found" = "${victim#*:}" ] && alive="$alive $victim"
    done
    victims=$alive
}

signal_victims() {
    for victim in $victims; do kill -s "$1" "${victim%%:*}" 2>/dev/null; done
}

wait_for_victims() {
    tries=$1
    while [ "$tries" -gt 0 ]; do
        drop_the_dead
        [ -n "$victims" ] || return 0
        sleep 0.1
        tries=$((tries - 1))
    done
}

collect_victims
# A stopped process would not act on its signal.
signal_victims CONT
for entry in $watched; do
    pid=${entry%%:*}
    case $victims in *" $pid:"*) kill -s "${entry##*:}" "$pid" 2>/dev/null ;; esac
done
wait_for_victims 120
signal_victims KILL
wait_for_victims 50

tries=5
while [ -n "$directory" ] && [ "$tries" -gt 0 ]; do
    rm -rf -- "$directory" 2>/dev/null && break
    sleep 0.2
    tries=$((tries - 1))
done
