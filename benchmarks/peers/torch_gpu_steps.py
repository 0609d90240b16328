"""Training steps in PyTorch on a GPU: eagerly, and captured into a CUDA graph.

    python3 torch_gpu_steps.py STEPS.json [NAME...]

The data are on the GPU; a step picks its batch there. Nothing is read back but at the end of a block of steps.
The captured step is the best that PyTorch has: the fused, capturable Adam, gradients kept in place, channels-last
images, TF32. Prints one line of JSON a step, in microseconds.
"""

import json
import sys

import torch
from torch.nn import functional
from torch_steps import make_model, to_channels_first
from worker import Step, time_blocks

torch.backends.cuda.matmul.allow_tf32 = True
torch.backends.cudnn.allow_tf32 = True
torch.backends.cudnn.benchmark = True
DEVICE = "cuda"
STEPS_A_BLOCK = 50


class Training:
    """A model with its data, and one step of training it."""

    def __init__(self, step, capturable):
        count = 2 * step.batches()
        self.x = torch.rand(count * step.batch, *to_channels_first(step.input_shape), device=DEVICE)
        self.model = make_model(step).to(DEVICE)
        if self.x.dim() == 4:
            self.x = self.x.to(memory_format=torch.channels_last)
            self.model = self.model.to(memory_format=torch.channels_last)
        self.y = torch.randint(0, 10, (count * step.batch,), device=DEVICE)
        self.order = torch.randperm(count * step.batch, device=DEVICE)
        self.position = torch.zeros(1, dtype=torch.int64, device=DEVICE)
        self.range = torch.arange(step.batch, device=DEVICE)
        self.optimizer = torch.optim.Adam(self.model.parameters(), eps=1e-7, fused=True, capturable=capturable)
        self.capturable = capturable

    def step(self):
        picked = self.order[self.range + self.position]
        self.position.add_(len(self.range)).remainder_(len(self.order))
        self.optimizer.zero_grad(set_to_none=not self.capturable)
        loss = functional.cross_entropy(self.model(self.x[picked]), self.y[picked])
        loss.backward()
        self.optimizer.step()
        return loss


def measure(once):
    def block():
        for _ in range(STEPS_A_BLOCK):
            once()
        torch.cuda.synchronize()

    return time_blocks(block, 0.3) / STEPS_A_BLOCK


def captured(training):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            training.step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        training.step()
    return graph.replay


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        table = json.load(file)
    for row in table["steps"]:
        step = Step(row, table["models"])
        if step.kind != "train" or (len(sys.argv) > 2 and step.name not in sys.argv[2:]):
            continue
        result = {"step": step.name, "eager": measure(Training(step, False).step)}
        try:
            result["graph"] = measure(captured(Training(step, True)))
        except RuntimeError as error:
            result["error"] = str(error).splitlines()[0]
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
