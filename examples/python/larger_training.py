# Trains a small model by hand on 100,000 rows, 32 at a time, within scopes of the CPU and of the
# GPU: a data set gives the batches, a function that is traced once takes the steps. Where there is
# no GPU, both run on the CPU.
#
# Expected output:
# Training within /CPU:0 took <time> seconds, the last loss was <number>.
# Training within /GPU:0 took <time> seconds, the last loss was <number>.
# Each went through 3125 batches.
from time import perf_counter as seconds

import alula as tf

keras = tf.keras

tf.get_logger().setLevel("ERROR")  # where there is no GPU, the CPU does it
samples = 100_000
data = tf.random.uniform((samples, 100))
labels = tf.random.uniform((samples,), maxval=10, dtype=tf.int64)

model = keras.Sequential(
    [
        keras.layers.Dense(128, activation="relu", input_shape=(100,)),
        keras.layers.Dense(10, activation="softmax"),
    ]
)
optimizer = keras.optimizers.Adam(learning_rate=0.001)
loss_of = keras.losses.SparseCategoricalCrossentropy()


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = loss_of(y, model(x))
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss


for name in ("/CPU:0", "/GPU:0"):
    with tf.device(name):
        start = seconds()
        dataset = tf.data.Dataset.from_tensor_slices((data, labels)).batch(32).prefetch(tf.data.AUTOTUNE)
        batches = 0
        for x, y in dataset:
            loss = train_step(x, y).numpy()
            batches += 1
        print(f"Training within {name} took {seconds() - start:.4f} seconds, the last loss was {loss:.3f}.")
print(f"Each went through {batches} batches.")
