#!/usr/bin/env bash
# Runs a tour of the gallery in a window of a virtual screen and copies the screen at each state of it:
# .scripts/gallery.sh EXECUTABLE FOLDER [TOUR] writes FOLDER/placeholder.xwd, loading.xwd, shown.xwd, …
# The tour is --states, of pictures, by default; --calls shows an inspector. FOLDER/gallery.log has its errors.
set -euo pipefail

# The gallery may be gone before its last step is sent.
trap "" PIPE

gallery="$1"
folder="$2"
tour="${3:---states}"
mkdir -p "$folder/screen"

# -displayfd lets the server choose a free number, and tell it when it is ready.
coproc SCREEN { exec timeout -k 5 120 Xvfb -displayfd 1 -screen 0 640x480x24 -nolisten tcp \
  -fbdir "$folder/screen" 2>"$folder/xvfb.log"; }
screen=$SCREEN_PID
process=""
end() {
  # By their numbers, whatever state they are in; the time limits are for when this script is killed.
  for number in $process $screen; do kill "$number" 2>/dev/null || true; done
  wait 2>/dev/null || true
}
trap end EXIT
read -r -t 30 number <&"${SCREEN[0]}" || {
  cat "$folder/xvfb.log" >&2
  exit 1
}

export DISPLAY=":$number" GDK_BACKEND=x11 GSK_RENDERER=cairo GTK_A11Y=none GTK_THEME=Default
export GSETTINGS_BACKEND=memory
mkfifo "$folder/steps" "$folder/states"
timeout -k 5 90 "$gallery" "$tour" <"$folder/steps" >"$folder/states" 2>"$folder/gallery.log" &
process=$!
exec 3>"$folder/steps"
states=0
last=start
exec 4<"$folder/states"
while true; do
  # Its status is 1 at the end of the output, and above 128 if nothing came in time.
  read -r -t 60 state <&4 || {
    (($? <= 128)) && break
    echo "no state within 60 s after: $last" >&2
    exit 1
  }
  cp "$folder/screen/Xvfb_screen0" "$folder/$state.xwd"
  states=$((states + 1))
  last=$state
  echo 2>/dev/null >&3 || true
done
wait "$process" || {
  tail -n 20 "$folder/gallery.log" >&2
  exit 1
}
process=""
echo "$states states"
