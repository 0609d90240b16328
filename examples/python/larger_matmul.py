# Multiplies two 1024x1024 matrices of random numbers on the CPU and on the GPU, times both, and
# checks that the results agree.
#
# Expected output:
# CPU execution time: <time> seconds
# GPU execution time: <time> seconds
# CPU result:
# [[<number> <number> <number> ...]
# ...
# GPU result:
# [[<number> <number> <number> ...]
# ...
# The results agree.
from time import perf_counter as seconds

import alula as tf

size = 1024
a = tf.random.uniform((size, size))
b = tf.random.uniform((size, size))
with tf.device("/CPU:0"):
    start = seconds()
    on_cpu = tf.matmul(a, b)
    print(f"CPU execution time: {seconds() - start:.6f} seconds")
with tf.device("/GPU:0"):
    start = seconds()
    on_gpu = tf.matmul(a, b).cpu()  # ops on a GPU run in the background: reading waits for them
    print(f"GPU execution time: {seconds() - start:.6f} seconds")
print(f"CPU result:\n{on_cpu.numpy()}")
print(f"GPU result:\n{on_gpu.numpy()}")

# The GPU rounds the factors to 10 bits (TF32), as TensorFlow does; the sums are around 256.
difference = tf.reduce_max(tf.abs(on_cpu - on_gpu))
print(f"The results {'agree' if difference < 0.5 else 'differ'}.")
