#!/bin/sh
# Starts the Groma of this folder, wherever it lies (groma pack).
self=$0
while [ -h "$self" ]; do
  target=$(readlink "$self")
  case $target in /*) self=$target ;; *) self=$(dirname "$self")/$target ;; esac
done
here=$(cd "$(dirname "$self")/.." && pwd)
export LD_LIBRARY_PATH="$here/lib${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"
unset PYTHONHOME PYTHONPATH
PYTHONNOUSERSITE=1 exec "$here/bin/{python}" -m groma "$@"
