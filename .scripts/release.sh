#!/usr/bin/env bash
# Checks that the last commit can be tagged as a version. Nothing is tagged, pushed or changed.
#
#   .scripts/release.sh VERSION     everything; builds and tests a clean clone, which takes minutes
#   .scripts/release.sh VERSION --quick     all but the clean clone
#
# The public interface is compared with the last tag by .scripts/api.sh. The clone is made in a temporary folder.
set -euo pipefail
cd "$(dirname "$0")/.."

version="${1:-}"
quick="${2:-}"
[[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || {
  echo "name the version, such as: .scripts/release.sh 0.1.0" >&2
  exit 2
}
case "$quick" in
  "" | "--quick") ;;
  *)
    echo "there is no option '$quick'; the only one is --quick" >&2
    exit 2
    ;;
esac

failures=0
holds() { printf '    ok: %s\n' "$1"; }
fails() {
  printf 'FAILED: %s\n' "$1"
  failures=$((failures + 1))
}
check() {
  local what="$1"
  shift
  if "$@"; then holds "$what"; else fails "$what"; fi
}

changelog=Sources/Freshet/Freshet.docc/Changelog.md
escaped="${version//./\\.}"

nothing_changed() { [ -z "$(git status --porcelain)" ]; }
no_such_tag() { ! git rev-parse --quiet --verify "refs/tags/$version" >/dev/null; }
newest_section() { [ "$(sed -n 's/^## //p' "$changelog" | head -n 1)" = "$version" ]; }
has_bullets() { [ "$(sed -n "/^## $escaped\$/,/^## [^#]/p" "$changelog" | grep -c '^- ')" -gt 0 ]; }
tool_says() { grep -q "\"$escaped\"" Sources/FreshetCLI/Version.swift; }
agent_says() { grep -q "userAgent = \"Freshet/${version%.*}\"" "$1"; }
page_says() { grep -Eq -- "(--from |from: \")$escaped(\"|\$)" "$1"; }

check "no file is changed or untracked" nothing_changed
check "the tag $version is free" no_such_tag
check "the newest section of the changelog is $version" newest_section
check "it has bullets" has_bullets
check "freshet --version is $version" tool_says
for transport in Curl/CurlTransport URLSession/URLSessionTransport; do
  check "the User-Agent of ${transport#*/} is Freshet/${version%.*}" \
    agent_says "Sources/Freshet/Transport/$transport+Configuration.swift"
done
for page in README.md Sources/Freshet/Freshet.docc/GettingStarted.md \
  Sources/FreshetImages/FreshetImages.docc/Images.md; do
  check "$page adds the package from $version" page_says "$page"
done

if last="$(git describe --tags --abbrev=0 2>/dev/null)"; then
  compared() { .scripts/api.sh "$last"; }
  check "the interface of $last is unchanged, except for .github/api-breakage.txt" compared
  if [ "${version%.*}" = "${last%.*}" ]; then
    no_breakage() { [ ! -s .github/api-breakage.txt ]; }
    check "a patch of $last breaks nothing (.github/api-breakage.txt)" no_breakage
  fi
else
  holds "there is no earlier tag to compare the interface with"
fi

if [ "$failures" -eq 0 ] && [ "$quick" != "--quick" ]; then
  clone="$(mktemp -d)"
  trap 'rm -rf "$clone"' EXIT
  git clone --quiet . "$clone/freshet"
  in_clone() { (cd "$clone/freshet" && "$@"); }
  prints() { [ "$(in_clone swift run freshet --version)" = "freshet $version" ]; }
  stays_clean() { [ -z "$(in_clone git status --porcelain)" ]; }
  check "a clean clone runs the tour" in_clone swift run freshet tour
  check "its tool prints $version" prints
  check "its tests pass" in_clone swift test
  if [ "$(uname)" = Linux ]; then
    check "its tests of pictures and of the shared store pass with all traits" \
      in_clone swift test --enable-all-traits --scratch-path .build/traits \
      --filter 'FreshetImagesTests|FreshetRedisTests'
  fi
  check "its documentation builds" in_clone .scripts/docs.sh
  check "none of that changes a file of it" stays_clean
fi

if [ "$failures" -gt 0 ]; then
  echo "$version cannot be released: $failures checks failed"
  exit 1
fi
if [ "$quick" = "--quick" ]; then
  echo "$version passes the quick checks; run it without --quick before the tag"
else
  echo "$version can be tagged: git tag $version && git push origin $version"
  if [ -s .github/api-breakage.txt ]; then
    echo "empty .github/api-breakage.txt after the tag: its lines are about earlier versions"
  fi
fi
