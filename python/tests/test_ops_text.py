"""tf.strings, tf.io and tf.image from Python: forms of arguments, round trips, errors."""

import os

import numpy as np
import pytest

import alula as tf


def test_texts():
    x = tf.constant(["Hello World", " ä "])
    assert tf.strings.lower(x).numpy().tolist() == [b"hello world", " ä ".encode()]
    assert tf.strings.length(x).numpy().tolist() == [11, 4]
    assert tf.strings.length(x, unit="UTF8_CHAR").numpy().tolist() == [11, 3]
    assert tf.strings.split("a,b,c", ",").numpy().tolist() == [b"a", b"b", b"c"]
    assert tf.strings.substr("hello", -3, 2).numpy() == b"ll"
    assert tf.strings.join(["a", "b"], separator="-").numpy() == b"a-b"
    assert tf.strings.to_number(["3", "-1"], tf.int32).numpy().tolist() == [3, -1]
    assert tf.strings.as_string([1.5], precision=1).numpy().tolist() == [b"1.5"]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.strings.to_number("x")
    with pytest.raises(tf.errors.InvalidArgumentError, match="unit"):
        tf.strings.length("x", unit="WORD")


def test_csv_and_raw():
    a, b = tf.io.decode_csv(["1;x", "2;"], [tf.int32, "none"], field_delim=";")
    assert a.numpy().tolist() == [1, 2] and b.numpy().tolist() == [b"x", b"none"]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_csv([";x"], [tf.int32, "none"], field_delim=";")
    with pytest.raises(tf.errors.InvalidArgumentError, match="one character"):
        tf.io.decode_csv(["1"], [0], field_delim="ab")
    assert tf.io.decode_raw("ab", tf.uint8, fixed_length=3).numpy().tolist() == [97, 98, 0]


def test_examples_and_records(tmp_path):
    train = tf.train
    feature = {
        "label": train.Feature(int64_list=train.Int64List(value=[7])),
        "values": train.Feature(float_list=train.FloatList(value=[1.0, 2.0])),
        "name": train.Feature(bytes_list=train.BytesList(value=[b"a"])),
        "empty": train.Feature(),
    }
    example = train.Example(features=train.Features(feature=feature))
    record = example.SerializeToString()
    assert train.Example.FromString(record) == example
    features = {
        "label": tf.io.FixedLenFeature([], tf.int64),
        "values": tf.io.FixedLenFeature([2], tf.float32),
        "name": tf.io.VarLenFeature(tf.string),
        "other": tf.io.FixedLenFeature([], tf.int64, default_value=3),
    }
    parsed = tf.io.parse_single_example(record, features)
    assert int(parsed["label"]) == 7 and int(parsed["other"]) == 3
    assert parsed["values"].numpy().tolist() == [1.0, 2.0] and parsed["name"].numpy().tolist() == [b"a"]
    assert tf.io.parse_example([record, record], features)["label"].numpy().tolist() == [7, 7]
    for options in (None, "GZIP", tf.io.TFRecordOptions(compression_type="ZLIB", compression_level=9)):
        path = str(tmp_path / "records")
        with tf.io.TFRecordWriter(path, options) as writer:
            writer.write(record)
            writer.flush()
        assert os.path.getsize(path) > 0
        with pytest.raises(tf.errors.FailedPreconditionError, match="closed"):
            writer.write(record)


def test_files(tmp_path):
    path = str(tmp_path / "new" / "file")
    tf.io.write_file(path, b"\x00text")
    assert tf.io.read_file(path).numpy() == b"\x00text"
    assert tf.io.matching_files(str(tmp_path / "new" / "*")).numpy().tolist() == [path.encode()]
    assert tf.io.matching_files(str(tmp_path / "none*")).shape == (0,)
    with pytest.raises(tf.errors.NotFoundError):
        tf.io.read_file(str(tmp_path / "missing"))


def test_gfile(tmp_path):
    folder = tf.io.gfile.join(str(tmp_path), "a", "b")
    tf.io.gfile.makedirs(folder)
    with tf.io.gfile.GFile(folder + "/x.txt", "w") as file:
        file.write("text")
    assert tf.io.gfile.exists(folder + "/x.txt") and tf.io.gfile.isdir(folder)
    assert tf.io.gfile.glob(folder + "/*.txt") == [folder + "/x.txt"]
    tf.io.gfile.copy(folder + "/x.txt", folder + "/y.txt")
    with pytest.raises(tf.errors.AlreadyExistsError):
        tf.io.gfile.copy(folder + "/x.txt", folder + "/y.txt")
    assert sorted(tf.io.gfile.listdir(folder)) == ["x.txt", "y.txt"]
    tf.io.gfile.rmtree(folder)
    with pytest.raises(tf.errors.NotFoundError):
        tf.io.gfile.listdir(folder)


def test_pictures():
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    np.testing.assert_array_equal(tf.io.decode_png(tf.io.encode_png(pixels)).numpy(), pixels)
    np.testing.assert_array_equal(tf.image.decode_image(tf.io.encode_png(pixels)).numpy(), pixels)
    jpeg = tf.io.encode_jpeg(pixels, quality=90)
    assert bool(tf.io.is_jpeg(jpeg)) and tf.io.decode_jpeg(jpeg, channels=1).shape == (5, 7, 1)
    image = pixels / np.float32(255)
    flipped = tf.image.flip_left_right(image)
    np.testing.assert_array_equal(flipped.numpy(), image[:, ::-1])
    np.testing.assert_array_equal(tf.image.rot90(image).numpy(), np.rot90(image))
    np.testing.assert_allclose(tf.image.adjust_brightness(image, 0.1).numpy(), image + np.float32(0.1))
    assert tf.image.resize(image, [3, 4], method=tf.image.ResizeMethod.NEAREST_NEIGHBOR).shape == (3, 4, 3)
    assert tf.image.random_crop(image, [2, 2, 3], seed=1).shape == (2, 2, 3)
    assert tf.image.central_crop(image, 0.5).shape == (3, 5, 3)
    assert tf.image.crop_to_bounding_box(image, 1, 1, 2, 3).shape == (2, 3, 3)
    np.testing.assert_allclose(
        tf.image.hsv_to_rgb(tf.image.rgb_to_hsv(image)).numpy(), image, atol=1e-5
    )
    for function, arguments in (
        (tf.image.random_brightness, (0.1,)),
        (tf.image.random_contrast, (0.5, 1.5)),
        (tf.image.random_saturation, (0.5, 1.5)),
        (tf.image.random_hue, (0.1,)),
    ):
        assert function(image, *arguments, seed=2).shape == image.shape
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_png("no picture")
