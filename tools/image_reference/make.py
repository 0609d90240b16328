"""Makes the reference values in tests/image_reference with TensorFlow's tf.image.

  pip install -r tools/image_reference/requirements.txt
  python tools/image_reference/make.py

The C++ tests read only the files that this writes; they need no TensorFlow.

Of a case K there are the tensors K/input and K/output; of a gradient's, they are the gradients
with respect to the result and to the images. The metadata entry `cases`
is a JSON list of {"key", "function", "config"}.
"""

import io
import json
import os
import struct
import zlib
from pathlib import Path

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf
from PIL import Image
from safetensors.numpy import save_file

OUT = Path(__file__).resolve().parents[2] / "tests" / "image_reference"


def picture(name, shape, dtype):
    """Random values: of a floating dtype mostly in [0, 1], else all that an integer holds."""
    random = np.random.default_rng(zlib.crc32(name.encode()))
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (random.random(shape) * 1.2 - 0.1).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)


class Cases:
    """Collects cases and writes one safetensors file."""

    def __init__(self):
        self.arrays = {}
        self.cases = []

    def add(self, function, given, result, **config):
        key = str(len(self.cases))
        self.cases.append({"key": key, "function": function, "config": config})
        self.arrays[f"{key}/input"] = np.array(given, order="C")
        self.arrays[f"{key}/output"] = np.array(result, order="C")

    def run(self, function, given, **config):
        """Calls tf.image's function with the case's arguments."""
        result = getattr(tf.image, function)(tf.constant(given), **config)
        self.add(function, given, result.numpy(), **config)

    def save(self, name):
        path = OUT / f"{name}.safetensors"
        save_file(self.arrays, path, metadata={"cases": json.dumps(self.cases)})
        path.chmod(0o644)
        print(f"{path.name}: {len(self.cases)} cases, {path.stat().st_size / 1024:.0f} KB")


IMAGE, BATCH = (5, 6, 3), (2, 4, 3, 3)
ADJUSTED = ["uint8", "uint16", "int16", "int32", "float32", "float64"]
ANY = ["uint8", "float32"]


def convert(cases):
    dtypes = ["uint8", "int8", "uint16", "int16", "int32", "uint32", "int64", "uint64"]
    floats = ["float16", "float32", "float64"]
    for source in dtypes + floats:
        given = picture("convert" + source, (4, 4, 1), source)
        if source in floats:  # What does not fit is undefined in TensorFlow unless it saturates.
            given = np.clip(given, 0, 1)
        for target in dtypes + floats:
            if source == "float16" and target in ["uint16", *dtypes[4:]]:
                continue  # The scale is infinity, and 0 times that is NaN.
            for saturate in [False, True]:
                if saturate and source in ["uint32", "uint64"]:
                    continue  # TensorFlow has no kernel for it.
                if saturate and (source, target) == ("int64", "uint64"):
                    continue  # The upper limit overflows in TensorFlow, and all is 0.
                # Neither does float32 hold the largest int32, nor is that defined in TensorFlow.
                if source in floats and not saturate and target not in ["uint8", "int8", *floats]:
                    continue
                result = tf.image.convert_image_dtype(given, target, saturate=saturate)
                cases.add(
                    "convert_image_dtype", given, result.numpy(), dtype=target, saturate=saturate
                )


def adjust(cases):
    for dtype in ADJUSTED:
        for shape in [IMAGE, BATCH]:
            given = picture(f"adjust{dtype}{shape}", shape, dtype)
            for delta in [0.1, -0.3]:
                cases.run("adjust_brightness", given, delta=delta)
            for factor in [0.4, 2.0]:
                cases.run("adjust_contrast", given, contrast_factor=factor)
            positive = np.abs(given) if dtype != "int16" else np.maximum(given, 0)
            cases.run("adjust_gamma", positive, gamma=0.5)
            cases.run("adjust_gamma", positive, gamma=2.2, gain=0.9)
            cases.run("rgb_to_grayscale", given)
            within = np.clip(given, 0, 1) if given.dtype.kind == "f" else np.maximum(given, 0)
            for factor in [0.0, 0.5, 3.0]:
                cases.run("adjust_saturation", within, saturation_factor=factor)
            for delta in [0.2, -0.9, 1.0]:
                cases.run("adjust_hue", within, delta=delta)
            cases.run("per_image_standardization", given)
    for shape in [IMAGE, BATCH]:
        given = np.clip(picture(f"hsv{shape}", shape, "float32"), 0, 1)
        given.reshape(-1, 3)[:4] = [[0, 0, 0], [1, 1, 1], [0.5, 0.5, 0.25], [0.25, 0.5, 0.5]]
        cases.run("rgb_to_hsv", given)
        cases.run("hsv_to_rgb", given)
        cases.run("rgb_to_hsv", given.astype("float64"))
    cases.run("per_image_standardization", np.full(IMAGE, 7, "uint8"))
    for shape in [(3, 4, 1), (2, 3, 4, 1)]:
        cases.run("grayscale_to_rgb", picture(f"gray{shape}", shape, "uint8"))
    for shape in [IMAGE, BATCH]:
        cases.run("total_variation", picture(f"tv{shape}", shape, "float32"))
        a, b = (np.clip(picture(f"psnr{i}{shape}", shape, "float32"), 0, 1) for i in range(2))
        result = tf.image.psnr(a, b, max_val=1.0).numpy()
        cases.add("psnr", np.stack([a, b]), result, max_val=1.0)


def shape(cases):
    for dtype in ANY:
        for shape in [IMAGE, BATCH]:
            given = picture(f"shape{dtype}{shape}", shape, dtype)
            for function in ["flip_left_right", "flip_up_down", "transpose"]:
                cases.run(function, given)
            for k in [1, 2, 3, -1, 4]:
                cases.run("rot90", given, k=k)
            for fraction in [0.1, 0.5, 0.7, 1.0]:
                cases.run("central_crop", given, central_fraction=fraction)
            for box in [(0, 0, 2, 3), (1, 1, 3, 2)]:
                cases.run("crop_to_bounding_box", given, **named_box(box))
            for box in [(0, 0, 7, 7), (1, 2, 9, 8)]:
                cases.run("pad_to_bounding_box", given, **named_box(box))
            for height, width in [(3, 9), (8, 2), (4, 3), (2, 1), (9, 9)]:
                cases.run(
                    "resize_with_crop_or_pad", given, target_height=height, target_width=width
                )


def named_box(box):
    return dict(zip(["offset_height", "offset_width", "target_height", "target_width"], box))


def resize(cases):
    sizes = [(5, 6), (10, 12), (3, 4), (7, 5), (1, 1), (2, 17), (16, 3)]
    for dtype in ["uint8", "int16", "float16", "float32", "float64"]:
        for shape in [IMAGE, BATCH, (3, 5, 1), (2, 2, 5)]:
            given = picture(f"resize{dtype}{shape}", shape, dtype)
            for method in ["bilinear", "nearest", "bicubic", "area"]:
                for size in sizes if dtype in ANY else sizes[1:4]:
                    cases.run("resize", given, size=size, method=method)
    given = picture("filters", (7, 9, 2), "float32")
    for method in ["bilinear", "bicubic", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"]:
        for size in [(3, 4), (12, 13), (7, 5)]:
            for antialias in [False, True]:
                cases.run("resize", given, size=size, method=method, antialias=antialias)
    given = picture("aspect", (4, 7, 2), "float32")
    for size in [(8, 8), (2, 14), (3, 3)]:
        cases.run("resize", given, size=size, preserve_aspect_ratio=True)
    for method in ["bilinear", "nearest", "bicubic"]:
        for size in [(9, 9), (3, 4)]:
            variable = tf.constant(picture(f"grad{size}", (1, 5, 6, 2), "float32"))
            with tf.GradientTape() as tape:
                tape.watch(variable)
                result = tf.image.resize(variable, size, method=method)
                weights = picture(f"r{size}", result.shape, "float32")
                loss = tf.reduce_sum(result * weights)
            gradient = tape.gradient(loss, variable).numpy()
            cases.add("resize_gradient", weights, gradient, size=size, method=method)


def smooth(name, shape, dtype="uint8"):
    """A picture whose neighbouring pixels are alike, as a photograph's."""
    random = np.random.default_rng(zlib.crc32(name.encode()))
    waves = np.cumsum(np.cumsum(random.standard_normal(shape), 0), 1)
    waves = (waves - waves.min()) / (waves.max() - waves.min())
    return (waves * np.iinfo(dtype).max).astype(dtype)


def saved(image, **options):
    """The bytes of a file, by Pillow."""
    out = io.BytesIO()
    image.save(out, **options)
    return out.getvalue()


def png_files():
    """Files of every kind that there is."""
    for channels in [1, 2, 3, 4]:
        for dtype in ["uint8", "uint16"]:
            image = smooth(f"png{channels}", (7, 9, channels), dtype)
            yield tf.io.encode_png(image).numpy()
    colours = Image.fromarray(smooth("palette", (7, 9, 3))).quantize(13)
    yield saved(colours, format="PNG")
    yield saved(colours, format="PNG", transparency=bytes([0, 128, 255]))
    yield saved(Image.fromarray(smooth("rgb", (7, 9, 3))), format="PNG", transparency=(1, 2, 3))
    grey = Image.fromarray(smooth("grey", (7, 9, 1))[:, :, 0])
    yield saved(grey, format="PNG", transparency=5)
    yield saved(grey.convert("1"), format="PNG")
    for bits in [2, 4]:
        yield saved(colours.quantize(2**bits), format="PNG", bits=bits)
    yield interlaced()


def interlaced():
    """A file in Adam7's seven passes, which nothing here can write: 8-bit grey, unfiltered."""
    image = smooth("interlaced", (9, 11, 1))[:, :, 0]
    passes = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2)]
    rows = b""
    for top, left, down, right in [*passes, (1, 0, 2, 1)]:
        for row in image[top::down, left::right]:
            rows += b"\0" + row.tobytes() if row.size else b""

    def chunk(kind, content):
        checked = kind + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    header = struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 8, 0, 0, 0, 1)
    data = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + data


def jpeg_files():
    image = smooth("jpeg", (23, 37, 3))
    yield tf.io.encode_jpeg(image).numpy()
    yield tf.io.encode_jpeg(image, quality=30, progressive=True).numpy()
    yield tf.io.encode_jpeg(image, chroma_downsampling=False, optimize_size=True).numpy()
    yield tf.io.encode_jpeg(image[:, :, :1]).numpy()
    picture = Image.fromarray(image)
    yield saved(picture, format="JPEG", subsampling="4:2:2")
    yield saved(picture.convert("CMYK"), format="JPEG")


def codecs(cases):
    """Here the input is the bytes of a file."""
    for file in png_files():
        given = np.frombuffer(file, np.uint8)
        for channels in [0, 1, 3, 4]:
            for dtype in ["uint8", "uint16"]:
                result = tf.io.decode_png(file, channels=channels, dtype=dtype)
                cases.add("decode_png", given, result.numpy(), channels=channels, dtype=dtype)
    for file in jpeg_files():
        given = np.frombuffer(file, np.uint8)
        for options in [
            {},
            {"channels": 1},
            {"channels": 3},
            {"ratio": 2},
            {"ratio": 8},
            {"fancy_upscaling": False},
            {"dct_method": "INTEGER_ACCURATE"},
        ]:
            try:
                result = tf.io.decode_jpeg(file, **options)
            except tf.errors.InvalidArgumentError:
                continue  # grey from four inks
            cases.add("decode_jpeg", given, result.numpy(), **options)
    for file in [*png_files()][:8:3] + [*jpeg_files()][:1]:
        given = np.frombuffer(file, np.uint8)
        for dtype in ["uint8", "uint16", "float32"]:
            for channels in [0, 1, 3]:
                result = tf.io.decode_image(file, channels=channels, dtype=dtype).numpy()
                cases.add("decode_image", given, result, channels=channels, dtype=dtype)
    image = smooth("encode", (13, 17, 3))
    for options in [
        {},
        {"quality": 50},
        {"progressive": True},
        {"optimize_size": True},
        {"chroma_downsampling": False},
        {"density_unit": "cm", "x_density": 30, "y_density": 40},
    ]:
        file = tf.io.encode_jpeg(image, **options).numpy()
        cases.add("encode_jpeg", image, np.frombuffer(file, np.uint8), **options)


def write(name, *parts):
    cases = Cases()
    for part in parts:
        part(cases)
    cases.save(name)


def main():
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    OUT.mkdir(parents=True, exist_ok=True)
    write("convert", convert)
    write("adjust", adjust)
    write("shape", shape)
    write("resize", resize)
    write("codecs", codecs)


if __name__ == "__main__":
    main()
