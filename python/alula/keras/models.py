"""Models: layers that can be trained."""

from alula._native.keras import Functional, Model, Sequential, clone_model


def load_model(filepath, *args, **kwargs):
    """Whole models cannot be read yet; weights can: `model.load_weights`."""
    from alula.errors import UnimplementedError

    raise UnimplementedError(
        "load_model: whole models cannot be read yet. Make the model, and use load_weights()."
    )


def save_model(model, filepath, *args, **kwargs):
    """Whole models cannot be saved yet; weights can: `model.save_weights`."""
    model.save(filepath)


def _sequential_config(model):
    """What a Sequential was made with."""
    from alula.keras import _words

    config = {"name": model.name, "layers": [_words.serialize(layer) for layer in model.layers]}
    if model.built and model.layers:
        config["build_input_shape"] = model.input_shape
    return config


def _sequential_from_config(cls, config):
    from alula.keras import layers

    made = [layers.deserialize(layer) if isinstance(layer, dict) else layer for layer in config.get("layers", ())]
    model = cls(made, name=config.get("name"))
    if config.get("build_input_shape") and made:
        model.build(config["build_input_shape"])
    return model


__all__ = ["Functional", "Model", "Sequential", "clone_model", "load_model", "save_model"]
