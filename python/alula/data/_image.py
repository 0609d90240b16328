"""Pictures in folders, as Keras reads them."""

from alula._native import _data


def image_dataset_from_directory(
    directory,
    labels="inferred",
    label_mode="int",
    class_names=None,
    color_mode="rgb",
    batch_size=32,
    image_size=(256, 256),
    shuffle=True,
    seed=None,
    validation_split=None,
    subset=None,
    interpolation="bilinear",
    follow_links=False,
    crop_to_aspect_ratio=False,
    pad_to_aspect_ratio=False,
    data_format=None,
    format=None,
    verbose=True,
):
    """The images in the folders of a directory, a folder a class, in batches.

    The data set has `class_names` and `file_paths`. With subset="both", the one for training and the one
    for validation.
    """
    if crop_to_aspect_ratio or pad_to_aspect_ratio:
        raise NotImplementedError(
            "image_dataset_from_directory: crop_to_aspect_ratio and pad_to_aspect_ratio are not supported."
        )
    if data_format not in (None, "channels_last"):
        raise NotImplementedError('image_dataset_from_directory: data_format must be "channels_last".')
    if labels is None and label_mode is not None:
        label_mode = None

    def read(part):
        return _data._images(
            str(directory), labels, label_mode, class_names, color_mode, batch_size, image_size, shuffle,
            seed, validation_split, part, interpolation,
        )  # fmt: skip

    parts = ("training", "validation") if subset == "both" else (subset,)
    datasets = [read(part) for part in parts]
    if verbose:
        for part, dataset in zip(parts, datasets):
            count = len(dataset.file_paths)
            classes = "" if labels is None else f" belonging to {len(dataset.class_names)} classes"
            print(f"Found {count} files{classes}." if part is None else f"Using {count} files for {part}.")
    return tuple(datasets) if subset == "both" else datasets[0]
