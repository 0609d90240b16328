#include "alula/keras/metrics/metrics.h"

#include <map>

#include "alula/keras/losses/losses.h"
#include "alula/keras/reference_test.h"
#include "alula/keras/words.h"
#include "alula/ops/operators.h"
#include "alula/ops/square.h"

using namespace alula;
using namespace alula::keras;
using namespace alula::keras::metrics;
using keras::reference::Case;
using keras::reference::expect_near;

namespace {

template <class M>
Metric plain(const Case&) {
  return M();
}

Thresholds thresholds_of(const Case& c) {
  if (!c.has("thresholds")) return {};
  const io::Json& given = c.config.at("thresholds");
  if (given.kind() != io::Json::Kind::kArray) return given.as_number();
  std::vector<double> values;
  for (const io::Json& value : given.as_array()) values.push_back(value.as_number());
  return values;
}

template <class M>
Metric by_thresholds(const Case& c) {
  return M({.thresholds = thresholds_of(c)});
}

template <class M>
Metric by_k(const Case& c) {
  return M({.k = c.config.at("k").as_integer()});
}

template <class M>
Metric smoothed(const Case& c) {
  return M(
      {.from_logits = c.flag("from_logits"), .label_smoothing = c.number("label_smoothing", 0)});
}

const std::map<std::string, Metric (*)(const Case&)> kMakers = {
    {"Mean", plain<Mean>},
    {"Sum", plain<Sum>},
    {"Accuracy", plain<Accuracy>},
    {"BinaryAccuracy",
     [](const Case& c) -> Metric {
       return BinaryAccuracy({.threshold = c.number("threshold", 0.5)});
     }},
    {"CategoricalAccuracy", plain<CategoricalAccuracy>},
    {"SparseCategoricalAccuracy", plain<SparseCategoricalAccuracy>},
    {"TopKCategoricalAccuracy", by_k<TopKCategoricalAccuracy>},
    {"SparseTopKCategoricalAccuracy", by_k<SparseTopKCategoricalAccuracy>},
    {"MeanSquaredError", plain<MeanSquaredError>},
    {"MeanAbsoluteError", plain<MeanAbsoluteError>},
    {"RootMeanSquaredError", plain<RootMeanSquaredError>},
    {"MeanAbsolutePercentageError", plain<MeanAbsolutePercentageError>},
    {"MeanSquaredLogarithmicError", plain<MeanSquaredLogarithmicError>},
    {"LogCoshError", plain<LogCoshError>},
    {"CosineSimilarity", plain<CosineSimilarity>},
    {"Hinge", plain<Hinge>},
    {"SquaredHinge", plain<SquaredHinge>},
    {"CategoricalHinge", plain<CategoricalHinge>},
    {"Poisson", plain<Poisson>},
    {"KLDivergence", plain<KLDivergence>},
    {"BinaryCrossentropy", smoothed<BinaryCrossentropy>},
    {"CategoricalCrossentropy", smoothed<CategoricalCrossentropy>},
    {"SparseCategoricalCrossentropy", plain<SparseCategoricalCrossentropy>},
    {"Precision", by_thresholds<Precision>},
    {"Recall", by_thresholds<Recall>},
    {"AUC",
     [](const Case& c) -> Metric {
       AUC::Options options;
       if (c.has("num_thresholds"))
         options.num_thresholds = c.config.at("num_thresholds").as_integer();
       if (c.has("curve")) options.curve = c.config.at("curve").as_string();
       return AUC(options);
     }},
    {"TruePositives", by_thresholds<TruePositives>},
    {"TrueNegatives", by_thresholds<TrueNegatives>},
    {"FalsePositives", by_thresholds<FalsePositives>},
    {"FalseNegatives", by_thresholds<FalseNegatives>},
};

float result_of(const Metric& metric) { return metric.result().item<float>(); }

}  // namespace

TEST(Metrics, AreThoseOfKeras) {
  const reference::File file("metrics.safetensors");
  ASSERT_GT(file.cases().size(), 80u);
  for (const Case& c : file.cases()) {
    SCOPED_TRACE(c.key);
    ASSERT_TRUE(kMakers.contains(c.kind)) << c.kind;
    const Metric metric = kMakers.at(c.kind)(c);
    for (int round = 0; round < 2; ++round) {  // the second after a reset
      for (int batch = 0; batch < 3; ++batch) {
        const std::string prefix = c.key + "/" + std::to_string(batch) + "/";
        const Tensor values = file.find(prefix + "values");
        metric.update_state(values.defined() ? values : file.at(prefix + "y_true"),
                            values.defined() ? Tensor() : file.at(prefix + "y_pred"),
                            file.find(prefix + "sample_weight"));
        expect_near(metric.result(), file.at(prefix + "result"), 2e-6);
      }
      metric.reset_state();
    }
  }
}

TEST(Metrics, ComeByWords) {
  EXPECT_EQ(Metric("mse").name(), "mse");
  EXPECT_EQ(Metric("MSE").name(), "MSE");
  EXPECT_EQ(Metric("MeanSquaredError").name(), "mean_squared_error");
  EXPECT_EQ(Metric("acc").name(), "acc");
  EXPECT_EQ(Metric("LogCoshError").name(), "logcosh");
  EXPECT_EQ(Metric(std::string("ce")).name(), "ce");
  forget_names();
  EXPECT_EQ(Metric("auc").name(), "auc");
  EXPECT_EQ(Metric("AUC").name(), "auc_1");
  EXPECT_EQ(Metric("precision").name(), "precision");
  EXPECT_EQ(TruePositives({.name = "tp"}).name(), "tp");
  EXPECT_ERROR(Metric("acuracy"), InvalidArgumentError,
               "metric: there is no \"acuracy\". Did you mean \"accuracy\"");
}

TEST(Metrics, AccuracyIsChosenByTheFirstBatch) {
  const Tensor p = {{0.25f, 0.75f}, {0.75f, 0.25f}};
  const Metric sparse = "accuracy", column = "accuracy", one_hot = "accuracy", binary = "accuracy";
  sparse.update_state({1, 1}, p);
  EXPECT_EQ(result_of(sparse), 0.5f);
  column.update_state({{1}, {0}}, p);
  EXPECT_EQ(result_of(column), 1);
  one_hot.update_state({{0.f, 1.f}, {0.f, 1.f}}, p);
  EXPECT_EQ(result_of(one_hot), 0.5f);
  binary.update_state({1, 0}, {{0.75f}, {0.75f}});
  EXPECT_EQ(result_of(binary), 0.5f);
  // It stays what it is.
  EXPECT_ERROR(sparse.update_state({{0.f, 1.f}, {0.f, 1.f}}, p), InvalidArgumentError,
               "sparse_categorical_accuracy");
  EXPECT_EQ(result_of(sparse), 0.5f);
}

TEST(Metrics, AreOftenKnownToBeBetterUpOrDown) {
  EXPECT_EQ(Metric("accuracy").direction(), Direction::kUp);
  EXPECT_EQ(Metric("mse").direction(), Direction::kDown);
  EXPECT_EQ(Metric("auc").direction(), Direction::kUp);
  EXPECT_EQ(Metric(Mean()).direction(), Direction::kUnknown);
  EXPECT_EQ(Metric("false_positives").direction(), Direction::kDown);
}

TEST(Metrics, LossesAndFunctionsAreMetrics) {
  const Metric loss = losses::Huber({.delta = 1});
  EXPECT_EQ(loss.name(), "huber_loss");
  loss.update_state({{0.f}, {0.f}}, {{1.f}, {0.f}});
  EXPECT_FLOAT_EQ(result_of(loss), 0.25f);
  const Metric own = [](const Tensor& y, const Tensor& p) { return square(y - p); };
  EXPECT_FLOAT_EQ(own({{1.f, 2.f}}, {{1.f, 4.f}}).item<float>(), 2);
  const MeanMetricWrapper named(losses::mean_absolute_error, {.name = "error"});
  EXPECT_EQ(named.name(), "error");
  EXPECT_FLOAT_EQ(named({{1.f, 2.f}}, {{1.f, 4.f}}).item<float>(), 1);
}

TEST(Metrics, MeanOfNothingIs0) {
  const Mean mean;
  EXPECT_EQ(result_of(mean), 0);
  EXPECT_EQ(mean({1.f, 2.f, 6.f}).item<float>(), 3);
  EXPECT_EQ(mean({5.f}, {0.f}).item<float>(), 3);
  EXPECT_EQ(mean(Tensor(3.f), Tensor(3.f)).item<float>(), 3);
  EXPECT_EQ(Mean().variables().size(), 2u);
  EXPECT_FALSE(mean.variables()[0].trainable());
}

TEST(Metrics, ResultsStayWhatTheyWere) {
  const Sum sum;
  sum.update_state({1.f, 2.f});
  const Tensor before = sum.result();
  sum.update_state({4.f});
  EXPECT_EQ(before.item<float>(), 3);
  EXPECT_EQ(result_of(sum), 7);
}

TEST(Metrics, PrecisionOfTheBestAndOfOneClass) {
  const Tensor y = {{0.f, 1.f, 0.f}, {1.f, 0.f, 0.f}};
  const Tensor p = {{0.2f, 0.3f, 0.1f}, {0.1f, 0.6f, 0.7f}};
  const Precision best({.top_k = 1});
  EXPECT_FLOAT_EQ(best(y, p).item<float>(), 0.5f);
  const Recall second({.class_id = 1});
  EXPECT_FLOAT_EQ(second(y, p).item<float>(), 0);
  const Precision wrong({.class_id = 3});
  EXPECT_ERROR(wrong.update_state(y, p), InvalidArgumentError, "there is no class 3");
  const Precision many({.top_k = 4});
  EXPECT_ERROR(many.update_state(y, p), InvalidArgumentError, "top_k is 4, but there are 3");
}

TEST(Metrics, SayWhatTheyWanted) {
  const Tensor p = {{0.25f, 0.75f}, {0.75f, 0.25f}};
  EXPECT_ERROR(SparseCategoricalAccuracy().update_state(p, p), InvalidArgumentError,
               "sparse_categorical_accuracy: takes the number of a class");
  EXPECT_ERROR(CategoricalAccuracy().update_state({1, 0}, p), InvalidArgumentError,
               "must both be [..., classes]. Got labels int32[2], predictions float32[2,2]");
  EXPECT_ERROR(BinaryAccuracy({.threshold = 1.5}), InvalidArgumentError, "between 0 and 1");
  EXPECT_ERROR(TopKCategoricalAccuracy({.k = 0}).update_state(p, p), InvalidArgumentError,
               "k must be at least 1");
  EXPECT_ERROR(Precision({.thresholds = 2}), InvalidArgumentError,
               "thresholds must be in [0, 1]. Got 2");
  EXPECT_ERROR(Precision({.top_k = 0}), InvalidArgumentError, "top_k must be at least 1");
  EXPECT_ERROR(Precision().update_state(p, p, {1.f, 2.f, 3.f}), InvalidArgumentError,
               "the sample weights don't fit");
  EXPECT_ERROR(AUC({.num_thresholds = 1}), InvalidArgumentError, "at least 2");
  EXPECT_ERROR(AUC({.curve = "ROD"}), InvalidArgumentError, "Did you mean \"ROC\"");
  EXPECT_ERROR(AUC().update_state({0, 1}, {0.5f, 3.f}), InvalidArgumentError,
               "predictions must be in [0, 1]. Got some from 0.5 to 3");
  EXPECT_ERROR(Mean().update_state(Tensor()), InvalidArgumentError, "not defined");
  EXPECT_ERROR(Metric(Mean()).update_state(p, p), InvalidArgumentError, "takes values");
  EXPECT_ERROR(Metric().result(), FailedPreconditionError, "no metric is set");
  EXPECT_ERROR(Metric(Loss()), InvalidArgumentError, "is not set");
}
