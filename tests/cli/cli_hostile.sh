#!/usr/bin/env bash
# Files as hostile use has them: devices, pipes, links, folders that are not there, full disks, closed descriptors, signals, damaged journals. No output takes the place
# of what it must not, nothing is left beside it, and reading changes nothing.
set -euo pipefail
. "$(dirname "$0")/cli_common.inc"
faults=$(cd "$CAIRN_SHARED" 2>/dev/null && pwd || echo none)/faults
cd "$place"
mkdir work tmp && cd work
export TMPDIR=$place/tmp
make work/p.hdf5 stack spheres=6 place=3
expect 0 run pinch --until 0.1 --out run.h5
cp run.h5 kept.h5
expect 0 solve p.hdf5 --trace trace.csv

nm -D "$CAIRN" 2>/dev/null | grep __asan >/dev/null && asan=true || asan=false # it needs more addresses than a limit leaves

left_over() { # nothing but what the tests made themselves
    local found
    found=$(find . "$TMPDIR" -maxdepth 1 \( -name '*.part*' -o -name 'cairn-snapshot-*' -o -name 'cairn-scratch*' -o -name 'cairn-[0-9]*' \) 2>/dev/null || true)
    if [ -z "$found" ]; then pass; else fail "left over: $found"; fi
}
unchanged() { if cmp -s "$1" "$2"; then pass; else fail "$1 was changed"; fi; }

# every command that writes a file, as "ARGUMENTS OUT"; HDF5 cannot go into a pipe
stream=("plot run.h5 -o" "plot trace.csv -o" "view run.h5 -o" "export run.h5 --to gltf -o" "solve p.hdf5 --trace" "run pinch --until 0.02 --checkpoint" "run pinch --until 0.02 --html")
seeking=("run pinch --until 0.02 --out" "convert p.hdf5" "solve p.hdf5 --out" "generate stack spheres=8 place=3 --out" "export run.h5 --to vtkhdf -o")
grep -q 'view_page_size = 0,' "$(dirname "$CAIRN")/view_page.c" 2>/dev/null && stream=("plot run.h5 -o" "plot trace.csv -o" "export run.h5 --to gltf -o" "solve p.hdf5 --trace" "run pinch --until 0.02 --checkpoint")

# a device is written to, or refused; it stays a device. It is one of our own where that is allowed
mknod null c 1 3 2>/dev/null && device=null || device=/dev/null
for command in "${stream[@]}"; do
    expect 0 $command $device
    [ -c $device ] && pass || fail "$command replaced the device"
done
for command in "${seeking[@]}"; do
    expect 3 $command $device
    says err "pipe or a device"
    [ -c $device ] && pass || fail "$command replaced the device"
done
# a full device is told
for command in "plot run.h5 -o" "export run.h5 --to gltf -o"; do
    expect 3 $command /dev/full
    says err "No space left"
done

# a pipe is written to when somebody reads it, else refused; it stays a pipe
mkfifo pipe
for command in "${stream[@]}"; do
    timeout 20 cat pipe >piped &
    reader=$!
    expect 0 $command pipe
    wait $reader || true
    [ -p pipe ] && [ -s piped ] && pass || fail "$command did not write into the pipe"
done
expect 3 plot run.h5 -o pipe
says err "a pipe that nobody reads"
for command in "${seeking[@]}"; do
    expect 3 $command pipe
    [ -p pipe ] && pass || fail "$command replaced the pipe"
done
# pipes and devices as inputs: told, within seconds
code=0
for command in "run pipe" "run /dev/zero" "info pipe" "info /dev/zero" "view pipe -o x.html" "plot pipe -o x.svg" "solve pipe" "export pipe -o x" "check pipe"; do
    expect 3 $command
done
printf '{"bodies": [{"shape": {"mesh": {"file": "/dev/zero"}}}]}' >zero.json
code=0
($asan || ulimit -v 1500000; "$CAIRN" run zero.json) >"$place/out" 2>"$place/err" </dev/null || code=$?
[ $code -eq 3 ] && pass || fail "/dev/zero as a mesh: exit code $code"
says err "device"
"$CAIRN" scenes pinch >pinch.json
(cat pinch.json >pipe &)
expect 0 run pipe --until 0.02 # a pipe that somebody writes into is as good as a file

# links are followed, also those that lead to nothing yet; modes are kept
for command in "${stream[@]}" "${seeking[@]}"; do
    mkdir -p far
    echo old >far/file && chmod 600 far/file && ln -sf far/file link && ln -sf link chain
    expect 0 $command chain
    [ -L chain ] && [ -L link ] && [ -f far/file ] && ! grep -q '^old$' far/file && pass || fail "$command replaced a link"
    [ "$(stat -c %a far/file)" = 600 ] && pass || fail "$command gave the file the mode $(stat -c %a far/file)"
    rm -f far/file
    expect 0 $command chain
    [ -L chain ] && [ -f far/file ] && pass || fail "$command did not follow a link to nothing"
    rm -rf far link chain
done
# the journal of a private recording is private
cp run.h5 private.h5 && chmod 600 private.h5
expect 0 run pinch --until 0.02 --out private.h5
[ "$(stat -c %a private.h5)" = 600 ] && pass || fail "a private recording has the mode $(stat -c %a private.h5)"

# output onto input
ln run.h5 hard.h5 && ln -s run.h5 soft.h5
for out in run.h5 hard.h5 soft.h5 ./run.h5; do
    for command in "plot run.h5 -o" "view run.h5 -o" "export run.h5 --to gltf -o" "export run.h5 --to vtkhdf -o" "snapshot run.h5 -o"; do
        expect 2 $command $out
        unchanged run.h5 kept.h5
    done
done
rm hard.h5 soft.h5
cp p.hdf5 kept.hdf5
for command in "convert p.hdf5 p.hdf5" "solve p.hdf5 --out p.hdf5" "solve p.hdf5 --trace p.hdf5" "solve p.hdf5 --out ." "plot trace.csv -o trace.csv" "run pinch.json --out pinch.json" "run pinch.json --html pinch.json"; do
    expect 2 $command
    unchanged p.hdf5 kept.hdf5
done

# a folder that is not there, a folder instead of a file: told at the start
for command in "${stream[@]}" "${seeking[@]}"; do
    expect 3 $command no/such/file
    says err "there is no folder 'no/such'"
done
mkdir folder
for command in "${stream[@]}" "run pinch --until 0.02 --out" "export run.h5 --to vtkhdf -o" "convert p.hdf5"; do
    expect 3 $command folder
    says err "folder"
done
# a file that is read-only, for those whom that binds
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    as=(setpriv --reuid 65534 --clear-groups)
    chmod 755 "$place"
    chmod 777 .
    "${as[@]}" test -r "$CAIRN" -a -w . || as=()
elif [ "$(id -u)" -ne 0 ]; then as=(env); else as=(); fi
if [ ${#as[@]} -gt 0 ]; then
    for command in "${stream[@]}" "run pinch --until 0.02 --out" "convert p.hdf5"; do
        echo old >fixed && chmod 444 fixed
        code=0
        "${as[@]}" "$CAIRN" $command fixed >"$place/out" 2>"$place/err" </dev/null || code=$?
        [ $code -eq 3 ] && [ "$(cat fixed)" = old ] && pass || fail "a read-only file: exit code $code: $command"
        says err "read-only"
        rm -f fixed
    done
else
    echo "skipped: read-only files: nobody here is bound by them"
fi
left_over

# a full disk: an error, no crash of libhdf5 at exit, the old file as it was, nothing left
limited() { # BYTES ARGUMENTS...
    local limit=$1
    shift
    code=0
    "${python:-false}" - "$limit" "$CAIRN" "$@" >"$place/out" 2>"$place/err" </dev/null <<'P' || code=$?
import resource, signal, os, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
os.execv(sys.argv[2], sys.argv[2:])
P
}
if [ -n "$python" ]; then
    for command in "${stream[@]}" "${seeking[@]}"; do
        for limit in 0 100 600 1500 3000 5000 9000 20000 40000; do
            echo old >full
            limited $limit $command full
            if [ "$code" -eq 0 ]; then
                grep -q '^old$' full && fail "$command: exit code 0 and nothing written" || pass
                continue
            fi
            # a recording that had begun before the disk was full is there, as far as it went
            [ "$code" -eq 3 ] && pass || fail "exit code $code with $limit bytes: $command"
            case $command in
            *--out\ *|*--out) [ -e full ] && pass || fail "$command lost the file" ;;
            *) [ "$(cat full)" = old ] && pass || fail "$command tore the old file at $limit bytes" ;;
            esac
            rm -f full full.journal
        done
    done
    mkdir tables && echo old >tables/poses.csv
    limited 2000 export run.h5 -o tables
    [ "$code" -eq 3 ] && [ "$(cat tables/poses.csv)" = old ] && [ "$(ls tables)" = poses.csv ] && pass || fail "tables on a full disk: exit code $code"
    # what was computed until then is readable, and the summary does not say that all is well
    limited 200000 run pinch --until 4 --out short.h5 --json
    [ "$code" -eq 3 ] && pass || fail "a recording on a full disk: exit code $code"
    says out '"stopped": true'
    steps=$(number steps | head -1)
    expect 0 export short.h5 -o short
    [ "$(wc -l <short/frames.csv)" -gt 5 ] && pass || fail "frames of a full disk are lost"
    limited 200000 run pinch --until 4 --out short2.h5
    says out "steps that were done are certified"
    left_over
else
    echo "skipped: full disks: python3 is missing"
fi

# no memory: an error, and no crash of libhdf5 at exit. Where not even its initialisation finds memory, before anything is printed, libhdf5 crashes by itself
if ! $asan; then
    for limit in $(seq 24000 1500 60000); do
        code=0
        (ulimit -v "$limit" && "$CAIRN" run pinch --until 0.1 --out memory.h5) >"$place/out" 2>"$place/err" </dev/null || code=$?
        { [ $code -lt 128 ] || [ ! -s "$place/out" ]; } && pass || fail "exit code $code with $limit kB"
        rm -f memory.h5 memory.h5.journal
    done 2>/dev/null
fi

# standard descriptors that are closed
for closed in '>&-' '<&-' '2>&-' '<&- >&- 2>&-'; do
    rm -f closed.h5
    code=0
    eval "\"\$CAIRN\" run pinch --until 0.1 --out closed.h5 >\"$place/out\" 2>\"$place/err\" $closed" || code=$?
    [ $code -eq 0 ] && pass || fail "exit code $code with $closed"
    expect 0 export closed.h5 -o closed
    cmp -s <(wc -l <closed/frames.csv) <(expect 0 export run.h5 -o whole; wc -l <whole/frames.csv) && pass || fail "frames are lost with $closed"
done 2>/dev/null

# a run that is killed: its journal is read, by every command, and stays as it is
"$CAIRN" run wall --until 6000 --set walls=1 --set rows=3 --set columns=3 --out killed.h5 >/dev/null 2>&1 &
runner=$!
for _ in $(seq 200); do
    [ "$(stat -c %s killed.h5.journal 2>/dev/null || echo 0)" -gt 60000 ] && break
    sleep 0.05
done
kill -9 $runner
wait $runner 2>/dev/null || true
cp killed.h5 killed_copy.h5 && cp killed.h5.journal killed_copy.journal
expect 0 export killed.h5 -o k1
frames=$(wc -l <k1/frames.csv)
[ "$frames" -gt 3 ] && pass || fail "$frames lines of a killed run"
unchanged killed.h5 killed_copy.h5
unchanged killed.h5.journal killed_copy.journal
# a flipped bit: told, one frame is lost, the others are not
if [ -n "$python" ]; then
    for part in 0.3 0.5 0.7; do
        cp killed_copy.journal killed.h5.journal
        "$python" -c "
import sys
b = bytearray(open('killed.h5.journal', 'rb').read()); b[int(len(b) * $part)] ^= 4; open('killed.h5.journal', 'wb').write(b)"
        cp killed.h5.journal flipped.journal
        expect 3 export killed.h5 -o k2
        says err "is damaged: 1 places"
        [ "$(wc -l <k2/frames.csv)" -eq $((frames - 1)) ] && pass || fail "$(wc -l <k2/frames.csv) of $frames lines after a flipped bit at $part"
        unchanged killed.h5.journal flipped.journal
        expect 3 plot killed.h5 -o k.svg
        says err "is damaged"
    done
fi
# the journal of another run: told, left alone, not overwritten
cp run.h5 other.h5 && cp killed_copy.journal other.h5.journal
expect 3 export other.h5 -o k3
says err "belongs to another recording"
unchanged other.h5.journal killed_copy.journal
unchanged other.h5 kept.h5
rm other.h5
expect 3 run pinch --until 0.02 --out other.h5
says err "holds steps of another recording"
unchanged other.h5.journal killed_copy.journal

# a journal that is removed or emptied while a run goes on: told; what the program still has is kept
for change in 'rm gone.h5.journal' ': >gone.h5.journal'; do
    rm -f gone.h5 gone.h5.journal
    "$CAIRN" run wall --until 6000 --set walls=1 --set rows=3 --set columns=3 --out gone.h5 >"$place/out" 2>"$place/err" &
    runner=$!
    for _ in $(seq 200); do
        [ "$(stat -c %s gone.h5.journal 2>/dev/null || echo 0)" -gt 60000 ] && break
        sleep 0.05
    done
    eval "$change"
    code=0
    wait $runner || code=$?
    [ $code -eq 3 ] && pass || fail "exit code $code after $change"
    says err "while the recording goes on"
done
rm -f gone.h5 gone.h5.journal

# two recorders on one file: one of them wins
for k in 1 2 3 4 5 6; do
    rm -f both.h5 both.h5.journal
    "$CAIRN" run pinch --until 0.3 --out both.h5 >/dev/null 2>&1 &
    first=$!
    "$CAIRN" run pinch --until 0.3 --out both.h5 >/dev/null 2>&1 &
    second=$!
    a=0 b=0
    wait $first || a=$?
    wait $second || b=$?
    { [ $a -eq 0 ] || [ $b -eq 0 ]; } && pass || fail "two recorders: exit codes $a and $b"
    expect 0 export both.h5 -o both
done

# waits until process $1 is cairn and catches SIGHUP: on a busy machine it takes seconds to begin
when_caught() {
    for _ in $(seq 600); do
        [ "/proc/$1/exe" -ef "$CAIRN" ] && grep -q '^SigCgt:.*[13579bdf]$' "/proc/$1/status" && return
        sleep 0.1
    done
}

# signals leave nothing behind, and what was computed is kept
for signal in INT TERM HUP; do
    for out in --html --out; do
        # a program that is started in the background ignores SIGINT unless told otherwise
        "${python:-python3}" -c '
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$CAIRN" run wall --until 6000 --set walls=1 --set rows=3 --set columns=3 $out ended >"$place/out" 2>"$place/err" &
        runner=$!
        when_caught $runner
        sleep 1
        kill -$signal $runner
        code=0
        wait $runner || code=$?
        [ $code -eq 1 ] && pass || fail "exit code $code after SIG$signal with $out"
        [ -s ended ] && pass || fail "no file after SIG$signal with $out"
        rm -f ended
        left_over
    done
done
printf '#!/bin/sh\nsleep 60\n' >browser && chmod +x browser
for signal in TERM HUP; do
    CHROMIUM=$PWD/browser "$CAIRN" snapshot run.h5 -o shot.png >/dev/null 2>&1 &
    runner=$!
    sleep 1
    kill -$signal $runner
    code=0
    wait $runner || code=$?
    [ $code -ne 0 ] && pass || fail "a stopped snapshot says that it is done"
    left_over
done

# a damaged recording: sides of chunks that are 0, which libhdf5 divides by
if [ -n "$python" ]; then
    for which in 0 5 20 40; do
        "$python" - "$which" <<'P'
import struct, sys
b = bytearray(open('kept.h5', 'rb').read())
found = [i for i in range(len(b) - 40) if b[i] == 3 and b[i + 1] == 2 and b[i + 2] in (2, 3, 4)
         and struct.unpack_from('<I', b, i + 11 + 4 * (b[i + 2] - 1))[0] in (1, 4, 8, 64, 256)
         and 0 < struct.unpack_from('<I', b, i + 11)[0] <= 4096]
assert len(found) > 40
b[found[int(sys.argv[1])] + 11:found[int(sys.argv[1])] + 15] = bytes(4)
open('sides.h5', 'wb').write(b)
P
        expect 3 plot sides.h5 -o x.svg
        says err "a side of 0 entries"
    done
fi
# one that was found so, where it is there; it is of the kind made above
[ ! -e "$faults/damaged-recording.h5" ] || expect 3 plot "$faults/damaged-recording.h5" -o x.svg

# names: long ones are told, formulas are texts
long=$(printf 'x%.0s' $(seq 75))
printf '{"until": 0.02, "shapes": {"s": {"sphere": {"radius": 0.1}}}, "bodies": [{"name": "%s", "shape": "s"}, {"name": "=1+1", "shape": "s", "position": [1, 0, 0]}]}' "$long" >named.json
expect 0 run named.json --out named.h5
says err "75 bytes"
expect 0 export named.h5 -o named
grep -q "\"'=1+1\"" named/bodies.csv && pass || fail "a cell begins with ="

# large files of the wrong kind are told at once, not read to their end
truncate -s 20G large.json
code=0
($asan || ulimit -v 2000000; timeout 20 "$CAIRN" run pinch --until 0.02 --resume large.json) >"$place/out" 2>"$place/err" </dev/null || code=$?
[ $code -eq 3 ] && pass || fail "a large file as a checkpoint: exit code $code"
says err "not a checkpoint"
code=0
($asan || ulimit -v 2000000; timeout 20 "$CAIRN" bench p.hdf5 --methods auto --tol 1e-4 --out bench --add large.json) >"$place/out" 2>"$place/err" </dev/null || code=$?
[ $code -eq 3 ] && pass || fail "a large file as results: exit code $code"
says err "large.json:1: not a JSON object"
rm large.json
# messages name what the user gave
expect 3 run pinch --until 0.02 --dump-failed p.hdf5
says err "p.hdf5: it is a file, expected a folder"
expect 3 export run.h5 -o p.hdf5
says err "p.hdf5: it is a file, expected a folder"
expect 3 bench p.hdf5 --methods auto --out p.hdf5
says err "p.hdf5: it is a file, expected a folder"
expect 3 info ''
says err "the name of a file to read is empty"
for command in "solve p.hdf5" "run pinch" "bench p.hdf5 --methods auto --out bench"; do
    expect 2 $command --tol 1
    says err "0.99"
done
expect 3 run pinch --until 0.02 --opt rho=nan
says err "overridden: options.rho"
if ! grep -q 'view_page_size = 0,' "$(dirname "$CAIRN")/view_page.c" 2>/dev/null; then
    expect 3 run pinch --until 0.02 --html /dev/full
    says err "cairn: /dev/full: cannot be written: No space left"
fi

# a step that never ends a run
for step in 1e-316 1e-300 1e-20 0 -1 1e300 nan; do
    printf '{"step": %s, "bodies": []}' $step >step.json
    code=0
    timeout 20 "$CAIRN" run step.json >"$place/out" 2>"$place/err" </dev/null || code=$?
    [ $code -eq 3 ] && pass || fail "a step of $step s: exit code $code"
done
printf '{"step": 1e-9, "until": 1e9, "bodies": []}' >step.json
expect 3 run step.json
says err "steps"
finish
