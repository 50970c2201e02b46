#!/usr/bin/python3
"""Says where the time of a step goes on a GPU, from what tools/trace.c has written.

    python3 tools/trace.py trace.txt [--step closed_advect] [--gpu 0] [--rows 40]

A step goes from a kernel whose name contains --step to the next; the first half of the steps is left out. Printed are, for each kernel and shape of launch, the
time of a step in microseconds, how often a step launches it, and the time of one; then the longest times without a kernel, by what was before and after them.
"""
import argparse
import collections
import sys


def read(name, device):
    """Returns (begin, end, what, shape) of each line of a GPU, by beginning."""
    lines = []
    for line in open(name):
        part = line.split()
        if len(part) == 6 and part[2].startswith(f"{device}/"):
            lines.append((int(part[0]), int(part[1]), part[3], f"{part[4]} {part[5]}"))
    return sorted(lines)


def whole_steps(lines, mark):
    """Returns the lines of the second half of the steps, and how many steps they are."""
    at = [n for n, line in enumerate(lines) if mark in line[2]]
    at = at[len(at) // 2:]
    if len(at) < 2:
        sys.exit(f"trace.py: fewer than two kernels are named *{mark}*")
    return lines[at[0]:at[-1]], len(at) - 1


def gaps(lines):
    """Returns the time between kernels, and how often there is some, by what was before and after."""
    time, times, end = collections.Counter(), collections.Counter(), lines[0][0]
    for before, line in zip(lines, lines[1:]):
        end = max(end, before[1])
        if line[0] > end:
            time[before[2], line[2]] += line[0] - end
            times[before[2], line[2]] += 1
    return time, times


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("trace")
    options.add_argument("--step", default="advect", help="a part of the name of a kernel that each step launches once")
    options.add_argument("--gpu", type=int, default=0, help="whose kernels, where a run has several")
    options.add_argument("--rows", type=int, default=40)
    o = options.parse_args()
    lines, steps = whole_steps(read(o.trace, o.gpu), o.step)
    kernels = collections.defaultdict(list)
    for begin, end, what, shape in lines:
        kernels[what, shape].append(end - begin)
    idle, times = gaps(lines)
    whole = lines[-1][1] - lines[0][0]
    print(f"{steps} steps of {whole / steps / 1e3:.0f} us, {len(lines) / steps:.1f} launches and {sum(idle.values()) / steps / 1e3:.0f} us without one in each")
    print("us a step  times  us of one")
    for (what, shape), took in sorted(kernels.items(), key=lambda k: -sum(k[1]))[:o.rows]:
        print(f"{sum(took) / steps / 1e3:9.1f} {len(took) / steps:6.1f} {sum(took) / len(took) / 1e3:10.1f}  {what} {shape}")
    print("without a kernel:")
    for pair, time in idle.most_common(o.rows // 3):
        print(f"{time / steps / 1e3:9.1f} {times[pair] / steps:6.1f} {time / times[pair] / 1e3:10.1f}  {pair[0]}, then {pair[1]}")


if __name__ == "__main__":
    main()
