"""Data sets of files."""

import gzip

import numpy as np
import pytest

import alula as tf

Dataset = tf.data.Dataset


def values(dataset):
    return list(dataset.as_numpy_iterator())


def test_text_lines(tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo\r\nthree")
    (tmp_path / "b.txt").write_text("four\n")
    with gzip.open(tmp_path / "c.gz", "wt") as file:
        file.write("five\n")
    a, b = str(tmp_path / "a.txt"), tmp_path / "b.txt"
    assert values(tf.data.TextLineDataset(a)) == [b"one", b"two", b"three"]
    lines = tf.data.TextLineDataset([a, b])
    assert isinstance(lines, Dataset) and len(values(lines.take(9))) == 4
    of_names = tf.data.TextLineDataset(Dataset.from_tensor_slices([str(b), a]))
    assert values(of_names.take(2)) == [b"four", b"one"]
    assert values(tf.data.TextLineDataset(tmp_path / "c.gz", compression_type="GZIP")) == [b"five"]
    with pytest.raises(tf.errors.NotFoundError):
        values(tf.data.TextLineDataset(str(tmp_path / "none")))


def test_records_are_written_and_read(tmp_path):
    path = str(tmp_path / "a.tfrecord")
    tf.data.experimental.TFRecordWriter(path).write(Dataset.from_tensor_slices(["a", "bc", ""]))
    assert values(tf.data.TFRecordDataset(path)) == [b"a", b"bc", b""]
    assert values(tf.data.TFRecordDataset([path, path]))[3] == b"a"
    tf.data.experimental.TFRecordWriter(path, "GZIP").write(Dataset.from_tensor_slices(["z"]))
    assert values(tf.data.TFRecordDataset(path, "GZIP")) == [b"z"]
    with pytest.raises(tf.errors.DataLossError):
        values(tf.data.TFRecordDataset(path))


def test_names_of_files(tmp_path):
    for name in ("a.txt", "b.txt", "c.csv"):
        (tmp_path / name).write_text("1")
    names = [str(tmp_path / name).encode() for name in ("a.txt", "b.txt", "c.csv")]
    assert values(Dataset.list_files(str(tmp_path / "*.txt"), shuffle=False)) == names[:2]
    several = [str(tmp_path / "*.csv"), str(tmp_path / "*.txt")]
    assert values(Dataset.list_files(several, shuffle=False)) == [names[2], names[0], names[1]]
    assert sorted(values(Dataset.list_files(several, seed=1))) == names
    with pytest.raises(tf.errors.NotFoundError):
        values(Dataset.list_files(str(tmp_path / "*.png")))


def test_numpy_files(tmp_path):
    x = np.arange(6).reshape(3, 2)
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "xy.npz", x=x, y=np.array([1.5, 2.5, 3.5]))
    assert [v.tolist() for v in values(Dataset.from_numpy_file(tmp_path / "x.npy"))] == x.tolist()
    assert values(Dataset.from_numpy_file(tmp_path / "xy.npz"))[2]["y"] == 3.5


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('a,b,label\n1,x,0.5\n2,"y,z",1.5\n3,,2.5\n')
    return str(path)


def test_csv_as_tuples(table):
    rows = tf.data.experimental.CsvDataset(table, [0, "none", tf.float32], header=True)
    assert rows.element_spec == tuple(tf.TensorSpec((), t) for t in (tf.int32, tf.string, tf.float32))
    assert values(rows) == [(1, b"x", 0.5), (2, b"y,z", 1.5), (3, b"none", 2.5)]
    some = tf.data.experimental.CsvDataset(table, [[0.0], tf.int64], header=True, select_cols=[2, 0])
    assert sorted(values(some)[0]) == [0.5, 1]
    rest = tf.data.experimental.CsvDataset(table, [tf.string], header=True, exclude_cols=[0, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="column 1"):
        values(rest)
    with pytest.raises(ValueError, match="3 columns are read"):
        tf.data.experimental.CsvDataset(table, [0])


def test_csv_as_batches_of_columns(table):
    make = tf.data.experimental.make_csv_dataset
    (features, label), = make(table, 3, label_name="label", num_epochs=1, shuffle=False)
    assert list(features) == ["a", "b"] and features["a"].numpy().tolist() == [1, 2, 3]
    assert label.numpy().tolist() == [0.5, 1.5, 2.5] and label.dtype == tf.float32
    endless = make(table, 2, shuffle_seed=1)
    assert len(list(endless.take(9))) == 9 and set(next(iter(endless))) == {"a", "b", "label"}
    first_label = make(table, 1, label_name="a", num_epochs=1, shuffle=False, select_columns=["a", "label"])
    features, label = next(iter(first_label))
    assert list(features) == ["label"] and label.numpy().tolist() == [1]
    typed = make(table, 3, column_defaults=[tf.int64, "", 0.0], num_epochs=1, shuffle=False)
    assert next(iter(typed))["a"].dtype == tf.int64
    with pytest.raises(ValueError, match="label_name"):
        make(table, 2, label_name="c")
    with pytest.raises(NotImplementedError, match="compression_type"):
        make(table, 2, compression_type="GZIP")


def png(path, value):
    """A picture of 2 by 2 grey pixels."""
    import struct
    import zlib

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes([value] * 6) for _ in range(2))
    header = struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)


def test_images_in_folders(tmp_path, capsys):
    from alula.data._image import image_dataset_from_directory

    for label, folder in enumerate(("cat", "dog")):
        (tmp_path / folder).mkdir()
        for i in range(3):
            png(tmp_path / folder / f"{i}.png", 100 * label + i)
    dataset = image_dataset_from_directory(tmp_path, image_size=(4, 4), batch_size=6, shuffle=False)
    assert capsys.readouterr().out == "Found 6 files belonging to 2 classes.\n"
    assert dataset.class_names == ["cat", "dog"] and len(dataset.file_paths) == 6
    (images, labels), = dataset
    assert images.shape == (6, 4, 4, 3) and images.dtype == tf.float32
    assert labels.numpy().tolist() == [0, 0, 0, 1, 1, 1]
    assert images.numpy()[:, 0, 0, 0].tolist() == [0, 1, 2, 100, 101, 102]
    both = image_dataset_from_directory(
        tmp_path,
        batch_size=None,
        image_size=(2, 2),
        seed=1,
        validation_split=0.5,
        subset="both",
        verbose=False,
    )
    assert [len(list(part)) for part in both] == [3, 3]
    alone = image_dataset_from_directory(tmp_path, labels=None, image_size=(2, 2), verbose=False)
    assert next(iter(alone)).shape == (6, 2, 2, 3)
