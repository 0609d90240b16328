#include "alula/keras/losses/losses.h"

#include <map>

#include "alula/autograd/tape.h"
#include "alula/core/log.h"
#include "alula/keras/logits.h"
#include "alula/keras/reference_test.h"
#include "alula/ops/cast.h"
#include "alula/ops/cross_entropy.h"
#include "alula/ops/operators.h"
#include "alula/ops/reduce.h"
#include "alula/ops/reshape.h"
#include "alula/ops/sigmoid.h"
#include "alula/ops/softmax.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::keras::losses;
using keras::reference::Case;
using keras::reference::expect_near;

namespace {

template <class L>
Loss plain(const Case&, const char* reduction) {
  return L({.reduction = reduction});
}

Loss sparse(const Case& c, const char* reduction) {
  SparseCategoricalCrossentropy::Options options{.from_logits = c.flag("from_logits")};
  if (c.has("ignore_class")) options.ignore_class = c.config.at("ignore_class").as_integer();
  options.reduction = reduction;
  return SparseCategoricalCrossentropy(options);
}

template <class L>
Loss smoothed(const Case& c, const char* reduction) {
  return L({.from_logits = c.flag("from_logits"),
            .label_smoothing = c.number("label_smoothing", 0),
            .reduction = reduction});
}

Loss huber_of(const Case& c, const char* reduction) {
  return Huber({.delta = c.number("delta", 1), .reduction = reduction});
}

const std::map<std::string, Loss (*)(const Case&, const char*)> kMakers = {
    {"SparseCategoricalCrossentropy", sparse},
    {"CategoricalCrossentropy", smoothed<CategoricalCrossentropy>},
    {"BinaryCrossentropy", smoothed<BinaryCrossentropy>},
    {"MeanSquaredError", plain<MeanSquaredError>},
    {"MeanAbsoluteError", plain<MeanAbsoluteError>},
    {"MeanAbsolutePercentageError", plain<MeanAbsolutePercentageError>},
    {"MeanSquaredLogarithmicError", plain<MeanSquaredLogarithmicError>},
    {"Huber", huber_of},
    {"LogCosh", plain<LogCosh>},
    {"Hinge", plain<Hinge>},
    {"SquaredHinge", plain<SquaredHinge>},
    {"CategoricalHinge", plain<CategoricalHinge>},
    {"KLDivergence", plain<KLDivergence>},
    {"Poisson", plain<Poisson>},
    {"CosineSimilarity", plain<CosineSimilarity>},
};

/// Counts the ops that run.
struct Counter final : Listener {
  std::vector<std::string> names;
  void ran(const Op& op, Device, TensorRefs, std::span<const Tensor>) override {
    names.emplace_back(op.name());
  }
};

}  // namespace

TEST(Losses, AreThoseOfKeras) {
  const reference::File file("losses.safetensors");
  ASSERT_GT(file.cases().size(), 100u);
  for (const Case& c : file.cases())
    for (const char* reduction :
         {"sum_over_batch_size", "sum", "none", "mean", "mean_with_sample_weight"}) {
      SCOPED_TRACE(c.key + " " + reduction);
      ASSERT_TRUE(kMakers.contains(c.kind)) << c.kind;
      const Loss loss = kMakers.at(c.kind)(c, reduction);
      const Tensor y_true = file.at(c.key + "/y_true"), y_pred = file.at(c.key + "/y_pred");
      const std::string prefix = c.key + "/" + reduction;
      GradientTape tape;
      tape.watch(y_pred);
      const Tensor value = loss(y_true, y_pred, file.find(c.key + "/sample_weight"));
      expect_near(value, file.at(prefix + "/value"), 2e-6);
      expect_near(tape.gradient(value, y_pred), file.at(prefix + "/grad"), 2e-6);
    }
}

TEST(Losses, ComeByWords) {
  const Tensor y = {{0.f, 1.f}}, p = {{0.25f, 0.75f}};
  for (const char* word : {"mse", "MSE", "mean_squared_error", "MeanSquaredError"})
    EXPECT_FLOAT_EQ(Loss(word)(y, p).item<float>(), 0.0625f);
  EXPECT_EQ(Loss("mae").name(), "mean_absolute_error");
  EXPECT_EQ(Loss(std::string("huber")).name(), "huber_loss");
  EXPECT_EQ(Loss("kld").name(), "kl_divergence");
  EXPECT_ERROR(Loss("mean_square_error"), InvalidArgumentError,
               "loss: there is no \"mean_square_error\". Did you mean \"mean_squared_error\"");
  EXPECT_ERROR(MeanSquaredError({.reduction = "average"}), InvalidArgumentError,
               "reduction: there is no \"average\"");
}

TEST(Losses, CrossentropyIsChosenByShapes) {
  const Loss loss = "crossentropy";
  const Tensor p = {{0.25f, 0.75f}, {0.5f, 0.5f}};
  const float expected = -(std::log(0.75f) + std::log(0.5f)) / 2;
  EXPECT_FLOAT_EQ(loss({1, 0}, p).item<float>(), expected);
  EXPECT_FLOAT_EQ(loss({{1}, {0}}, p).item<float>(), expected);
  EXPECT_FLOAT_EQ(loss({{0.f, 1.f}, {1.f, 0.f}}, p).item<float>(), expected);
  EXPECT_FLOAT_EQ(loss({1, 0}, {{0.75f}, {0.5f}}).item<float>(), expected);
  EXPECT_EQ(Loss("ce").name(), "ce");
}

TEST(Losses, AnyFunctionIsOne) {
  const Loss loss = [](const Tensor& y, const Tensor& p) { return (y - p) * (y - p); };
  EXPECT_FLOAT_EQ(loss({{1.f, 2.f}, {3.f, 4.f}}, {{1.f, 2.f}, {3.f, 6.f}}).item<float>(), 1);
  const Loss function = mean_absolute_error;
  EXPECT_FLOAT_EQ(function({{1.f, 2.f}}, {{1.f, 4.f}}).item<float>(), 1);
  const Loss sum(mean_absolute_error, {.name = "total", .reduction = "sum"});
  EXPECT_EQ(sum.name(), "total");
  EXPECT_FLOAT_EQ(sum({{1.f}, {2.f}}, {{2.f}, {4.f}}).item<float>(), 3);
}

namespace {

struct WorstImpl final : LossImpl {
  struct Options {
    double scale = 1;
  };
  explicit WorstImpl(const Options& options) : LossImpl({.name = "worst"}), scale(options.scale) {}
  Tensor call(const Tensor& y, const Tensor& p) const override {
    return reduce_max(abs(y - p), {.axis = -1}) * scale;
  }
  Tensor abs(const Tensor& x) const { return x * x; }
  double scale;
};
using Worst = LossOf<WorstImpl>;

}  // namespace

TEST(Losses, OnesOwnClass) {
  const Loss loss = Worst({.scale = 2});
  EXPECT_EQ(loss.name(), "worst");
  EXPECT_FLOAT_EQ(loss({{1.f, 2.f}, {0.f, 0.f}}, {{1.f, 4.f}, {0.f, 0.f}}).item<float>(), 4);
}

TEST(Losses, UnsetOnesSaySo) {
  const Loss loss;
  EXPECT_FALSE(loss.defined());
  EXPECT_ERROR(loss({1.f}, {1.f}), FailedPreconditionError, "no loss is set");
}

TEST(Losses, RememberedLogitsAreUsed) {
  // So far apart that the probabilities are 0 and 1.
  const Tensor x = {{200.f, 0.f}, {0.f, 200.f}};
  const Tensor p = remember_logits(softmax(x), x, Squashed::kSoftmax);
  EXPECT_FLOAT_EQ(Loss("sparse_categorical_crossentropy")({1, 1}, p).item<float>(), 100);
  EXPECT_FLOAT_EQ(Loss("categorical_crossentropy")({{0.f, 1.f}, {0.f, 1.f}}, p).item<float>(), 100);
  const Tensor q = remember_logits(sigmoid(x), x, Squashed::kSigmoid);
  EXPECT_FLOAT_EQ(Loss("bce")({{0.f, 0.f}, {0.f, 1.f}}, q).item<float>(),
                  (200 + 3 * std::log(2.f) - std::log(2.f)) / 4);
  // What comes after a softmax is no longer known: probabilities are clipped.
  EXPECT_NEAR(Loss("sparse_categorical_crossentropy")({1, 1}, reshape(p, {2, 2})).item<float>(),
              16.118 / 2, 1e-3);
  // from_logits is then an error of the user's; what is remembered is right.
  const Loss told = SparseCategoricalCrossentropy({.from_logits = true});
  std::string message;
  const auto before = logging::set_handler(
      [&](logging::Level, std::string_view text) { message = std::string(text); });
  EXPECT_FLOAT_EQ(told({1, 1}, p).item<float>(), 100);
  logging::set_handler(before);
  EXPECT_NE(message.find("from_logits is set, but the predictions come from a softmax"),
            std::string::npos);
}

TEST(Losses, AClassifiersStepIsTwoOps) {
  const Tensor x = {{1.f, 2.f}, {3.f, 4.f}};
  const Tensor p = remember_logits(softmax(x), x, Squashed::kSoftmax);
  const Tensor labels = {1, 0};
  const Loss loss = "sparse_categorical_crossentropy";
  Counter counter;
  (void)loss(labels, p);
  EXPECT_EQ(counter.names,
            (std::vector<std::string>{"sparse_softmax_cross_entropy", "reduce_mean"}));
}

TEST(Losses, OfNothingAre0) {
  const Tensor none = alula::testing::random_tensor({float32, {0, 3}});
  EXPECT_EQ(Loss("mse")(none, none).item<float>(), 0);
  EXPECT_EQ(MeanSquaredError({.reduction = "none"})(none, none).shape(), (Shape{0}));
}

TEST(Losses, SayWhatTheyWanted) {
  const Tensor p = {{0.25f, 0.75f}, {0.5f, 0.5f}};
  const Loss sparse = "sparse_categorical_crossentropy", dense = "categorical_crossentropy";
  EXPECT_ERROR(sparse({{0.f, 1.f}, {1.f, 0.f}}, p), InvalidArgumentError,
               "sparse_categorical_crossentropy: takes the number of a class for each row of "
               "predictions. Got labels float32[2,2], predictions float32[2,2]. One-hot labels");
  EXPECT_ERROR(sparse({0, 1, 1}, p), InvalidArgumentError, "Got labels int32[3]");
  EXPECT_ERROR(sparse({0, 2}, p), InvalidArgumentError, "label 2 at row 1 is no class");
  EXPECT_ERROR(SparseCategoricalCrossentropy({.axis = 0})({0, 1}, p), InvalidArgumentError,
               "the classes must be the last axis");
  EXPECT_ERROR(dense({0, 1}, p), InvalidArgumentError,
               "categorical_crossentropy: labels and predictions must have the same shape. Got "
               "labels int32[2], predictions float32[2,2]. For labels that are numbers of classes "
               "use sparse_categorical_crossentropy");
  EXPECT_ERROR(CategoricalCrossentropy({.label_smoothing = 2}), InvalidArgumentError,
               "label_smoothing must be in [0, 1]. Got 2");
  EXPECT_ERROR(BinaryCrossentropy({.label_smoothing = -1}), InvalidArgumentError, "in [0, 1]");
  EXPECT_ERROR(Loss("bce")({{0, 1, 1}, {0, 1, 1}}, p), InvalidArgumentError, "the same shape");
  EXPECT_ERROR(Loss("mse")({{0, 1, 1}, {0, 1, 1}}, p), InvalidArgumentError,
               "mean_squared_error: labels and predictions don't fit each other. Got labels "
               "int32[2,3], predictions float32[2,2]");
  EXPECT_ERROR(Loss("mse")(Tensor(), p), InvalidArgumentError, "the labels are not defined");
  EXPECT_ERROR(Loss("mse")(p, p, {1.f, 2.f, 3.f}), InvalidArgumentError,
               "the sample weights don't fit. Got weights float32[3] for values float32[2]");
  EXPECT_ERROR(Huber({.delta = 0}), InvalidArgumentError, "delta must be greater than 0");
  EXPECT_ERROR(Loss("cosine_similarity")(Tensor(1.f), Tensor(1.f)), InvalidArgumentError,
               "takes vectors");
  EXPECT_ERROR(Loss("categorical_hinge")(Tensor(1.f), Tensor(1.f)), InvalidArgumentError,
               "[..., classes]");
}
