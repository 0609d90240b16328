# How long it takes to make a model, and a copy of it on each device.
#
# Expected output:
# Made a model of 14218 parameters in <time>.
# A copy on /CPU:0 took <time>, one on /GPU:0 <time>.
# The copies have weights of their own: yes
from time import perf_counter as seconds

import alula as tf

keras = tf.keras


def copy_on(device, model):
    with tf.device(device):
        start = seconds()
        copy = keras.models.clone_model(model)
        return copy, (seconds() - start) * 1e6


tf.get_logger().setLevel("ERROR")  # where there is no GPU, the CPU does it
start = seconds()
model = keras.Sequential(
    [
        keras.layers.Dense(128, activation="relu", input_shape=(100,)),
        keras.layers.Dense(10, activation="softmax"),
    ]
)
print(f"Made a model of {model.count_params()} parameters in {(seconds() - start) * 1e6:.0f} us.")

(cpu, cpu_time), (gpu, gpu_time) = copy_on("/CPU:0", model), copy_on("/GPU:0", model)
print(f"A copy on /CPU:0 took {cpu_time:.0f} us, one on /GPU:0 {gpu_time:.0f} us.")

a, b = cpu.get_weights()[0], model.get_weights()[0]
differ = tf.reduce_any(tf.not_equal(a, b))
print(f"The copies have weights of their own: {'yes' if differ else 'no'}")
