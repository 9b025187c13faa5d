"""Change points in series of runs: when a figure changed for longer than a run or two, by how much, and how sure.

Every window of a series (`windows`) is tested for two levels by Student's test, with the level of Bonferroni's
correction for all windows of all series, so that with 95 % no change that is reported lies in a stretch without one.
Runs next to each other are alike; `dependence` says how much, and the series are whitened before they are tested. The
windows are those of seeded binary segmentation (Kovács et al., Biometrika 2023), widened to windows whose halves differ
in length. docs/adr/0028 says why so; benchmarks/changes.py counts false alarms and what is found.
"""
