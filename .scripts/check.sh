#!/usr/bin/env bash
# Everything that must hold before a change lands, in the order in which it fails fastest.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$1"; }

# Runs tests; what has failed, or has not ended, is said once more at the end, where one looks first.
tests() {
  local log status=0 limit=()
  log=$(mktemp)
  # A test that ignores its cancellation goes on behind its time limit.
  if command -v timeout > /dev/null; then limit=(timeout -k 10 50m); fi
  ${limit[@]+"${limit[@]}"} swift test "$@" 2>&1 | tee "$log" || status=$?
  if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
    printf '\n== what has not ended\n'
    comm -23 \
      <(sed -nE 's/.*◇.* Test (.+) started\.$/\1/p' "$log" | sort -u) \
      <(sed -nE 's/.*[✔✘].* Test (.+) (passed|failed) after.*/\1/p' "$log" \
        | sed -E 's/ with [0-9]+ test cases?$//' | sort -u) | grep -vx run || true
  fi
  if [ "$status" -ne 0 ]; then
    printf '\n== what failed\n'
    grep -aE 'recorded an issue|error:' "$log" | cut -c1-600 | tail -40 || true
    tail -3 "$log"
  fi
  rm -f "$log"
  return "$status"
}

step "format"
swift format lint --strict --recursive --parallel Package.swift Sources Tests Playgrounds

step "comments begin with a noun or a verb"
.scripts/comments.sh

step "build, warnings are errors"
swift build --build-tests

step "tests: units, playground pages, real servers"
tests

if [ "$(uname)" = Linux ]; then
  step "pictures: the codecs and a real screen, behind the traits"
  swift build --enable-all-traits --build-tests --scratch-path .build/traits
  tests --enable-all-traits --scratch-path .build/traits --skip-build --filter FreshetImagesTests

  step "a shared store: a real server, behind the trait"
  tests --enable-all-traits --scratch-path .build/traits --skip-build \
    --filter 'FreshetRedisTests|ClockOrderTests|ErrorBesideTests|LateResponseTests|SeparationTests|StorePropertyTests|Shared.*ToolTests'
fi

if [ "$(uname)" = Linux ]; then
  step "the code for Apple platforms, as far as a compiler on Linux can tell"
  .scripts/apple.sh --tests
fi

step "laboratory, short"
.scripts/lab.sh --short

step "benchmark: the cases that need no server run, nothing is timed"
swift run --skip-build freshet-bench --json --rounds 1 --scale 0.01 routes peek-1 memory-hit-1 \
  scroll-1000-cells

step "documentation, broken links are errors"
.scripts/docs.sh

step "done"
