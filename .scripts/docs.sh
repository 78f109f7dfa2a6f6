#!/usr/bin/env bash
# Builds the documentation as a static site in .build/site; a broken link or a warning is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

base_path="${1:-freshet}"
modules=(Freshet FreshetModels FreshetTesting FreshetImages)

rm -rf .build/docs .build/site
mkdir -p .build/docs
swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members \
  --emit-extension-block-symbols >.build/docs/symbols.log 2>&1 || {
  cat .build/docs/symbols.log
  exit 1
}
graphs=$(find "$(swift build --show-bin-path)/.." -type d -name symbolgraph | head -n 1)

dependencies=()
archives=()
for module in "${modules[@]}"; do
  folder=".build/docs/$module"
  archive=".build/docs/$module.doccarchive"
  mkdir -p "$folder"
  cp "$graphs/$module.symbols.json" "$folder/"
  cp "$graphs/$module@"*.symbols.json "$folder/" 2>/dev/null || true
  catalog=()
  if [ -d "Sources/$module/$module.docc" ]; then catalog=("Sources/$module/$module.docc"); fi
  docc convert ${catalog[@]+"${catalog[@]}"} --additional-symbol-graph-dir "$folder" \
    --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
    --hosting-base-path "$base_path" --enable-experimental-external-link-support \
    ${dependencies[@]+"${dependencies[@]}"} \
    --warnings-as-errors --output-dir "$archive"
  dependencies+=(--dependency "$archive")
  archives+=("$archive")
done

docc merge "${archives[@]}" --synthesized-landing-page-name Freshet --output-path .build/site
echo "documentation: .build/site"
