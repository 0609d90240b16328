# Trains a small model by hand for 100 steps, each on ten samples, within scopes of the CPU and of
# the GPU: a function that is traced once, and run compiled from then on. Where there is no GPU,
# both run on the CPU.
#
# Expected output:
# Training within /CPU:0 took <time> seconds, the last loss was <number>.
# Training within /GPU:0 took <time> seconds, the last loss was <number>.
# The step was traced 1 time.
from time import perf_counter as seconds

import alula as tf

keras = tf.keras

tf.get_logger().setLevel("ERROR")  # where there is no GPU, the CPU does it
samples, batch = 1000, 10
data = tf.random.uniform((samples, 100))
labels = tf.random.uniform((samples,), maxval=10, dtype=tf.int32)

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
        for i in range(100):
            first = i * batch % samples
            loss = train_step(data[first : first + batch], labels[first : first + batch]).numpy()
        print(f"Training within {name} took {seconds() - start:.4f} seconds, the last loss was {loss:.3f}.")
print(f"The step was traced {train_step.experimental_get_tracing_count()} time.")
