# A product of 1000x1000 matrices that is put on the GPU by name, in a session. Where there is no
# GPU, it runs on the CPU.
#
# Expected output:
# The session's product on /GPU:0 took <time>.
# It is float32(1000, 1000), the mean <number>.
from time import perf_counter as seconds

import alula as tf

v1 = tf.compat.v1

tf.get_logger().setLevel("ERROR")  # where there is no GPU, the CPU does it
with v1.Session() as session:
    with tf.device("/GPU:0"):
        a, b = tf.random.uniform((1000, 1000)), tf.random.uniform((1000, 1000))
        c = tf.matmul(a, b)
    session.run(v1.global_variables_initializer())  # there are none: nothing to do
    start = seconds()
    result = session.run(c)
    print(f"The session's product on /GPU:0 took {(seconds() - start) * 1000:.2f} ms.")
    mean = session.run(tf.reduce_mean(result))
    print(f"It is {result.dtype}{result.shape}, the mean {mean:.1f}.")
