#!/usr/bin/env bash
# Every month, is this machine as it was? The same job, judged by limits of the site and against the first months.
#
#   administrator.sh prepare PLAN.toml [OPTION...]   once: the job of that plan, as job.sh (options of groma batch)
#   administrator.sh month                           every month, from cron: the job; exit code 4 if anything is slower
#
# The first three months make limits.toml and the baseline `first`; look at the limits, they are yours to change.
set -euo pipefail

case ${1:?prepare or month} in
prepare)
  groma batch --scheduler slurm --time 30m --script job.sh -o runs/month "${@:2}"
  ;;
month)
  sbatch --wait job.sh
  if [ -e limits.toml ]; then
    by_limits=0 by_baseline=0 # both say what they find: 4 slower, 125 not decided
    groma gate --limits limits.toml month || by_limits=$? # the newest run whose name begins so
    groma gate first month || by_baseline=$?
    if [ $by_limits = 4 ] || [ $by_baseline = 4 ]; then exit 4; fi
    exit $((by_limits > by_baseline ? by_limits : by_baseline))
  elif [ "$(find runs -maxdepth 1 -name 'month-*' | wc -l)" -ge 3 ]; then
    groma limits from runs/month-*
    groma baseline set first runs/month-*
  fi
  ;;
esac
