#!/usr/bin/env bash
# Compares the public interface with that of another commit, and fails if something is gone or has
# changed that an app may use. FreshetRedis is not compared: it is empty without its trait.
#
#   .scripts/api.sh [BASE]     BASE is a commit, a branch or a tag; the last tag by default, or main
#
# A change that is meant to break stands in .github/api-breakage.txt, word for word as it is reported
# here, one a line, with a sentence in the changelog. What is compared is built in .build/api.
set -euo pipefail
cd "$(dirname "$0")/.."

base="${1:-$(git describe --tags --abbrev=0 2>/dev/null || echo main)}"
git rev-parse --quiet --verify "$base^{commit}" >/dev/null || {
  echo "there is no commit '$base' here; fetch it, or name another: .scripts/api.sh BASE" >&2
  exit 2
}

allowed=()
if [ -f .github/api-breakage.txt ]; then
  allowed=(--breakage-allowlist-path .github/api-breakage.txt)
fi

echo "comparing with $base"
swift package --scratch-path .build/api diagnose-api-breaking-changes "$base" \
  --baseline-dir .build/api/baselines \
  --products Freshet FreshetFoundation FreshetModels FreshetImages FreshetInspector FreshetTesting ${allowed[@]+"${allowed[@]}"}
