#!/usr/bin/env bash
# Lets libFuzzer look for inputs that break what Tests/Fuzzing says of everything that reads bytes from
# outside, and prints a table of what was tried. Fails when something broke; the input is kept.
#
#   .scripts/fuzz.sh [--short] [NAME…]     all targets, or those named
#
# Each target gets ten million inputs, or FRESHET_FUZZ_RUNS, or FRESHET_FUZZ_SECONDS if they pass first;
# and then some that are repeated to 64 KiB, in which work that grows with the square of the length
# takes longer than is allowed. --short is for CI: a second each.
set -euo pipefail
cd "$(dirname "$0")/.."

runs="${FRESHET_FUZZ_RUNS:-10000000}" seconds="${FRESHET_FUZZ_SECONDS:-3600}" repeats=5000
if [ "${1:-}" = "--short" ]; then
  shift
  runs="${FRESHET_FUZZ_RUNS:--1}" seconds="${FRESHET_FUZZ_SECONDS:-1}" repeats=40
fi

scratch=.build/fuzzing
work="$scratch/work"
fuzzer="$scratch/freshet-fuzz"

mkdir -p .build
if [ "${FRESHET_FUZZ_BUILT:-}" = "" ]; then
  FRESHET_FUZZING=1 swift build --configuration release --scratch-path "$scratch" \
    --target FreshetFuzzing -Xswiftc -enable-testing -Xswiftc -sanitize=fuzzer \
    >"$scratch.log" 2>&1 || { cat "$scratch.log"; exit 1; }
  objects="$(find -L "$scratch/release/Freshet.build" "$scratch/release/FreshetModels.build" \
    "$scratch/release/FreshetFuzzing.build" -name '*.o')"
  # shellcheck disable=SC2086
  swiftc -sanitize=fuzzer -parse-as-library -o "$fuzzer" $objects -lcurl -lsqlite3 -lcrypto -lz
fi

rm -rf "$work"
mkdir -p "$work"
names="$(FRESHET_FUZZ_FOLDER="$work" "$fuzzer")"
if [ $# -gt 0 ]; then
  chosen="$(for name in "$@"; do grep "^$name " <<<"$names" || echo "$name unknown"; done)"
  if grep -q ' unknown$' <<<"$chosen"; then echo "no such target: $*"; exit 2; fi
  names="$chosen"
fi

# Runs one target: its name, its longest input, where to keep inputs, and what libFuzzer is told besides.
run() {
  local name="$1" length="$2" found="$work/$1/$3" log="$work/$1/log"
  shift 3
  mkdir -p "$found"
  local kept="Tests/Fuzzing/Corpus/$name"
  [ -d "$kept" ] || kept="$work/$name/seeds"
  SWIFT_BACKTRACE=enable=no FRESHET_FUZZ_TARGET="$name" "$fuzzer" -max_len="$length" -dict="$work/$name/words" \
    -artifact_prefix="$work/$name/broken-" -timeout=15 -malloc_limit_mb=64 -rss_limit_mb=4096 -print_final_stats=1 \
    -close_fd_mask=1 "$@" "$found" "$work/$name/seeds" "$kept" >>"$log" 2>&1
}

failed=0
total=0
printf '%-16s %12s %8s %9s  %s\n' target inputs seconds 'inputs/s' result
while read -r name length; do
  begun=$SECONDS
  result=held
  run "$name" "$length" found -runs="$runs" -max_total_time="$seconds" || result=BROKEN
  took=$((SECONDS - begun))
  count="$(awk '/number_of_executed_units/ { sum += $2 } END { print sum + 0 }' "$work/$name/log")"
  if [ "$result" = held ]; then
    FRESHET_FUZZ_REPEAT=65536 run "$name" "$length" repeated -runs="$repeats" -max_total_time=30 ||
      result="BROKEN, repeated"
  fi
  total=$((total + count))
  printf '%-16s %12s %8s %9s  %s\n' "$name" "$count" "$took" "$((count / (took > 0 ? took : 1)))" "$result"
  if [ "$result" != held ]; then
    failed=$((failed + 1))
    grep -E 'Fatal error|ERROR|Test unit written' "$work/$name/log" | sed 's/^/    /' | tail -3
  fi
done <<<"$names"
echo "= $total tried, $failed broken"
exit $((failed > 0))
