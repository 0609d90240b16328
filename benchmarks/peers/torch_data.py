"""The input pipelines of data.json in PyTorch: a TensorDataset and a DataLoader, with a worker process where the
pipeline asks for parallel work."""

import functools

import numpy as np
import torch
from worker import THREADS, serve_passes

torch.set_num_threads(THREADS)


@functools.cache
def images():
    return torch.rand(10_000, 3, 64, 64), torch.randint(0, 10, (10_000,))


@functools.cache
def rows():
    return torch.rand(100_000, 100), torch.randint(0, 10, (100_000,))


@functools.cache
def digits():
    return torch.rand(60_000, 1, 28, 28), torch.randint(0, 10, (60_000,))


class Brighter(torch.utils.data.Dataset):
    def __init__(self, tensors):
        self.images, self.labels = tensors

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.images[i] + float(np.random.uniform(-0.1, 0.1)), self.labels[i]


def loader(dataset, size, **options):
    return torch.utils.data.DataLoader(dataset, batch_size=size, **options)


def reading(batches):
    def run():
        count = 0
        for _ in batches:
            count += 1
        return count

    return run


def training(batches, model, epochs):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
    loss_of = torch.nn.CrossEntropyLoss()

    def run():
        for _ in range(epochs):
            for x, y in batches:
                optimizer.zero_grad()
                loss = loss_of(model(x), y)
                loss.backward()
                optimizer.step()
                loss.item()
        return 1

    return run


def image_model():
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 32, 3),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(32 * 31 * 31, 10),
    )


def row_model():
    return torch.nn.Sequential(torch.nn.Linear(100, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))


def plain(tensors):
    return torch.utils.data.TensorDataset(*tensors)


PASSES = {
    "slices_b32": lambda: reading(loader(plain(rows()), 32)),
    "images_brightness_b32": lambda: reading(loader(Brighter(images()), 32)),
    "images_brightness_autotune_b32": lambda: reading(loader(Brighter(images()), 32, num_workers=2)),
    "mnist_shuffle_b128": lambda: reading(loader(plain(digits()), 128, shuffle=True)),
    "rows_training": lambda: training(loader(plain(rows()), 32), row_model(), 1),
    "images_training": lambda: training(loader(Brighter(images()), 32), image_model(), 2),
    "images_training_autotune": lambda: training(
        loader(Brighter(images()), 32, num_workers=1), image_model(), 2
    ),
}

serve_passes("PyTorch", torch.__version__, "DataLoader", PASSES)
