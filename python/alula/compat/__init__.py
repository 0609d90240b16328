"""TensorFlow 1: graphs, placeholders and sessions."""
