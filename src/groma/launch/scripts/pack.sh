#!/bin/sh
# Groma {version} for {machine} and glibc {glibc} or newer, with Python and all that it needs.
# sh FILE [FOLDER] unpacks it into a new folder (default: groma-{version}), and prints the path of its groma.
set -eu
folder=${{1:-groma-{version}}}
if [ "$(uname -m)" != {machine} ]; then
  echo "groma: this file is for {machine}, and this machine is $(uname -m); make one on such a machine (groma pack)" >&2
  exit 2
fi
if [ -e "$folder" ]; then
  echo "groma: $folder is there already; name another folder: sh $0 FOLDER" >&2
  exit 2
fi
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
tail -n +{lines} "$0" | tar -x -z -f - -C "$folder"
if ! "$folder/bin/groma" --version >/dev/null 2>"$folder/why"; then
  echo "groma: it does not start here, where glibc {glibc} or newer is needed: $(cat "$folder/why")" >&2
  exit 1
fi
rm "$folder/why"
echo "$folder/bin/groma"
exit 0
