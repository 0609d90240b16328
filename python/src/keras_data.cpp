#include "python/src/data.h"
#include "python/src/keras_model.h"

namespace alula::python {

using namespace alula::keras;

namespace {

bool is_list(nb::handle value) { return PyList_Check(value.ptr()) || PyTuple_Check(value.ptr()); }

data::Element batch_element(nb::handle value) {
  if (PyDict_Check(value.ptr())) {
    std::vector<std::pair<std::string, data::Element>> items;
    for (const auto [key, item] : nb::cast<nb::dict>(value))
      items.emplace_back(nb::cast<std::string>(key), batch_element(item));
    return data::Element::named(items);
  }
  if (!is_list(value)) return to_tensor(value);
  std::vector<data::Element> items;
  for (const nb::handle item : value) items.push_back(batch_element(item));
  return data::Element::tuple(items);
}

/// Batches that an iterator of Python gives, or an object that has them by number. The first is
/// looked at for its kind.
class Batches : public std::enable_shared_from_this<Batches> {
 public:
  Batches(nb::handle source, nb::handle model) : source_(source), model_(model) {
    by_number_ = nb::hasattr(source, "__getitem__") && nb::hasattr(source, "__len__");
    iterator_ = by_number_ ? Held() : Held(nb::iter(source));
    const nb::object item = pull();
    if (!item.is_valid()) throw nb::value_error("fit: the generator gave no batch.");
    first_ = Held(item);
    spec_ = element(item).spec();
    for (Spec& spec : spec_.specs)
      for (int i = 0; i < spec.shape.rank(); ++i) spec.shape[i] = kUnknown;
  }

  data::Dataset dataset() {
    return data::Dataset::from_generator(
        [self = shared_from_this()] {
          call_python([&] { self->begin(); });
          return [self](data::Element& element) { return self->next(element); };
        },
        spec_);
  }

 private:
  nb::object pull() {
    if (by_number_) {
      if (position_ >= nb::len(source_.get())) {
        if (nb::hasattr(source_.get(), "on_epoch_end")) source_.get().attr("on_epoch_end")();
        return {};
      }
      return nb::object(source_.get()[position_++]);
    }
    PyObject* item = PyIter_Next(iterator_.get().ptr());
    if (item == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    return nb::steal(item);
  }
  void begin() {
    if (first_) return;
    position_ = 0;
    // A generator goes on where it stopped; what can be walked again begins anew.
    if (!by_number_ && !source_.get().is(iterator_.get()))
      iterator_ = Held(nb::iter(source_.get()));
  }
  bool next(data::Element& result) {
    bool more = false;
    call_python([&] {
      const nb::object item = first_ ? nb::borrow(first_.get()) : pull();
      first_ = Held();
      more = item.is_valid();
      if (more) result = element(item);
    });
    return more;
  }
  data::Element element(nb::handle item) const {
    nb::object ordered = nb::borrow(item);
    auto& layer = *nb::inst_ptr<LayerImpl>(model_);
    if (PyTuple_Check(item.ptr()) && nb::len(item) > 0) {
      nb::list parts;
      for (const nb::handle part : item)
        if (!part.is_none()) parts.append(part);
      parts[0] = ordered_inputs(layer, nb::object(item[0]));
      ordered = nb::tuple(parts);
    } else {
      ordered = ordered_inputs(layer, item);
    }
    return batch_element(ordered);
  }

  Held source_, iterator_, first_;
  nb::handle model_;
  bool by_number_ = false;
  size_t position_ = 0;
  data::ElementSpec spec_;
};

nb::object form_of(const data::Structure& structure) {
  using Kind = data::Structure::Kind;
  if (structure.is_leaf()) return nb::borrow(Py_Ellipsis);
  if (structure.kind == Kind::kTuple) {
    nb::list items;
    for (const data::Structure& item : structure.items) items.append(form_of(item));
    return nb::tuple(items);
  }
  nb::dict items;
  for (size_t i = 0; i < structure.items.size(); ++i)
    items[structure.names[i].c_str()] = form_of(structure.items[i]);
  return items;
}

bool is_dataset(nb::handle x, std::optional<data::Dataset>& dataset) {
  const data::Dataset* held = nullptr;
  if (!nb::try_cast(x, held) || held == nullptr) return false;
  dataset = *held;
  return true;
}

/// Arrays of Python's wide floats are taken as float32, like those that layers get.
void narrow(std::vector<Tensor>& tensors) {
  for (Tensor& tensor : tensors)
    if (tensor.dtype() == float64)
      tensor = without_lock(tensor.size(), [&] { return cast(tensor, float32); });
}

bool is_array_like(nb::handle x) {
  return held_tensor(x) != nullptr || held_variable(x) != nullptr || is_list(x) ||
         PyDict_Check(x.ptr()) || PyObject_CheckBuffer(x.ptr()) != 0 || nb::hasattr(x, "__array__");
}

}  // namespace

ModelData::ModelData(nb::handle model, nb::handle x, nb::handle y, nb::handle sample_weight) {
  auto& layer = *nb::inst_ptr<LayerImpl>(model);
  auto* python = dynamic_cast<PyModel*>(&layer);
  if (!is_dataset(x, dataset) && !is_array_like(x)) {
    if (!nb::hasattr(x, "__next__") && !nb::hasattr(x, "__getitem__") &&
        !nb::hasattr(x, "__iter__"))
      throw nb::value_error(
          fmt::format("fit: x is arrays, tensors, a data set or a generator. Got {}.",
                      nb::repr(x).c_str())
              .c_str());
    dataset = std::make_shared<Batches>(x, model)->dataset();
  }
  if (dataset) {
    if (python != nullptr) {
      const data::Structure& all = dataset->element_spec().structure;
      const bool tuple = all.kind == data::Structure::Kind::kTuple && !all.items.empty();
      python->has_arguments = false;
      python->inputs = Structure::of_form(form_of(tuple ? all.items[0] : all));
      if (tuple && all.items.size() > 1)
        python->targets = Structure::of_form(form_of(all.items[1]));
    }
    return;
  }
  const Structure inputs = Structure::alias(ordered_inputs(layer, x), arrays.x);
  Structure targets;
  if (!y.is_none()) {
    nb::object labels = nb::borrow(y);
    if (PyDict_Check(y.ptr()) && functional_of(layer) != nullptr) {
      nb::list ordered;
      for (const std::string& name : static_cast<ModelImpl&>(layer).output_names())
        ordered.append(nb::object(y[name.c_str()]));
      labels = ordered;
    }
    targets = Structure::alias(labels, arrays.y);
  }
  if (!sample_weight.is_none()) Structure::alias(sample_weight, arrays.sample_weight);
  if (layer.dtype() == float32)
    for (std::vector<Tensor>* tensors : {&arrays.x, &arrays.y, &arrays.sample_weight})
      narrow(*tensors);
  if (python == nullptr) return;
  python->has_arguments = false;
  python->inputs = inputs;
  python->targets = targets;
}

}  // namespace alula::python
