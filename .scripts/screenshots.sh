#!/usr/bin/env bash
# Takes the screenshots of the sample app for README and documentation, light and dark:
# .scripts/screenshots.sh writes gallery-feed.png, gallery-feed~dark.png, gallery-page.png and
# gallery-page~dark.png to Sources/FreshetImages/FreshetImages.docc/Resources.
# .scripts/screenshots.sh EXECUTABLE FOLDER uses a program that is built already, and another folder.
set -euo pipefail
cd "$(dirname "$0")/.."

gallery="${1:-}"
folder="${2:-Sources/FreshetImages/FreshetImages.docc/Resources}"
if [ -z "$gallery" ]; then
  swift build --traits GTK --product FreshetGallery
  gallery="$(swift build --traits GTK --show-bin-path)/FreshetGallery"
fi
mkdir -p "$folder"
work=$(mktemp -d)

# -displayfd lets the server choose a free number, and report it when it is ready.
coproc SCREEN { exec timeout -k 5 180 Xvfb -displayfd 1 -screen 0 1280x860x24 -nolisten tcp \
  2>"$work/xvfb.log"; }
screen=$SCREEN_PID
end() {
  kill "$screen" 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap end EXIT
read -r -t 30 number <&"${SCREEN[0]}" || {
  cat "$work/xvfb.log" >&2
  exit 1
}

export DISPLAY=":$number" GDK_BACKEND=x11 GSK_RENDERER=cairo GTK_A11Y=none GSETTINGS_BACKEND=memory
for theme in Default Default:dark; do
  GTK_THEME="$theme" timeout -k 5 80 "$gallery" --screenshots "$work/gallery" 2>"$work/gallery.log" || {
    tail -n 20 "$work/gallery.log" >&2
    exit 1
  }
  suffix=""
  if [ "$theme" = Default:dark ]; then suffix="~dark"; fi
  for picture in feed page; do
    mv "$work/gallery-$picture.png" "$folder/gallery-$picture$suffix.png"
  done
done
ls -l "$folder"/gallery-*.png
