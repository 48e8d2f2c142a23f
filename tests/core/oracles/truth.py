"""Compares outputs of oracles and seeds with PyTorch in float64.

Reads one JSON list a line from standard input and answers with one line of JSON; importing PyTorch
takes seconds, so one process serves a whole test.
["check", PROBLEM_FOLDER, CASE_FOLDER]: CASE_FOLDER holds case.json (shapes) and raw tensors; answers the
largest errors of oracle and seed, relative to max(|truth|, rms of the truth).
["shapes", PROBLEM_FOLDER]: the shapes of get_inputs(), without the memory they take.
"""
import json
import pathlib
import sys

import numpy
import torch
import torch.nn.functional as F

TRUTH = {
    "matmul": lambda t: t["a"] @ t["b"],
    "softmax": lambda t: torch.softmax(t["x"], dim=-1),
    "layernorm": lambda t: F.layer_norm(t["x"], t["weight"].shape, t["weight"], t["bias"], 1e-5),
    "conv2d": lambda t: F.conv2d(t["x"], t["weight"], t["bias"], stride=4, padding=2),
    "conv2d_relu_maxpool": lambda t: F.max_pool2d(
        torch.relu(F.conv2d(t["x"], t["weight"], t["bias"], stride=4, padding=2)), 3, 2),
}


def check(problem, folder):
    case = json.loads((folder / "case.json").read_text())
    inputs = {}
    for tensor in case["inputs"]:
        raw = numpy.fromfile(folder / tensor["name"], dtype=numpy.float32)
        inputs[tensor["name"]] = torch.from_numpy(raw.reshape(tensor["shape"]).astype(numpy.float64))
    truth = TRUTH[problem.name](inputs).flatten()
    scale = torch.maximum(truth.abs(), truth.square().mean().sqrt()).clamp_min(1e-300)
    result = {}
    for name, kind in (("oracle", numpy.float64), ("seed", numpy.float32)):
        got = torch.from_numpy(numpy.fromfile(folder / name, dtype=kind).astype(numpy.float64))
        assert got.shape == truth.shape, f"{name}: {got.shape} elements, {truth.shape} wanted"
        result[name] = float(((got - truth).abs() / scale).max())
    return result


def shapes(problem):
    kept = torch.randn, torch.rand
    for maker in ("randn", "rand"):
        setattr(torch, maker, lambda *shape, **_: torch.empty(*shape, device="meta"))
    scope = {}
    exec(compile((problem / "reference.py").read_text(), "reference.py", "exec"), scope)
    scope["Model"](*scope["get_init_inputs"]())
    result = [list(t.shape) for t in scope["get_inputs"]()]
    torch.randn, torch.rand = kept
    return result


COMMANDS = {"check": check, "shapes": shapes}
for line in sys.stdin:
    command, *folders = json.loads(line)
    print(json.dumps(COMMANDS[command](*map(pathlib.Path, folders))), flush=True)
