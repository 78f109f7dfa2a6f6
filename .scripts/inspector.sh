#!/usr/bin/env bash
# Writes the pictures of the inspector's page for the documentation; it needs Chromium.
set -euo pipefail
cd "$(dirname "$0")/.."

export FRESHET_SCREENSHOTS="$PWD/Sources/FreshetInspector/FreshetInspector.docc/Resources"
mkdir -p "$FRESHET_SCREENSHOTS"
exec swift test --filter FreshetInspectorTests.InspectorScreenshots "$@"
