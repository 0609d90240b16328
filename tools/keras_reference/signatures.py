"""Writes signatures.txt: the constructors and methods of Keras with their defaults, in order."""

import inspect
from pathlib import Path

import keras

LAYERS = """
    InputLayer Dense Conv2D MaxPooling2D AveragePooling2D GlobalAveragePooling2D
    GlobalMaxPooling2D Flatten Reshape Dropout BatchNormalization LayerNormalization Embedding
    Activation ReLU LeakyReLU ELU Softmax Add Subtract Multiply Average Maximum Minimum
    Concatenate Rescaling ZeroPadding2D Permute Identity Lambda Layer
"""
INITIALIZERS = """
    Zeros Ones Constant Identity RandomNormal RandomUniform TruncatedNormal VarianceScaling
    GlorotUniform GlorotNormal HeUniform HeNormal LecunUniform LecunNormal Orthogonal
"""
REGULARIZERS = "L1 L2 L1L2"
CONSTRAINTS = "MaxNorm NonNeg UnitNorm MinMaxNorm"
LOSSES = """
    Loss SparseCategoricalCrossentropy CategoricalCrossentropy BinaryCrossentropy
    BinaryFocalCrossentropy MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError
    MeanSquaredLogarithmicError Huber LogCosh Hinge SquaredHinge CategoricalHinge KLDivergence
    Poisson CosineSimilarity
"""
LOSS_FUNCTIONS = """
    sparse_categorical_crossentropy categorical_crossentropy binary_crossentropy
    mean_squared_error mean_absolute_error mean_absolute_percentage_error
    mean_squared_logarithmic_error huber log_cosh hinge squared_hinge kl_divergence poisson
    cosine_similarity
"""
METRICS = """
    Metric Mean Sum MeanMetricWrapper Accuracy BinaryAccuracy CategoricalAccuracy
    SparseCategoricalAccuracy TopKCategoricalAccuracy SparseTopKCategoricalAccuracy
    MeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredLogarithmicError
    RootMeanSquaredError LogCoshError CosineSimilarity BinaryCrossentropy
    CategoricalCrossentropy SparseCategoricalCrossentropy KLDivergence Poisson Hinge
    SquaredHinge CategoricalHinge Precision Recall AUC TruePositives TrueNegatives
    FalsePositives FalseNegatives F1Score
"""
OPTIMIZERS = """
    Optimizer SGD RMSprop Adam AdamW Adagrad Adadelta Adamax Nadam Ftrl Lion Adafactor
"""
SCHEDULES = """
    ExponentialDecay PiecewiseConstantDecay PolynomialDecay InverseTimeDecay CosineDecay
    CosineDecayRestarts
"""
CALLBACKS = """
    Callback CallbackList History EarlyStopping ModelCheckpoint ReduceLROnPlateau
    LearningRateScheduler CSVLogger TensorBoard TerminateOnNaN LambdaCallback ProgbarLogger
    BackupAndRestore
"""
ACTIVATIONS = """
    linear relu relu6 leaky_relu elu selu celu gelu silu softmax log_softmax softplus softsign
    soft_shrink hard_shrink squareplus sparse_plus sparsemax sparse_sigmoid tanh tanh_shrink
    hard_tanh sigmoid log_sigmoid hard_sigmoid hard_silu exponential mish glu threshold
"""
MODEL_METHODS = """
    compile fit evaluate predict train_on_batch test_on_batch predict_on_batch
    compute_loss compute_metrics train_step test_step summary get_layer save save_weights
    load_weights get_weights set_weights get_config from_config
"""
LAYER_METHODS = """
    add_weight build call get_weights set_weights count_params add_loss add_metric
    get_config get_build_config compute_output_shape
"""
OPTIMIZER_METHODS = """
    build apply apply_gradients update_step assign assign_add add_variable
    add_variable_from_reference exclude_from_weight_decay finalize_variable_values
    stateless_apply
"""


def _signature(function):
    parameters = [
        str(parameter)
        for parameter in inspect.signature(function).parameters.values()
        if parameter.name != "self"
    ]
    return "(" + ", ".join(parameters) + ")"


def _constructors(module, names):
    return [f"{name}{_signature(getattr(module, name).__init__)}" for name in names.split()]


def _functions(owner, names):
    return [
        f"{name}{_signature(getattr(owner, name))}"
        for name in names.split()
        if hasattr(owner, name)
    ]


def write(folder: Path):
    """Writes signatures.txt into `folder`."""
    sections = {
        "keras": [
            f"Input{_signature(keras.Input)}",
            f"Sequential{_signature(keras.Sequential.__init__)}",
            "Model(inputs, outputs, name=None, **kwargs)  # makes a Functional",
            "Functional" + _signature(type(keras.Model([i := keras.Input((1,))], [i])).__init__),
            f"models.clone_model{_signature(keras.models.clone_model)}",
            f"utils.set_random_seed{_signature(keras.utils.set_random_seed)}",
            f"utils.to_categorical{_signature(keras.utils.to_categorical)}",
            f"utils.Progbar{_signature(keras.utils.Progbar.__init__)}",
            f"Variable{_signature(keras.Variable.__init__)}",
        ],
        "keras.Model (methods)": _functions(keras.Model, MODEL_METHODS),
        "keras.Sequential (methods)": _functions(keras.Sequential, "add pop"),
        "keras.layers": _constructors(keras.layers, LAYERS),
        "keras.layers.Layer (methods)": _functions(keras.layers.Layer, LAYER_METHODS),
        "keras.initializers": _constructors(keras.initializers, INITIALIZERS),
        "keras.regularizers": _constructors(keras.regularizers, REGULARIZERS),
        "keras.constraints": _constructors(keras.constraints, CONSTRAINTS),
        "keras.activations": _functions(keras.activations, ACTIVATIONS),
        "keras.losses": _constructors(keras.losses, LOSSES),
        "keras.losses (functions)": _functions(keras.losses, LOSS_FUNCTIONS),
        "keras.metrics": _constructors(keras.metrics, METRICS),
        "keras.optimizers": _constructors(keras.optimizers, OPTIMIZERS),
        "keras.optimizers.Optimizer (methods)": _functions(
            keras.optimizers.Optimizer, OPTIMIZER_METHODS
        ),
        "keras.optimizers.schedules": _constructors(keras.optimizers.schedules, SCHEDULES),
        "keras.callbacks": _constructors(keras.callbacks, CALLBACKS),
    }
    lines = [f"Signatures of Keras {keras.__version__}, in argument order (self left out)."]
    for title, entries in sections.items():
        lines += ["", f"[{title}]", *entries]
    (folder / "signatures.txt").write_text("\n".join(lines) + "\n")
