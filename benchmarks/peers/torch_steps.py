"""The steps in PyTorch: eagerly, eagerly with images in channels-last order, and by torch.compile."""

import math
import types

import torch
from torch import nn
from torch.nn import functional
from worker import THREADS, Training, serve, time_blocks, time_first

torch.set_num_threads(THREADS)

ACTIVATIONS = {"relu": nn.ReLU, "gelu": nn.GELU}


class SamePadding(nn.Module):
    """Zeros around images as TensorFlow's SAME padding puts them: PyTorch has it for stride 1 alone."""

    def __init__(self, window, strides):
        super().__init__()
        self.window, self.strides = window, strides

    def forward(self, x):
        pads = []
        for size in (x.shape[3], x.shape[2]):
            total = max((math.ceil(size / self.strides) - 1) * self.strides + self.window - size, 0)
            pads += [total // 2, total - total // 2]
        return functional.pad(x, pads)


def convolution(layer, shape):
    window, strides, same = layer["kernel_size"], layer.get("strides", 1), layer.get("padding") == "same"
    if same and strides > 1:
        return [SamePadding(window, strides), nn.Conv2d(shape[0], layer["filters"], window, strides)]
    return [nn.Conv2d(shape[0], layer["filters"], window, strides, padding="same" if same else "valid")]


def modules_of(layer, shape):
    """A layer's modules, by the shape that goes in (without the batch)."""
    kind = layer["class"]
    if kind == "Dense":
        return [nn.Linear(shape[0], layer["units"])]
    if kind == "Conv2D":
        return convolution(layer, shape)
    if kind in ("MaxPooling2D", "AveragePooling2D"):
        pooling = nn.MaxPool2d if kind == "MaxPooling2D" else nn.AvgPool2d
        return [pooling(layer.get("pool_size", 2), layer.get("strides"))]
    if kind == "BatchNormalization":
        norm = nn.BatchNorm2d if len(shape) == 3 else nn.BatchNorm1d
        return [norm(shape[0], eps=1e-3, momentum=0.01)]
    if kind == "Dropout":
        return [nn.Dropout(layer["rate"])]
    if kind == "Flatten":
        return [nn.Flatten()]
    if kind == "Activation":
        return []
    raise NotImplementedError(kind)


def make_model(step):
    """Without the softmax at the end: PyTorch's cross-entropy has it."""
    shape, modules = to_channels_first(step.input_shape), []
    for layer in step.layers:
        modules += modules_of(layer, shape)
        if layer.get("activation", "softmax") in ACTIVATIONS:
            modules.append(ACTIVATIONS[layer["activation"]]())
        with torch.no_grad():
            shape = nn.Sequential(*modules).eval()(torch.zeros(1, *to_channels_first(step.input_shape))).shape[1:]
    return nn.Sequential(*modules).train()


def to_channels_first(size):
    return (size[2], *size[:2]) if len(size) == 3 else size


def layout(way):
    return torch.channels_last if way == "channels_last" else torch.contiguous_format


def make_images(step, way):
    images = torch.rand(step.batch, *to_channels_first(step.input_shape))
    return images.to(memory_format=layout(way)) if images.dim() == 4 else images


def make_labels(step):
    return torch.randint(0, 10, (step.batch,))


def compiled(function):
    """Compiled apart from other models: what is compiled is kept, limited and searched by the code object."""
    code = function.__code__.replace()
    return torch.compile(types.FunctionType(code, function.__globals__, closure=function.__closure__))


def train_function(step, way):
    model = make_model(step)
    if len(step.input_shape) == 3:
        model = model.to(memory_format=layout(way))
    optimizer = torch.optim.Adam(model.parameters(), eps=1e-7, fused=True)  # the fastest there is

    def loss_of(x, y):
        return functional.cross_entropy(model(x), y)

    loss_function = compiled(loss_of) if way == "compile" else loss_of

    def train(x, y):
        optimizer.zero_grad(set_to_none=True)
        loss = loss_function(x, y)
        loss.backward()
        optimizer.step()
        return loss.item()

    # As Keras counts: with the moving averages.
    averages = [buffer for name, buffer in model.named_buffers() if "running" in name]
    return train, sum(tensor.numel() for tensor in [*model.parameters(), *averages])


def inference(step, way):
    model = make_model(step).eval().to(memory_format=layout(way))
    predict = torch.compile(model) if way == "compile" else model

    def run(x, y):
        with torch.inference_mode():
            return torch.softmax(predict(x), 1)[0, 0].item()

    loop = Training(step, run, lambda: make_images(step, way), lambda: None, 0)
    return lambda seconds: {"us": time_blocks(loop.once, seconds)}


def tracing(step, way):
    if way != "compile":
        return None
    x, y = make_images(step, way), make_labels(step)

    def prepare():
        train, _ = train_function(step, way)
        return lambda: train(x, y)

    def measure(seconds):
        with torch._inductor.config.patch(force_disable_caches=True):
            return {"us": time_first(prepare, seconds, at_least=1)}

    return measure


def empty_call(step, way):
    if way != "compile":
        return None
    inputs = [torch.rand(10) for _ in range(step.inputs)]
    call = compiled(lambda *all: all[0].view(10))  # without an op nothing would be compiled
    return lambda seconds: {"us": time_blocks(lambda: call(*inputs), seconds)}


def prepare(step, way):
    if step.kind == "train":
        if way == "channels_last" and len(step.input_shape) != 3:
            return None
        train, parameters = train_function(step, way)
        return Training(step, train, lambda: make_images(step, way), lambda: make_labels(step), parameters)
    return {"inference": inference, "tracing": tracing, "empty_call": empty_call}[step.kind](step, way)


if __name__ == "__main__":
    serve("PyTorch", torch.__version__.split("+")[0], ["eager", "channels_last", "compile"], prepare)
