"""What the peers share: the steps of steps.json, how a step is timed, and how tools/bench asks for it.

A peer is a program that tools/bench starts once and drives by lines of JSON. It measures as
benchmarks/train_step.cpp does: batches lie ready as the framework's own tensors, each step takes another one,
and the loss is read after every step.
"""

import json
import os
import statistics
import sys
import time

THREADS = 2


class Step:
    """A row of the table: a model, a batch size, and what is done (train, inference, tracing, empty_call)."""

    def __init__(self, row, models):
        self.name = row["name"]
        self.kind = row.get("kind", "train")
        self.batch = row.get("batch", 0)
        self.inputs = row.get("inputs", 0)
        model = models.get(row.get("model"), {})
        self.input_shape = tuple(model.get("input", ()))
        self.layers = model.get("layers", [])

    def batches(self):
        """How many different batches there are: 16 MiB of them, between 4 and 100."""
        size = 4 * self.batch
        for dimension in self.input_shape:
            size *= dimension
        return min(max((16 << 20) // size, 4), 100)


def options_of(layer):
    return {key: value for key, value in layer.items() if key != "class"}


def time_blocks(once, seconds):
    """Microseconds a step: the median over blocks of steps that take some milliseconds each."""
    wanted_us = 3000

    def block(count):
        start = time.perf_counter()
        for _ in range(count):
            once()
        return (time.perf_counter() - start) * 1e6 / count

    count = 1
    while True:
        wanted = int(wanted_us / block(count)) + 1
        if count * 2 >= wanted:
            break
        count = min(wanted, count * 10)
    times, start = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - start < seconds:
        times.append(block(count))
    return statistics.median(times)


def time_first(prepare, seconds, at_least=3):
    """Microseconds of the first call of what prepare() makes."""
    times, start = [], time.perf_counter()
    while len(times) < at_least or time.perf_counter() - start < seconds:
        once = prepare()
        before = time.perf_counter()
        once()
        times.append((time.perf_counter() - before) * 1e6)
    return statistics.median(times)


class Training:
    """Batches in turn. There is one batch of labels more than of images, so that an image meets other labels
    each time around: nothing can be learnt by heart, and gradients never vanish."""

    def __init__(self, step, train, images, labels, parameters):
        self.train, self.parameters, self.loss, self.at = train, parameters, 0.0, 0
        self.images = [images() for _ in range(step.batches())]
        self.labels = [labels() for _ in range(step.batches() + 1)]

    def once(self):
        self.at += 1
        self.loss = self.train(self.images[self.at % len(self.images)], self.labels[self.at % len(self.labels)])

    def __call__(self, seconds):
        us = time_blocks(self.once, seconds)
        return {"us": us, "loss": self.loss, "parameters": self.parameters}


def answer_requests(framework, version, ways, prepare):
    """Answers requests until the input ends. prepare(name, way) gives a function of seconds, or None where
    there is no such way; it is called once a row and way."""
    # What a framework prints must not get among the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def reply(answer):
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    ready = {}
    reply({"framework": framework, "version": version, "ways": ways})
    for line in sys.stdin:
        request = json.loads(line)
        key = request["step"], request["way"]
        try:
            if key not in ready:
                ready[key] = prepare(*key)
            measure = ready[key]
            reply({"skipped": "there is no such way"} if measure is None else measure(request["seconds"]))
        except Exception as error:  # a peer's failure is a row of the table, not the end of the run
            ready[key] = None
            reply({"error": f"{type(error).__name__}: {error}"[:500]})


def serve(framework, version, ways, prepare):
    """Answers for the training steps of steps.json. prepare(step, way) is as above."""
    with open(sys.argv[1], encoding="utf-8") as file:
        content = json.load(file)
    steps = {row["name"]: Step(row, content["models"]) for row in content["steps"]}
    answer_requests(framework, version, ways, lambda name, way: prepare(steps[name], way))


def serve_passes(framework, version, way, passes):
    """Answers for the input pipelines of data.json. passes[name]() makes a function that runs once and says how
    many times what is counted happened."""

    def prepare(name, _):
        run = passes[name]()

        def measure(seconds):
            times, start = [], time.perf_counter()
            while not times or time.perf_counter() - start < seconds:
                before = time.perf_counter()
                count = run()
                times.append((time.perf_counter() - before) * 1e6 / count)
            return {"us": statistics.median(times)}

        return measure

    answer_requests(framework, version, [way], prepare)
