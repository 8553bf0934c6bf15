# What the tests of nodes share. Sourced with $foresee set; makes and enters a folder of its own.
examples=$(cd "$(dirname "$0")/../../../examples" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
FORESEE_DIR=$work/found
NO_COLOR=1
export FORESEE_DIR NO_COLOR
bad=0

tell() { # NAME, and 0 if it went well; what was said is in out
    if [ "$2" = 0 ]; then echo "ok nodes $1"; else
        echo "not ok nodes $1"
        sed 's/^/# /' "$work/out"
        bad=1
    fi
}

# NAME STATUS PATTERN OPTIONS... -- COMMAND...
expect() {
    name=$1 status=$2 pattern=$3
    shift 3
    timeout 1000 "$foresee" explore --max-time 900 "$@" >"$work/out" 2>&1 # machines are busy
    got=$?
    [ $got = "$status" ] && grep -Eq "$pattern" "$work/out"
    tell "$name" $?
}

# NAME PATTERN TIMES: the first finding is done again as often, and says the same each time.
replayed() {
    id=$(sed -n 's/.*"id": "\([0-9a-f]*\)".*/\1/p' "$FORESEE_DIR/last.json" | head -n 1)
    "$foresee" replay "$id" >"$work/first" 2>&1
    cp "$work/first" "$work/out"
    same=0 i=1
    while [ $i -lt "$3" ]; do
        "$foresee" replay "$id" >"$work/again" 2>&1
        cmp -s "$work/first" "$work/again" || same=1
        i=$((i + 1))
    done
    grep -q "$2" "$work/first" || same=1
    tell "$1, replayed $3 times" $same
}

# python3 itself, not what finds it: that takes longer than the node.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null)
