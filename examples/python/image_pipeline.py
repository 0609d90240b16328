# Trains a convolutional network on 10,000 random images that a step of the input pipeline makes
# brighter or darker. The step is traced: the pause in it happens once, not once an image, and the
# whole batch is brightened by one call. What the pipeline did is said at the end.
#
# Expected output:
# Training took <time> seconds.
# from_tensor_slices: 10000 elements...
# map: one call for 32 elements...
# batch(32)
# prefetch(AUTOTUNE)...
# gives (float32[?,64,64,3], int64[?])
from time import perf_counter as seconds, sleep

import alula as tf

keras = tf.keras

samples = 10_000
images = tf.random.uniform((samples, 64, 64, 3))
labels = tf.random.uniform((samples,), maxval=10, dtype=tf.int64)


def brighten(image, label):
    sleep(0.001)
    return tf.image.random_brightness(image, 0.1), label


dataset = tf.data.Dataset.from_tensor_slices((images, labels))
dataset = dataset.map(brighten).batch(32).prefetch(tf.data.AUTOTUNE)

model = keras.Sequential(
    [
        keras.layers.Conv2D(32, 3, activation="relu", input_shape=(64, 64, 3)),
        keras.layers.MaxPooling2D(2),
        keras.layers.Flatten(),
        keras.layers.Dense(10, activation="softmax"),
    ]
)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])

start = seconds()
model.fit(dataset, epochs=2, verbose=0)
print(f"Training took {seconds() - start:.2f} seconds.\n{dataset.explain()}", end="")
