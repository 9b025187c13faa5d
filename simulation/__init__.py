"""Groma against networks whose true times are known: SimGrid's SMPI runs the engine, closed forms say what is right.

`make truth` builds the engine for the simulator, compares, and writes docs/truth.md. One file a subject: `platforms`
draws networks, `simulator` runs the engine on one, `truths` states what is true and what was claimed, `bisection` what
crosses a cut of known capacity, `scale` looks at the cost of many ranks.
"""
