"""Devices and how they are used."""
