# The product of two 1000x1000 matrices, first as a graph that a session runs, as TensorFlow 1 had
# it, then as a plain call. A session compiles what it runs for the first time; that is part of the
# first time printed.
#
# Expected output:
# In a session: <time>, and <time> when it was run again.
# As a plain call: <time>.
# The results agree.
from time import perf_counter as seconds

import alula as tf

v1 = tf.compat.v1

a, b = tf.random.uniform((1000, 1000)), tf.random.uniform((1000, 1000))

with v1.Session() as session:
    x = v1.placeholder(tf.float32, (1000, 1000), name="x")
    c = tf.matmul(x, b)  # within the session, ops are only noted
    start = seconds()
    in_session = session.run(c, feed_dict={x: a})
    middle = seconds()
    session.run(c, feed_dict={x: a})
    first, second = (middle - start) * 1000, (seconds() - middle) * 1000
    print(f"In a session: {first:.2f} ms, and {second:.2f} ms when it was run again.")

start = seconds()
plain = tf.matmul(a, b)
print(f"As a plain call: {(seconds() - start) * 1000:.2f} ms.")

difference = tf.reduce_max(tf.abs(in_session - plain))
print(f"The results {'agree' if difference < 1e-3 else 'differ'}.")
