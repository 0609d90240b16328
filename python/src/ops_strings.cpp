#include "python/src/module.h"
#include "python/src/ops.h"

// tf.strings.
namespace alula::python {

void bind_ops_strings(nb::module_& m) {
  nb::module_ s = m.def_submodule("strings", "tf.strings");
  const auto of_case = [&](const char* name, Tensor (*f)(const Tensor&), const std::string& doc) {
    s.def(
        name,
        [f, name](Like input, const std::string& encoding, nb::handle) {
          require(encoding.empty(),
                  "strings.{}: only ASCII letters change: encoding must be \"\". "
                  "Got {}.",
                  name, encoding);
          return wrap(f(input.tensor()));
        },
        "input"_a, "encoding"_a = "", name_argument(), doc.c_str());
  };
  of_case("lower", strings::lower,
          described("The letters A to Z as a to z.\n\n>>> tf.strings.lower([\"Hello\"]).numpy()\n"
                    "array([b'hello'], dtype=object)",
                    "string_lower"));
  of_case("upper", strings::upper, described("The letters a to z as A to Z.", "string_upper"));
  def_of_one(s, "strip", "input", strings::strip,
             described("Without the white space before and behind.", "string_strip"));
  s.def(
      "length",
      [](Like input, const std::string& unit, nb::handle) {
        return wrap(strings::length(input.tensor(), {.unit = std::string_view(unit)}));
      },
      "input"_a, "unit"_a = "BYTE", name_argument(),
      described("How long texts are, in bytes or (\"UTF8_CHAR\") in characters.\n\n"
                ">>> tf.strings.length([\"abc\", \"\"]).numpy()\narray([3, 0], dtype=int32)",
                "string_length")
          .c_str());
  s.def(
      "substr",
      [](Like input, Like pos, Like len, const std::string& unit, nb::handle) {
        const Pair range(pos, len);
        return wrap(
            strings::substr(input.tensor(), range.a, range.b, {.unit = std::string_view(unit)}));
      },
      "input"_a, "pos"_a, "len"_a, "unit"_a = "BYTE", name_argument(),
      described("From each text, `len` characters from `pos` on.\n\n"
                ">>> tf.strings.substr([\"hello\"], 1, 3).numpy()\narray([b'ell'], dtype=object)",
                "substr")
          .c_str());
  s.def(
      "split",
      [](Like input, nb::handle sep, int64_t maxsplit, nb::handle) {
        const std::string by = sep.is_none() ? "" : to_text(sep, "sep");
        return wrap(strings::split(input.tensor(), by, {.maxsplit = maxsplit}));
      },
      "input"_a, "sep"_a = nb::none(), "maxsplit"_a = -1, name_argument(),
      described("The pieces between the separators, along a new last axis; where some texts have "
                "fewer, empty strings fill it (TensorFlow's ragged tensor after to_tensor()).\n\n"
                ">>> tf.strings.split(\"a b  c\").numpy()\n"
                "array([b'a', b'b', b'c'], dtype=object)",
                "string_split")
          .c_str());
  s.def(
      "join",
      [](TensorsLike inputs, nb::handle separator, nb::handle) {
        return wrap(strings::join(inputs.get(), to_text(separator, "separator")));
      },
      "inputs"_a, "separator"_a = "", name_argument(),
      described("The texts of all inputs one behind the other.\n\n"
                ">>> tf.strings.join([[\"a\", \"b\"], \"x\"], \"-\").numpy()\n"
                "array([b'a-x', b'b-x'], dtype=object)",
                "string_join")
          .c_str());
  s.def(
      "regex_replace",
      [](Like input, nb::handle pattern, nb::handle rewrite, bool replace_global, nb::handle) {
        return wrap(strings::regex_replace(input.tensor(), to_text(pattern, "pattern"),
                                           to_text(rewrite, "rewrite"),
                                           {.replace_global = replace_global}));
      },
      "input"_a, "pattern"_a, "rewrite"_a, "replace_global"_a = true, name_argument(),
      described("What matches a pattern, replaced; \\1 is what the first parentheses matched.\n\n"
                ">>> tf.strings.regex_replace(\"hello\", \"l+\", \"L\").numpy()\nb'heLo'",
                "regex_replace")
          .c_str());
  s.def(
      "regex_full_match",
      [](Like input, nb::handle pattern, nb::handle) {
        return wrap(strings::regex_full_match(input.tensor(), to_text(pattern, "pattern")));
      },
      "input"_a, "pattern"_a, name_argument(),
      described("Whether a pattern matches all of a text.", "regex_full_match").c_str());
  s.def(
      "to_number",
      [](Like input, DTypeLike out_type, nb::handle) {
        return wrap(strings::to_number(input.tensor(), out_type.value_or(float32)));
      },
      "input"_a, "out_type"_a = wrap(float32), name_argument(),
      described("The numbers that texts show.\n\n>>> tf.strings.to_number([\"1.5\", \"-2\"])"
                ".numpy()\narray([ 1.5, -2. ], dtype=float32)",
                "string_to_number")
          .c_str());
  s.def(
      "as_string",
      [](Like input, int precision, bool scientific, bool shortest, int width,
         const std::string& fill, nb::handle) {
        return wrap(strings::as_string(input.tensor(), {.precision = precision,
                                                        .scientific = scientific,
                                                        .shortest = shortest,
                                                        .width = width,
                                                        .fill = fill}));
      },
      "input"_a, "precision"_a = -1, "scientific"_a = false, "shortest"_a = false, "width"_a = -1,
      "fill"_a = "", name_argument(),
      described("Numbers as text.\n\n>>> tf.strings.as_string([3.14159], precision=2).numpy()\n"
                "array([b'3.14'], dtype=object)",
                "as_string")
          .c_str());
}

}  // namespace alula::python
