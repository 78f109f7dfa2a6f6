#!/usr/bin/env bash
# The laboratory: tries to break Freshet the way the world does, and prints what was tried, how many
# times, what happened, and how long it took. It ends with 1 if a promise did not hold.
#
#   .scripts/lab.sh --short            a few minutes, for CI; it takes samples
#   .scripts/lab.sh                    everything, an hour and more
#   .scripts/lab.sh [--short] NAME…    only these
#
# A stage is a line of the list: its name, what it does in a short run, and in a long one; `-` leaves
# it out of that run. What a stage prints says how many it tried: `= 12 tried, 0 broken`, `= 12 kills`,
# or the summary of Swift Testing; one that tried none was not made, which is no success. A stage that
# does not end is ended. `.build/lab/NAME.txt` has all that it printed.
set -uo pipefail
cd "$(dirname "$0")/.."

stages=(
  "wire|lab wire|lab --long wire"
  "proxies|lab proxies|lab --long proxies"
  "nginx|lab nginx|lab --long nginx"
  "tls|lab tls|lab --long tls"
  "http2|lab http2|lab --long http2"
  "clock|lab clock|lab --long clock"
  "pages|lab pages|lab --long pages"
  "files|failing lab files|failing lab --long files"
  "locks|lab locks|lab --long locks"
  "descriptors|lab descriptors|lab --long descriptors"
  "space|lab space|lab space"
  "cancellation|suite FreshetTests.Cancellation|limited env FRESHET_SWEEP=all swift test --skip-build --filter FreshetTests.Cancellation"
  "kill|limited env FRESHET_KILLS=40 swift test --skip-build --filter IntegrationTests.CrashTests|limited env FRESHET_KILLS=2000 swift test --skip-build --filter IntegrationTests.CrashTests"
  "storm|storm|storms"
  "soak|lab soak|lab --long soak"
  "fuzz|limited .scripts/fuzz.sh --short|limited .scripts/fuzz.sh"
  "leaks|-|leaks"
  "threads|-|threads"
  "addresses|-|addresses"
)

# What does not end by itself, although nothing may hang, is ended.
patience=1800
limited() { timeout -k 10 "$patience" "$@"; }

lab() { limited .build/debug/FreshetLab "$@"; }

suite() { limited swift test --skip-build --filter "$1"; }

# A library from Tests/Laboratory/Native, to be preloaded.
native() {
  clang -O2 -fPIC -shared -o ".build/lab/$1.so" "Tests/Laboratory/Native/$1.c" -ldl &&
    echo "$PWD/.build/lab/$1.so"
}

# Every system call on a store's files can be made to fail.
failing() {
  local library
  library=$(native calls) || return 2
  shift
  limited env LD_PRELOAD="$library" .build/debug/FreshetLab "$@"
}

# Tasks that are cancelled and begin anew, while their threads pause where tasks are handed over: what is
# no longer there when it is used is seldom missed otherwise.
storm() {
  local pauses
  pauses=$(native pauses) || return 2
  limited env LD_PRELOAD="$pauses" .build/debug/FreshetLab "$@" storm
}

# The same for minutes, plain, and where each sanitizer watches; with what it leaks.
storms() {
  local pauses locks continuations
  pauses=$(native pauses) && locks=$(native mutex) && continuations=$(native continuation) || return 2
  storm --long || return
  swift build --product FreshetLab --sanitize=address --scratch-path .build/address || return 2
  LSAN_OPTIONS=suppressions=Tests/Laboratory/Native/leaks.txt ASAN_OPTIONS=detect_leaks=1 \
    LD_PRELOAD="$pauses" limited .build/address/debug/FreshetLab --long storm || return
  swift build --product FreshetLab --sanitize=thread --scratch-path .build/thread || return 2
  TSAN_OPTIONS=exitcode=1 LD_PRELOAD="$locks:$continuations:$pauses" \
    limited .build/thread/debug/FreshetLab --long storm
}

# All tests under ThreadSanitizer, one after the other, for its time limits are those of a plain build.
# Nothing is suppressed. What is preloaded tells it of locks and of continuations that change hands
# inside of the toolchain's libraries, which are not instrumented; without it, all that is handed over
# that way is reported.
threads() {
  local locks continuations reports=.build/lab/threads-report
  locks=$(native mutex) || return 2
  continuations=$(native continuation) || return 2
  rm -f "$reports".*
  swift build --build-tests --sanitize=thread --scratch-path .build/thread || return 2
  FRESHET_SANITIZED=1 TSAN_OPTIONS="log_path=$PWD/$reports exitcode=66" \
    LD_PRELOAD="$locks:$continuations" \
    limited swift test --skip-build --no-parallel --sanitize=thread --scratch-path .build/thread || return 1
  ! cat "$reports".* 2>/dev/null
}

# All tests under AddressSanitizer. Leaks are looked for at the end of the soak, where one process does
# one thing; a test bundle leaves on purpose what its other tests still use.
addresses() {
  local reports=.build/lab/addresses-report
  rm -f "$reports".*
  swift build --build-tests --sanitize=address --scratch-path .build/address || return 2
  FRESHET_SANITIZED=1 ASAN_OPTIONS="log_path=$PWD/$reports detect_leaks=0" \
    limited swift test --skip-build --no-parallel --sanitize=address --scratch-path .build/address || return 1
  ! cat "$reports".* 2>/dev/null
}

# A soak under AddressSanitizer, with LeakSanitizer at its end.
leaks() {
  swift build --product FreshetLab --sanitize=address --scratch-path .build/address || return 2
  LSAN_OPTIONS=suppressions=Tests/Laboratory/Native/leaks.txt ASAN_OPTIONS=detect_leaks=1 \
    limited .build/address/debug/FreshetLab --requests 20000 soak
}

is_short=false
names=()
for argument in "$@"; do
  case "$argument" in
    --short) is_short=true ;;
    -*) sed -n '2,14s/^# \{0,1\}//p' "$0" && exit 2 ;;
    *) names+=("$argument") ;;
  esac
done

# What does not exist, or is not in this form, is not silently left out.
for name in ${names[@]+"${names[@]}"}; do
  found=""
  for stage in "${stages[@]}"; do
    IFS='|' read -r known short long <<<"$stage"
    [ "$known" = "$name" ] && found=$long
    if [ "$known" = "$name" ] && $is_short; then found=$short; fi
  done
  if [ -z "$found" ]; then
    echo "lab.sh: there is no stage \"$name\"" >&2
    exit 2
  elif [ "$found" = "-" ]; then
    echo "lab.sh: \"$name\" is not in the short form" >&2
    exit 2
  fi
done
$is_short || patience=28800

mkdir -p .build/lab
swift build --build-tests >.build/lab/build.txt 2>&1 || {
  tail -n 40 .build/lab/build.txt
  exit 2
}

# How many were tried, by what a stage has printed.
tried() {
  local all
  all=$(sed -n -e 's/^= \([0-9]*\) .*/\1/p' "$1" | awk '{ sum += $1 } END { if (NR) print sum }')
  if [ -z "$all" ]; then
    all=$(sed -n -e 's/.*Test run with \([0-9]*\) tests.*/\1/p' "$1" | tail -n 1)
  fi
  echo "${all:-0}"
}

# What became of a stage, by how it ended, how many it tried, and what it says of itself.
outcome() {
  case $1 in
    0)
      if [ "$2" -eq 0 ]; then
        echo "NOT MADE: nothing tried"
      elif grep -q '^! ' "$3"; then
        sed -n 's/^! /held, but /p' "$3" | head -n 1
      else
        echo "all held"
      fi
      ;;
    1) echo "BROKEN" ;;
    124 | 137) echo "BROKEN: it did not end" ;;
    132 | 133 | 134 | 135 | 136 | 139) echo "BROKEN: it crashed, by signal $(($1 - 128))" ;;
    *) echo "NOT MADE, or BROKEN" ;;
  esac
}

table="stage          tried  seconds  happened"
is_broken=0
for stage in "${stages[@]}"; do
  IFS='|' read -r name short long <<<"$stage"
  command=$long
  if $is_short; then command=$short; fi
  if [ ${#names[@]} -gt 0 ] && [[ " ${names[*]} " != *" $name "* ]]; then continue; fi
  if [ "$command" = "-" ]; then continue; fi
  printf '== %s\n' "$name"
  began=$SECONDS
  $command >".build/lab/$name.txt" 2>&1
  status=$?
  count=$(tried ".build/lab/$name.txt")
  happened=$(outcome "$status" "$count" ".build/lab/$name.txt")
  case "$happened" in
    "all held" | "held, but "*) ;;
    *)
      is_broken=1
      grep -E -A 4 'BROKEN|^✘|WARNING: |ERROR: ' ".build/lab/$name.txt" | head -n 60
      [ "${PIPESTATUS[0]}" -eq 0 ] || tail -n 20 ".build/lab/$name.txt"
      ;;
  esac
  table+=$(printf '\n%-14s %5s  %7d  %s' "$name" "$count" "$((SECONDS - began))" "$happened")
done

printf '\n%s\n' "$table"
exit $is_broken
