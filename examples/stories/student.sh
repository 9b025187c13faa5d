#!/usr/bin/env bash
# Which halo exchange is fastest here? The ranking, a figure and a table for a report, and the numbers.
#
#   student.sh [OPTION...]     options of groma run, such as -n 4
set -euo pipefail

groma run 'halo/*' --bytes 8:64K:*8 "$@" # tables and ranking; the path of the run is the last line
groma plot halo -o halo.svg              # the newest run whose name begins so; .pdf and .png need reportlab and resvg-py
groma export halo --points --to latex -o halo.tex
groma export halo --points --to csv -o halo.csv
