#!/usr/bin/env bash
# The laboratory: tries to break Freshet the way the world does, and prints what was tried, how many
# times, what happened, and how long it took. It ends with 1 if a promise did not hold.
#
#   .scripts/lab.sh --short            a few minutes, for CI
#   .scripts/lab.sh                    everything, an hour and more
#   .scripts/lab.sh [--short] NAME…    only these
#
# A stage is a line of the list: its name, what it does in a short run, and in a long one; `-` leaves
# it out of that run. What a stage prints last says how many it tried: `= 12 tried, 0 broken`, or the
# summary of Swift Testing. `.build/lab/NAME.txt` has all that it printed.
set -uo pipefail
cd "$(dirname "$0")/.."

stages=(
  "wire|lab wire|lab --long wire"
  "proxies|lab proxies|lab --long proxies"
  "tls|lab tls|lab --long tls"
  "http2|lab http2|lab --long http2"
  "clock|lab clock|lab --long clock"
  "pages|lab pages|lab --long pages"
  "files|failing lab files|failing lab --long files"
  "descriptors|lab descriptors|lab --long descriptors"
  "space|lab space|lab space"
  "cancellation|suite FreshetTests.Cancellation|env FRESHET_SWEEP=all swift test --skip-build --filter FreshetTests.Cancellation"
  "kill|-|env FRESHET_KILLS=2000 swift test --skip-build --filter IntegrationTests.CrashTests"
  "soak|lab soak|lab --long soak"
  "fuzz|.scripts/fuzz.sh --short|.scripts/fuzz.sh"
  "leaks|-|leaks"
  "threads|-|threads"
  "addresses|-|addresses"
)

lab() { .build/debug/FreshetLab "$@"; }

suite() { swift test --skip-build --filter "$1"; }

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
  LD_PRELOAD="$library" .build/debug/FreshetLab "$@"
}

# All tests under ThreadSanitizer, one after the other, for its time limits are those of a plain build.
# Nothing is suppressed. What is preloaded tells it of locks that are taken inside of the toolchain's
# library, which is not instrumented; without it, all that such a lock guards is reported.
threads() {
  local library reports=.build/lab/threads-report
  library=$(native mutex) || return 2
  rm -f "$reports".*
  swift build --build-tests --sanitize=thread --scratch-path .build/thread || return 2
  FRESHET_SANITIZED=1 TSAN_OPTIONS="log_path=$PWD/$reports exitcode=66" LD_PRELOAD="$library" \
    swift test --skip-build --no-parallel --sanitize=thread --scratch-path .build/thread || return 1
  ! cat "$reports".* 2>/dev/null
}

# All tests under AddressSanitizer. Leaks are looked for at the end of the soak, where one process does
# one thing; a test bundle leaves on purpose what its other tests still use.
addresses() {
  local reports=.build/lab/addresses-report
  rm -f "$reports".*
  swift build --build-tests --sanitize=address --scratch-path .build/address || return 2
  FRESHET_SANITIZED=1 ASAN_OPTIONS="log_path=$PWD/$reports detect_leaks=0" \
    swift test --skip-build --no-parallel --sanitize=address --scratch-path .build/address || return 1
  ! cat "$reports".* 2>/dev/null
}

# A soak under AddressSanitizer, with LeakSanitizer at its end.
leaks() {
  swift build --product FreshetLab --sanitize=address --scratch-path .build/address || return 2
  ASAN_OPTIONS=detect_leaks=1 .build/address/debug/FreshetLab --requests 20000 soak
}

is_short=false
names=()
for argument in "$@"; do
  case "$argument" in
    --short) is_short=true ;;
    -*) sed -n '2,12s/^# \{0,1\}//p' "$0" && exit 2 ;;
    *) names+=("$argument") ;;
  esac
done

mkdir -p .build/lab
swift build --build-tests >.build/lab/build.txt 2>&1 || {
  tail -n 40 .build/lab/build.txt
  exit 2
}

# How many were tried, by what a stage has printed.
tried() {
  sed -n -e 's/^= \([0-9]*\) tried.*/\1/p' \
    -e 's/.*Test run with \([0-9]*\) tests.*/\1/p' "$1" | tail -n 1
}

table="stage          tried  happened            seconds"
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
  case $? in
    0) happened="all held" ;;
    1) happened="BROKEN" ;;
    *) happened="NOT MADE, or BROKEN" ;;
  esac
  if [ "$happened" != "all held" ]; then
    is_broken=1
    grep -E -A 4 'BROKEN|^✘|WARNING: |ERROR: ' ".build/lab/$name.txt" | head -n 60 ||
      tail -n 20 ".build/lab/$name.txt"
  fi
  table+=$(printf '\n%-14s %5s  %-19s %7d' "$name" "$(tried ".build/lab/$name.txt")" "$happened" \
    "$((SECONDS - began))")
done

printf '\n%s\n' "$table"
exit $is_broken
