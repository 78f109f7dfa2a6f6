#!/usr/bin/env bash
# Counts the documentation comments of Sources that begin with a question word, and the descriptions of parameters,
# results and errors that do. Each is a noun phrase or begins with a verb; more than three in a hundred that are
# neither are an error.
set -euo pipefail
cd "$(dirname "$0")/.."

find Sources -name '*.swift' -print0 | sort -z | xargs -0 awk '
  FNR == 1 { inside = 0 }
  /^[[:space:]]*\/\/\// {
    if (!inside) {
      count++
      if ($0 ~ /^[[:space:]]*\/\/\/ (What|Whether|Who|Whose|How|Where|Those)([^[:alpha:]]|$)/) {
        found++
        print FILENAME ":" FNR ": " $0
      }
    }
    if ($0 ~ /\/\/\/ +- [A-Za-z ]+: (What|Whether|Who|Whose|How|Where|Those)([^[:alpha:]]|$)/) {
      found++
      print FILENAME ":" FNR ": " $0
    }
    inside = 1
    next
  }
  { inside = 0 }
  END {
    printf "%d of %d comments begin with a question word (%.1f %%; at most 3 %%)\n", found, count, 100 * found / count
    exit count < 1000 || found * 100 > 3 * count
  }'
