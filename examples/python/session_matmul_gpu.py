# The product of two 1000x1000 matrices on the GPU, built as a graph before there is a session, and
# timed in one. Where there is no GPU, it runs on the CPU.
#
# Expected output:
# GPU computation time: <time> seconds
# The product is float32(1000, 1000).
from time import perf_counter as seconds

import alula as tf

v1 = tf.compat.v1

tf.get_logger().setLevel("ERROR")  # where there is no GPU, the CPU does it
size = 1000
matrix_a = tf.random.uniform((size, size))
matrix_b = tf.random.uniform((size, size))

v1.disable_eager_execution()
with tf.device("/GPU:0"):
    c = tf.matmul(matrix_a, matrix_b)

with v1.Session() as session:
    start = seconds()
    result = session.run(c)
    print(f"GPU computation time: {seconds() - start:.6f} seconds")
print(f"The product is {result.dtype}{result.shape}.")
