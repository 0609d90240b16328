"""Data sets of CSV files, in TensorFlow's forms."""

from alula import _native
from alula._native import _data
from alula._native._data import AUTOTUNE, Dataset


def _default(value):
    """What stands for an empty field; a dtype says that there must be none."""
    if not isinstance(value, (_native.DType, type)):
        return _native.convert_to_tensor(value)
    if _native.as_dtype(value) == _native.string:
        return _native.convert_to_tensor([""])[:0]
    return _native.convert_to_tensor([], dtype=value)


def _names(files):
    """The names of files, or those that match patterns, as a list of texts."""
    if isinstance(files, (str, bytes)) or hasattr(files, "__fspath__"):
        files = [files]
    names = []
    for file in files:
        file = file.decode() if isinstance(file, bytes) else str(file)
        names += [file] if not any(c in file for c in "*?[") else [
            name.decode() for name in Dataset.list_files(file, shuffle=False).as_numpy_iterator()
        ]
    return names


class CsvDataset(Dataset):
    """The rows of CSV files as tuples of columns. A default that is a dtype asks for a value in each row.

    `record_defaults` has one default for each column that is read.
    """

    def __init__(
        self,
        filenames,
        record_defaults,
        compression_type=None,
        buffer_size=None,
        header=False,
        field_delim=",",
        use_quote_delim=True,
        na_value="",
        select_cols=None,
        exclude_cols=None,
        name=None,
    ):
        if compression_type:
            raise _unsupported("CsvDataset: compression_type")
        files = _names(filenames)
        count = len(_data._csv_fields(files[0], field_delim, use_quote_delim)) or len(record_defaults)
        if exclude_cols is not None:
            if select_cols is not None:
                raise ValueError("CsvDataset: give select_cols or exclude_cols, not both.")
            select_cols = [i for i in range(count) if i not in exclude_cols]
        columns = [f"column {i}" for i in range(count)]
        chosen = columns if select_cols is None else [columns[i] for i in select_cols]
        if len(chosen) != len(record_defaults):
            raise ValueError(
                f"CsvDataset: {len(chosen)} columns are read. Got {len(record_defaults)} record_defaults."
            )
        defaults = [_default(value) for value in record_defaults]
        rows = _data._csv(files, header, columns, chosen, defaults, field_delim, use_quote_delim, na_value)
        super().__init__(_data._rearranged(rows, tuple(chosen)))


def make_csv_dataset(
    file_pattern,
    batch_size,
    column_names=None,
    column_defaults=None,
    label_name=None,
    select_columns=None,
    field_delim=",",
    use_quote_delim=True,
    na_value="",
    header=True,
    num_epochs=None,
    shuffle=True,
    shuffle_buffer_size=10000,
    shuffle_seed=None,
    prefetch_buffer_size=None,
    num_parallel_reads=None,
    sloppy=False,
    num_rows_for_inference=100,
    compression_type=None,
    ignore_errors=False,
    encoding="utf-8",
):
    """Batches of the rows of CSV files: a dict of columns by name and, if one is the label, that apart."""
    if compression_type:
        raise _unsupported("make_csv_dataset: compression_type")
    files = _names(file_pattern)
    if column_names is None:
        if not header:
            raise ValueError("make_csv_dataset: column_names must be given where there is no header.")
        column_names = _data._csv_fields(files[0], field_delim, use_quote_delim)
    chosen = list(column_names if select_columns is None else select_columns)
    chosen = [column_names[c] if isinstance(c, int) else c for c in chosen]
    if label_name is not None and label_name not in chosen:
        raise ValueError("`label_name` provided must be one of the columns.")
    defaults = [] if column_defaults is None else [_default(value) for value in column_defaults]
    if defaults and len(defaults) != len(chosen):
        raise ValueError(
            f"make_csv_dataset: {len(chosen)} columns are read. Got {len(defaults)} column_defaults."
        )
    features = [name for name in chosen if name != label_name]
    order = features if label_name is None else features + [label_name]  # a label comes last
    defaults = [defaults[chosen.index(name)] for name in order] if defaults else []
    dataset = _data._csv(files, header, column_names, order, defaults, field_delim, use_quote_delim, na_value)
    if ignore_errors:
        dataset = dataset.ignore_errors()
    if label_name is not None:
        dataset = _data._rearranged(dataset, ({name: None for name in features}, None))
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _unsupported(what):
    from alula import errors

    return errors.UnimplementedError(message=f"{what} is not supported: CSV files are read as they are.")
