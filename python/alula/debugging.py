"""Checks of tensors."""
