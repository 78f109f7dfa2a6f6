#!/usr/bin/env bash
# Builds the documentation as a static site in .build/site; a broken link or a warning is an error.
#
#   .scripts/docs.sh [BASE_PATH]     BASE_PATH is the folder on the web server; freshet by default
#
# Only the libraries are built, as `swift build` builds them: no test, and nothing that README does not install.
set -euo pipefail
cd "$(dirname "$0")/.."

base_path="${1:-freshet}"
modules=(Freshet FreshetFoundation FreshetModels FreshetTesting FreshetImages FreshetInspector)

# FreshetRedis is empty without its trait, and on Apple platforms. It is built where check.sh builds with all traits.
traits=(--enable-all-traits --scratch-path .build/traits)
if [ "$(uname)" = Linux ]; then
  if [ -e /usr/include/hiredis/hiredis.h ]; then
    modules+=(FreshetRedis)
  else
    echo "documentation: FreshetRedis is left out; it needs libhiredis-dev" >&2
  fi
fi

rm -rf .build/docs .build/site
mkdir -p .build/docs

# The other modules depend on Freshet.
for module in "${modules[@]:1}"; do
  options=()
  if [ "$module" = FreshetRedis ]; then options=("${traits[@]}"); fi
  swift build ${options[@]+"${options[@]}"} --target "$module" >.build/docs/build.log 2>&1 || {
    cat .build/docs/build.log
    exit 1
  }
done

# The compiler's own extractor reads the built modules. `swift package dump-symbol-graph` reads those of the tests and of
# all system libraries too, which are not there in a fresh clone.
search=()
for folder in Sources/C*/; do search+=(-I "$folder"); done
triple="$(swift -print-target-info | sed -n 's/.*"triple": "\([^"]*\)".*/\1/p')"
platform=(-target "${triple%%$'\n'*}")
if [ "$(uname)" = Darwin ]; then platform+=(-sdk "$(xcrun --show-sdk-path)"); fi

dependencies=()
archives=()
for module in "${modules[@]}"; do
  folder=".build/docs/$module"
  archive=".build/docs/$module.doccarchive"
  options=()
  if [ "$module" = FreshetRedis ]; then options=("${traits[@]}"); fi
  built="$(swift build ${options[@]+"${options[@]}"} --show-bin-path)/Modules"
  mkdir -p "$folder"
  swift symbolgraph-extract -module-name "$module" -I "$built" "${search[@]}" "${platform[@]}" \
    -minimum-access-level public -skip-synthesized-members -emit-extension-block-symbols \
    -output-dir "$folder"
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
