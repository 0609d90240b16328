# A small convolutional network, built as a graph of placeholders and variables, classifies one
# image in a session. The batch's size is left open: a session compiles once a size.
#
# Expected output:
# The first image took <time>, the second <time>.
# Probabilities: float32(1, 10), their sum is 1.00
# A batch of 32: float32(32, 10)
from time import perf_counter as seconds

import alula as tf

v1 = tf.compat.v1

v1.disable_eager_execution()
image = v1.placeholder(tf.float32, (None, 28, 28, 1))
kernel = v1.get_variable("kernel", shape=(3, 3, 1, 32))
bias = v1.get_variable("bias", shape=(32,), initializer=v1.zeros_initializer())
weights = v1.get_variable("weights", shape=(13 * 13 * 32, 10))
hidden = tf.nn.relu(tf.nn.conv2d(image, kernel, strides=1, padding="VALID") + bias)
pooled = tf.nn.max_pool2d(hidden, ksize=2, strides=2, padding="VALID")
flat = tf.reshape(pooled, (-1, 13 * 13 * 32))
prediction = tf.nn.softmax(tf.matmul(flat, weights))

with v1.Session() as session:
    session.run(v1.global_variables_initializer())
    pixels = session.run(tf.random.uniform((1, 28, 28, 1)))
    start = seconds()
    first = session.run(prediction, feed_dict={image: pixels})
    middle = seconds()
    session.run(prediction, feed_dict={image: pixels})
    times = (middle - start) * 1e6, (seconds() - middle) * 1e6
    print(f"The first image took {times[0]:.0f} us, the second {times[1]:.0f} us.")

    total = session.run(tf.reduce_sum(first))
    print(f"Probabilities: {first.dtype}{first.shape}, their sum is {total:.2f}")
    batch = session.run(tf.random.uniform((32, 28, 28, 1)))
    result = session.run(prediction, feed_dict={image: batch})
    print(f"A batch of 32: {result.dtype}{result.shape}")
