# A million additions and a million products of 10x10 matrices, one at a time: what a framework
# costs when the arithmetic itself costs next to nothing.
#
# Expected output:
# Time of fine grained operation: <time> seconds
# Time of matmul operation: <time> seconds
from time import perf_counter as seconds

import alula as tf

iterations = 1_000_000
a = tf.random.normal((10, 10))
b = tf.random.normal((10, 10))

start = seconds()
for _ in range(iterations):
    c = a + b
print(f"Time of fine grained operation: {seconds() - start:.2f} seconds")

start = seconds()
for _ in range(iterations):
    c = tf.matmul(a, b)
print(f"Time of matmul operation: {seconds() - start:.2f} seconds")
