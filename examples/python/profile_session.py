# Runs a small program ten times in a session, and prints what each of its ops took.
#
# Expected output:
# 10 runs: <time>, of which <time> in ops. Compiled 1 time in <time>.
# op device calls time share read written
# product/ /CPU:0 10 <time> <number>% 80.0 MiB 40.0 MiB
# matmul /CPU:0 10 <time> <number>% 80.0 MiB 40.0 MiB
# random_normal /CPU:0 20 <time> <number>% 0 B 80.0 MiB
# ...
import alula as tf

v1 = tf.compat.v1

with v1.Session() as session:
    a, b = tf.random.normal((1024, 1024)), tf.random.normal((1024, 1024))
    with v1.name_scope("product"):
        product = tf.matmul(a, b)
    c = tf.reduce_sum(product)
    for _ in range(10):
        session.run(c)
tf.profiler.profile(v1.get_default_graph(), options=tf.profiler.ProfileOptionBuilder.time_and_memory())
