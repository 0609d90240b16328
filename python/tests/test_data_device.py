"""Input pipelines and devices: where their steps run, and what puts elements there."""

import numpy as np
import pytest

import alula as tf

needs_gpu = pytest.mark.skipif(
    not tf.config.list_physical_devices("GPU"), reason="there is no GPU, nor an emulated one"
)


def pictures(count=24):
    rng = np.random.default_rng(1)
    images = rng.integers(0, 256, size=(count, 6, 6, 3)).astype(np.uint8)
    return tf.data.Dataset.from_tensor_slices((images, rng.integers(0, 3, size=count)))


def prepared(image, label):
    image = tf.cast(image, tf.float32) / 255.0
    return tf.image.random_brightness(image, max_delta=0.1), label


def train(dataset, device):
    tf.random.set_seed(4)
    with tf.device(device):
        model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(3)])
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(optimizer="adam", loss=loss)
        model.fit(dataset, epochs=2, verbose=0)
    return [np.array(weight) for weight in model.get_weights()]


def test_elements_are_put_on_a_device():
    experimental = tf.data.experimental
    batches = tf.data.Dataset.range(10).batch(4)
    for step in (experimental.prefetch_to_device("/CPU:0"), experimental.copy_to_device("/CPU:0")):
        there = batches.apply(step)
        assert [batch.numpy().tolist() for batch in there] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert "prefetch_to_device(/CPU:0, 3)" in (
        batches.apply(experimental.prefetch_to_device("/CPU:0", 3)).explain()
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be positive"):
        batches.apply(experimental.prefetch_to_device("/CPU:0", -3))


@needs_gpu
def test_elements_are_put_on_the_gpu():
    there = pictures().batch(8).apply(tf.data.experimental.prefetch_to_device("/GPU:0"))
    assert all("GPU:0" in images.device for images, _ in there)


@needs_gpu
def test_maps_run_in_the_step():
    dataset = pictures().shuffle(24, seed=2).map(prepared, num_parallel_calls=tf.data.AUTOTUNE)
    dataset = dataset.batch(8).prefetch(tf.data.AUTOTUNE)
    weights = train(dataset, "/GPU:0")
    assert "map: one call for 8 elements; in the step on /GPU:0\n" in dataset.explain()
    assert "from_tensor_slices: 24 elements; on /GPU:0\n" in dataset.explain()
    again = pictures().shuffle(24, seed=2).map(prepared).batch(8)
    for there, here in zip(weights, train(again, "/CPU:0")):
        np.testing.assert_allclose(there, here, rtol=2e-3, atol=1e-5)


@needs_gpu
def test_what_calls_python_stays_on_the_host():
    def by_python(image, label):
        scaled = tf.numpy_function(lambda x: (x / 255).astype(np.float32), [image], tf.float32)
        return tf.ensure_shape(scaled, (6, 6, 3)), label

    dataset = pictures().map(by_python).batch(8)
    train(dataset, "/GPU:0")
    assert "batches for /GPU:0 come from there: it calls host code" in dataset.explain()
