#!/usr/bin/env python3
"""A training loop that logs aqbench's scores: a small network learns the undulating surface from noisy points.

    python3 train_and_score.py [EPOCHS]

Each epoch the network's surface is scored against the true one, in the process that trains it and without a copy of the
points. Exits with 1 where training did not bring the mean error below half of what it was at the start.
"""

import sys

try:
    import torch
except ImportError as missing:
    print(f"skipped: {missing} (Debian: apt-get install python3-torch)")
    sys.exit(0)

import aqbench

EPOCHS = int(sys.argv[1]) if len(sys.argv) > 1 else 20
DEPTH_M, HEIGHT_M = 1.178, 0.005  # of the scene, and what the network's output of 1 stands for


def observe(scene, count, generator):
    """Returns count points (count, 3) on the surface, metres, with 1 mm of noise along z."""
    guess = torch.rand((count, 3), generator=generator, dtype=torch.float64) - 0.5
    guess[:, :2] *= torch.tensor([0.6, 0.4])
    guess[:, 2] = DEPTH_M
    points = torch.from_numpy(scene.closest_points(guess.numpy())[0])
    points[:, 2] += 0.001 * torch.randn(count, generator=generator, dtype=torch.float64)
    return points


def heights(model, xy):
    """Returns z (n,), metres, that the network gives at x and y (n, 2), metres."""
    waves = torch.cat([torch.sin(k * xy) for k in (10, 20, 40)] + [torch.cos(k * xy) for k in (10, 20, 40)], dim=1)
    return DEPTH_M + HEIGHT_M * model(waves).squeeze(1)


def main():
    generator = torch.Generator().manual_seed(1)
    torch.manual_seed(1)
    scene = aqbench.Scene("undulating")
    seen = observe(scene, 4000, generator)
    model = torch.nn.Sequential(torch.nn.Linear(12, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)).double()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    grid = torch.cartesian_prod(torch.linspace(-0.3, 0.3, 121), torch.linspace(-0.2, 0.2, 81)).double()
    errors = []
    for epoch in range(EPOCHS):
        with torch.no_grad():
            points = torch.column_stack([grid, heights(model, grid)])
        scores = aqbench.score(points.numpy(), scene)
        errors.append(scores["accuracy_mean_mm"])
        print(f"epoch {epoch:2d}  accuracy_mean_mm {scores['accuracy_mean_mm']:.4f}"
              f"  fscore_2mm_pct {scores['fscore_2mm_pct']:.2f}", flush=True)
        for step in range(20):
            optimizer.zero_grad()
            loss = ((heights(model, seen[:, :2]) - seen[:, 2]) / HEIGHT_M).square().mean()
            loss.backward()
            optimizer.step()
    sys.exit(0 if errors[-1] < 0.5 * errors[0] else 1)


main()
