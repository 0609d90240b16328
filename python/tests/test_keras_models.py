"""Models: how they are made, trained, evaluated, saved and cloned."""

import contextlib
import io

import numpy as np
import pytest

import alula as tf

keras = tf.keras


def line(rows=64):
    x = np.linspace(-1, 1, rows, dtype="float32").reshape(-1, 1)
    return x, 3 * x + 1


def small():
    return keras.Sequential([keras.layers.Dense(8, activation="relu", input_shape=(4,)), keras.layers.Dense(3)])


def test_sequential_keeps_its_layers():
    first = keras.layers.Dense(8, input_shape=(4,))
    model = keras.Sequential([first])
    second = keras.layers.Dense(2)
    model.add(second)
    assert model.layers[0] is first and model.layers[1] is second and model.get_layer(index=-1) is second
    assert model.get_layer(second.name) is second
    assert model.built and model.output_shape == (None, 2) and model.input_shape == (None, 4)
    assert model.count_params() == 4 * 8 + 8 + 8 * 2 + 2
    model.pop()
    assert len(model.layers) == 1 and model.output_shape == (None, 8)
    with pytest.raises(ValueError, match="only layers"):
        keras.Sequential([3])
    with pytest.raises(ValueError):
        model.get_layer("nothing")


def test_learns_a_line():
    keras.utils.set_random_seed(1)
    x, y = line()
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(1,))])
    model.compile(optimizer=keras.optimizers.SGD(0.3), loss="mse", metrics=["mae"])
    history = model.fit(x, y, epochs=40, batch_size=16, verbose=0)
    assert history.history["loss"][-1] < 1e-4 < history.history["loss"][0]
    assert len(history.history["mae"]) == 40 and history.epoch == list(range(40))
    assert history.params["epochs"] == 40 and history.model is model
    loss, mae = model.evaluate(x, y, verbose=0)
    assert loss < 1e-4 and mae < 1e-2
    assert set(model.evaluate(x, y, verbose=0, return_dict=True)) == {"loss", "mae"}
    np.testing.assert_allclose(model.predict(x, verbose=0), y, atol=0.05)
    np.testing.assert_allclose([w.item() for w in model.get_weights()], [3, 1], atol=0.05)


def test_the_step_is_keras_s():
    # One step of SGD on one weight, by hand: w = 2, x = 3, y = 0: the gradient of (w x)^2 is 2 w x^2 = 36.
    model = keras.Sequential([keras.layers.Dense(1, use_bias=False, input_shape=(1,))])
    model.set_weights([np.array([[2.0]])])
    model.compile(keras.optimizers.SGD(0.01), "mse")
    assert model.train_on_batch(np.array([[3.0]]), np.array([[0.0]])) == pytest.approx(36)
    assert model.get_weights()[0].item() == pytest.approx(2 - 0.36)
    assert model.test_on_batch(np.array([[3.0]]), np.array([[0.0]]), return_dict=True)["loss"] == pytest.approx(24.2064)
    assert model.predict_on_batch(np.array([[1.0]])).item() == pytest.approx(1.64)


def test_kinds_of_data():
    x, y = line(32)
    for data in [(x, y), (tf.constant(x), tf.constant(y)), (x.tolist(), y.tolist()), (x.astype("float64"), y)]:
        model = keras.Sequential([keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        assert len(model.fit(*data, verbose=0).history["loss"]) == 1
    model.fit(x, y, validation_split=0.25, verbose=0, epochs=2, validation_freq=2)
    history = model.fit(x, y, validation_data=(x, y), verbose=0, sample_weight=np.ones(32), initial_epoch=1, epochs=3)
    assert history.epoch == [1, 2] and "val_loss" in history.history
    with pytest.raises(ValueError, match="same number of samples"):
        model.fit(x, y[:5], verbose=0)
    with pytest.raises(RuntimeError, match="not compiled"):
        small().fit(x, y)
    with pytest.raises(TypeError):
        model.fit(x, y, nonsense=1)


def test_generators_and_sequences():
    x, y = line(32)
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")

    def batches():
        while True:
            for i in range(0, 32, 8):
                yield x[i : i + 8], y[i : i + 8]

    model.fit(batches(), steps_per_epoch=4, epochs=3, verbose=0)
    ended = []

    class Batches(keras.utils.Sequence):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            return x[i * 8 : i * 8 + 8], y[i * 8 : i * 8 + 8]

        def on_epoch_end(self):
            ended.append(1)

    before = float(model.optimizer.iterations.numpy())
    model.fit(Batches(), epochs=2, verbose=0)
    assert float(model.optimizer.iterations.numpy()) - before == 8 and len(ended) >= 1

    def fails():
        yield x, y
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        model.fit(fails(), verbose=0)


def test_a_dataset():
    x, y = line(32)
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(data, epochs=2, verbose=0, validation_data=data)
    assert float(model.optimizer.iterations.numpy()) == 8
    assert model.evaluate(data, verbose=0) == pytest.approx(model.evaluate(x, y, verbose=0), rel=1e-5)
    assert model.predict(data, verbose=0).shape == (32, 1)


def test_functional():
    a, b = keras.Input((4,), name="a"), keras.Input((3,), name="b")
    hidden = keras.layers.Dense(5, activation="relu", name="hidden")
    merged = keras.layers.Concatenate()([hidden(a), b])
    sums = keras.layers.Dense(1, name="sums")(merged)
    classes = keras.layers.Dense(2, activation="softmax", name="classes")(merged * 2.0)
    model = keras.Model([a, b], [sums, classes], name="two")
    assert isinstance(model, keras.Model) and model.name == "two" and model.output_names == ["sums", "classes"]
    assert model.get_layer("hidden") is hidden
    xa, xb = np.random.rand(16, 4).astype("float32"), np.random.rand(16, 3).astype("float32")
    one, two = model([xa, xb])
    assert one.shape == (16, 1) and two.shape == (16, 2)
    same, _ = model({"b": xb, "a": xa})
    np.testing.assert_array_equal(one.numpy(), same.numpy())
    model.compile(
        "adam",
        {"sums": "mse", "classes": "sparse_categorical_crossentropy"},
        loss_weights={"sums": 0.5},
        metrics={"classes": ["accuracy"]},
    )
    y = {"sums": xa.sum(1), "classes": (xb[:, 0] > 0.5).astype("int32")}
    history = model.fit({"a": xa, "b": xb}, y, epochs=2, verbose=0)
    assert {"loss", "sums_loss", "classes_loss", "classes_accuracy"} <= set(history.history)
    p = model.predict([xa, xb], verbose=0)
    assert [q.shape for q in p] == [(16, 1), (16, 2)]
    assert len(model.evaluate([xa, xb], [y["sums"], y["classes"]], verbose=0)) == 4
    part = keras.Model(model.inputs, hidden.output)
    np.testing.assert_allclose(part([xa, xb]).numpy(), hidden(xa).numpy())
    with pytest.raises(ValueError, match="input 'b'"):
        model({"a": xa})
    with pytest.raises(ValueError):
        model.compile("adam", {"nonsense": "mse"})


def test_nested_models_and_features():
    inner = keras.Sequential([keras.layers.Dense(5, input_shape=(4,)), keras.layers.Dense(3)])
    x = keras.Input((4,))
    model = keras.Model(x, keras.layers.Dense(1)(inner(x)))
    assert len(model.trainable_variables) == 6
    model.compile("sgd", "mse")
    model.fit(np.zeros((8, 4), "float32"), np.zeros((8, 1)), verbose=0)
    features = keras.Model(inner.inputs, inner.layers[0].output)
    assert features(np.zeros((2, 4), "float32")).shape == (2, 5)
    inner.trainable = False
    assert len(model.trainable_variables) == 2
    names = [layer.name for layer in model.layers]
    assert inner.name in names and model.layers[names.index(inner.name)] is inner


def test_clone_model():
    model = small()
    clone = keras.models.clone_model(model)
    assert type(clone) is keras.Sequential and clone.layers[0] is not model.layers[0]
    assert clone.count_params() == model.count_params()
    assert not np.array_equal(clone.get_weights()[0], model.get_weights()[0])
    x = keras.Input((4,))
    functional = keras.Model(x, model(x))
    copy = keras.models.clone_model(functional)
    assert isinstance(copy, keras.Model) and copy(np.zeros((1, 4), "float32")).shape == (1, 3)


def test_save_and_load_weights(tmp_path):
    model, other = small(), small()
    path = str(tmp_path / "weights.safetensors")
    model.save_weights(path)
    other.load_weights(path)
    for a, b in zip(model.get_weights(), other.get_weights()):
        np.testing.assert_array_equal(a, b)
    with pytest.raises(NotImplementedError, match="save_weights"):
        model.save(str(tmp_path / "model.keras"))
    with pytest.raises(NotImplementedError, match="load_weights"):
        keras.models.load_model(path)


def test_output_goes_through_sys_stdout():
    x, y = line(32)
    model = keras.Sequential([keras.layers.Dense(1, input_shape=(1,))])
    model.compile("sgd", "mse")
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        model.fit(x, y, epochs=2)
        model.evaluate(x, y, verbose=2)
        model.summary()
    shown = text.getvalue()
    assert "Epoch 1/2" in shown and "1/1" in shown and "Trainable params: 2" in shown
    lines = []
    model.summary(print_fn=lines.append)
    assert "dense" in "".join(lines)


def test_class_weight_changes_the_loss():
    x = np.array([[1.0], [1.0]], "float32")
    y = np.array([0, 1])
    losses = []
    for weights in (None, {0: 0.0, 1: 2.0}):
        model = keras.Sequential([keras.layers.Dense(2, input_shape=(1,), kernel_initializer="zeros")])
        model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        losses.append(model.fit(x, y, class_weight=weights, verbose=0).history["loss"][0])
    assert losses == pytest.approx([np.log(2), np.log(2)], rel=1e-5)


def test_words_functions_and_objects_for_losses_and_metrics():
    x, y = line(16)

    def double(y_true, y_pred):
        return tf.reduce_mean(tf.abs(y_true - y_pred), axis=-1) * 2.0

    model = keras.Sequential([keras.layers.Dense(1, input_shape=(1,))])
    model.compile("adam", double, metrics=[double, "mse", keras.metrics.MeanAbsoluteError(name="m")])
    results = model.evaluate(x, y, verbose=0, return_dict=True)
    assert list(results) == ["loss", "double", "mse", "m"]
    assert results["loss"] == pytest.approx(2 * results["m"], rel=1e-5) == pytest.approx(results["double"])
    assert model.metrics_names == ["loss", "double", "mse", "m"] and model.loss is double
    with pytest.raises(ValueError, match="no_such"):
        model.compile("adam", "no_such")
    with pytest.raises(ValueError, match="Did you mean"):
        model.compile("adamm", "mse")

    def fails(y_true, y_pred):
        raise OSError("mine")

    model.compile("adam", fails)
    with pytest.raises(OSError, match="mine"):
        model.fit(x, y, verbose=0)


def test_optimizer_is_the_one_given():
    model = small()
    optimizer = keras.optimizers.Adam(0.25)
    model.compile(optimizer, "mse")
    assert model.optimizer is optimizer and float(optimizer.learning_rate.numpy()) == 0.25
    optimizer.learning_rate = 0.5
    assert float(model.optimizer.learning_rate.numpy()) == 0.5
