"""Layers, models, losses, metrics, optimizers and training."""
