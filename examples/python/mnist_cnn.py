# A convolutional network for handwritten digits: made, trained for two epochs, evaluated.
#
# Expected output:
# Epoch 1/2
# ...1875/1875 ... - accuracy: 0.9<number> - loss: 0.<number>
# Epoch 2/2
# ...1875/1875 ... - accuracy: 0.9<number> - loss: 0.<number>
# Test accuracy: 0.9<number>
import alula as tf

model = tf.keras.Sequential(
    [
        tf.keras.layers.Rescaling(scale=1 / 255.0, input_shape=(28, 28, 1)),
        tf.keras.layers.Conv2D(32, 3, activation="relu"),
        tf.keras.layers.MaxPooling2D(2),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(10, activation="softmax"),
    ]
)
model.compile(optimizer="adam", loss="sparse_categorical_crossentropy", metrics=["accuracy"])

(train_x, train_y), (test_x, test_y) = tf.keras.datasets.mnist.load_data()
model.fit(train_x, train_y, batch_size=32, epochs=2)

loss, accuracy = model.evaluate(test_x, test_y, verbose=0)
print(f"Test accuracy: {accuracy:.4f}")
