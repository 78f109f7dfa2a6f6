#!/usr/bin/env bash
# Checks on Linux what Apple platforms compile: the sources of every module, as far as their conditions
# ask for Apple's modules, against the interfaces in Tests/Apple/Stubs. With --tests, the tests as well, but for the
# samples of the documentation, which use more of SwiftUI than the interfaces have.
set -euo pipefail
cd "$(dirname "$0")/.."

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir "$out/modules" "$out/uikit" "$out/appkit"

features=()
for feature in ExistentialAny InternalImportsByDefault MemberImportVisibility NonisolatedNonsendingByDefault; do
  features+=(-enable-upcoming-feature "$feature")
done
libraries=()
for library in CZlib CLinux CCurl CSQLite CCrypto; do
  libraries+=(-Xcc "-fmodule-map-file=Sources/$library/module.modulemap")
done
common=(-swift-version 6 -parse-as-library -package-name freshet -I "$out/modules" "${libraries[@]}")

# stub NAME FOLDER: compiles an interface into a folder of modules.
stub() {
  swiftc -emit-module "${common[@]}" -I "$2" -module-name "$1" -o "$2/$1.swiftmodule" \
    "Tests/Apple/Stubs/$1.swift"
}

# checked COMMAND...: runs a compiler, whose warnings fail, too. AppleFoundation, which is imported for each file, makes
# some imports superfluous that are needed on Apple platforms.
checked() {
  local status=0 superfluous='was not used in package declarations'
  "$@" 2> "$out/log" || status=$?
  if [ "$status" != 0 ] || grep 'warning:' "$out/log" | grep -v "$superfluous" > /dev/null; then
    grep -v "$superfluous" "$out/log" >&2
    return 1
  fi
}

# sources NAME FOLDER [OPTION...]: compiles a module's files up to the code that would be optimised, with
# all checks of types, isolation and initialisation. On Apple platforms Foundation has more than on Linux.
sources() {
  local name=$1 folder=$2
  shift 2
  find "$folder" -name '*.swift' -print0 \
    | checked xargs -0 swiftc -wmo -enable-testing -module-name "$name" "${common[@]}" \
      "${features[@]}" -Xfrontend -import-module -Xfrontend AppleFoundation "$@"
}

# target NAME FOLDER [OPTION...]: the same, and other modules may import it.
target() {
  sources "$@" -emit-sil -o "$out/discarded.sil" -emit-module-path "$out/modules/$1.swiftmodule"
}

for module in Darwin AppleFoundation CoreGraphics SQLite3 os CryptoKit Security ImageIO QuartzCore SwiftUI Network; do
  stub "$module" "$out/modules"
done
stub UIKit "$out/uikit"
stub AppKit "$out/appkit"

target FreshetEssentials Sources/FreshetEssentials
target Freshet Sources/Freshet
target FreshetFoundation Sources/FreshetFoundation
target FreshetModels Sources/FreshetModels
target FreshetInspector Sources/FreshetInspector
target FreshetTesting Sources/FreshetTesting
target FreshetImages Sources/FreshetImages -I "$out/uikit"
target FreshetImages Sources/FreshetImages -I "$out/appkit"
target FreshetCLI Sources/FreshetCLI

# The sample app has top-level code in its main file, which is left out.
find Tests/Gallery -name '*.swift' ! -name main.swift -print0 \
  | checked xargs -0 swiftc -wmo -enable-testing -module-name FreshetGallery "${common[@]}" \
    "${features[@]}" -Xfrontend -import-module -Xfrontend AppleFoundation -I "$out/appkit" \
    -emit-sil -o "$out/discarded.sil" -emit-module-path "$out/modules/FreshetGallery.swiftmodule"

if [ "${1:-}" = --tests ]; then
  plugins=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift/host/plugins/testing
  target TestSupport Tests/Support
  for folder in Freshet FreshetModels FreshetTesting FreshetImages FreshetCLI; do
    sources "${folder}Tests" "Tests/$folder" -typecheck -plugin-path "$plugins" -I "$out/appkit"
  done
fi
