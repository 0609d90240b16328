# Multiplies two 2x2 matrices on the CPU and on the GPU, and times both. Where there is no GPU, the
# second product runs on the CPU as well, and one line on the standard error says why.
#
# A product as small as this takes a fraction of a microsecond on a CPU. On a GPU the way there and
# back takes many times longer than the arithmetic, which is why Alula leaves small work where it
# is.
#
# Expected output:
# CPU execution time: <time> seconds
# GPU execution time: <time> seconds
# CPU result:
# [[19. 22.]
#  [43. 50.]]
# GPU result:
# [[19. 22.]
#  [43. 50.]]
from time import perf_counter as seconds

import alula as tf

a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
b = tf.constant([[5.0, 6.0], [7.0, 8.0]])
with tf.device("/CPU:0"):
    start = seconds()
    on_cpu = tf.matmul(a, b)
    print(f"CPU execution time: {seconds() - start:.6f} seconds")
with tf.device("/GPU:0"):
    start = seconds()
    on_gpu = tf.matmul(a, b)
    print(f"GPU execution time: {seconds() - start:.6f} seconds")
print(f"CPU result:\n{on_cpu.numpy()}")
print(f"GPU result:\n{on_gpu.numpy()}")
