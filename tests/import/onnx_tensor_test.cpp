#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "sim/import/raw_elements.h"
#include "tests/import/imported.h"

using namespace layersim;
using namespace layersim::tests;
using Catch::Contains;

namespace {

template <typename T>
std::string raw_of(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
  return bytes;
}

Value import_weight(const onnx::TensorProto& tensor) {
  onnx::ModelProto model = new_model();
  *model.mutable_graph()->add_initializer() = tensor;
  return value_of(import_model(model), tensor.name());
}

onnx::TensorProto tensor(int type, const Dims& dims, const std::string& raw = "") {
  onnx::TensorProto proto;
  proto.set_name("t");
  proto.set_data_type(type);
  for (const auto size : dims) proto.add_dims(size);
  if (!raw.empty()) proto.set_raw_data(raw);
  return proto;
}

}  // namespace

TEST_CASE("small integer tensors keep their contents, raw or typed") {
  const std::vector<std::int64_t> expected{3, -1};
  CHECK(import_weight(tensor(onnx::TensorProto::INT64, {2}, raw_of<std::int64_t>({3, -1})))
            .tensor.constant->ints == expected);
  CHECK(import_weight(tensor(onnx::TensorProto::INT32, {2}, raw_of<std::int32_t>({3, -1})))
            .tensor.constant->ints == expected);
  CHECK(import_weight(tensor(onnx::TensorProto::INT8, {2}, raw_of<std::int8_t>({3, -1})))
            .tensor.constant->ints == expected);
  onnx::TensorProto typed = tensor(onnx::TensorProto::INT64, {2});
  typed.add_int64_data(3);
  typed.add_int64_data(-1);
  CHECK(import_weight(typed).tensor.constant->ints == expected);
  onnx::TensorProto int32 = tensor(onnx::TensorProto::INT16, {2});
  int32.add_int32_data(3);
  int32.add_int32_data(-1);
  CHECK(import_weight(int32).tensor.constant->ints == expected);
  CHECK(import_weight(tensor(onnx::TensorProto::BOOL, {2}, std::string("\0\1", 2))).tensor.constant->ints ==
        std::vector<std::int64_t>{0, 1});
}

TEST_CASE("the lowest 64-bit integer is a number, not the mark of an unknown one") {
  const auto lowest = std::numeric_limits<std::int64_t>::min();
  const Value value = import_weight(tensor(onnx::TensorProto::INT64, {1}, raw_of<std::int64_t>({lowest})));
  CHECK(value.tensor.constant->ints == std::vector<std::int64_t>{lowest + 1});
  onnx::TensorProto large = tensor(onnx::TensorProto::UINT64, {1});
  large.add_uint64_data(~std::uint64_t{0});
  CHECK(import_weight(large).tensor.constant->ints ==
        std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max()});
}

TEST_CASE("small floats keep their contents in every width") {
  CHECK(import_weight(tensor(onnx::TensorProto::FLOAT, {}, raw_of<float>({0.5F}))).tensor.constant->reals ==
        std::vector<double>{0.5});
  CHECK(
      import_weight(tensor(onnx::TensorProto::DOUBLE, {1}, raw_of<double>({1e-5}))).tensor.constant->reals ==
      std::vector<double>{1e-5});
  const auto half = import_weight(
      tensor(onnx::TensorProto::FLOAT16, {4}, raw_of<std::uint16_t>({0x3c00, 0xc000, 1, 0x7c00})));
  CHECK(half.tensor.constant->reals == std::vector<double>{1.0, -2.0, 0x1p-24, HUGE_VAL});
  onnx::TensorProto brain = tensor(onnx::TensorProto::BFLOAT16, {1});
  brain.add_int32_data(0x3f80);
  CHECK(import_weight(brain).tensor.constant->reals == std::vector<double>{1.0});
}

TEST_CASE("data types newer than the protobuf classes are known") {
  constexpr int kFloat8 = 17;
  constexpr int kUint4 = 21;
  constexpr int kInt4 = 22;
  constexpr int kFloat4 = 23;
  CHECK(import_weight(tensor(kFloat8, {2, 2}, "abcd")).tensor.dtype == DType::f8e4m3);
  CHECK(import_weight(tensor(kFloat4, {2, 2}, "ab")).tensor.dtype == DType::f4);
  const Value packed = import_weight(tensor(kInt4, {3}, std::string("\xf1\x07", 2)));
  CHECK(packed.tensor.dtype == DType::i4);
  CHECK(packed.tensor.constant->ints == std::vector<std::int64_t>{1, -1, 7});
  onnx::TensorProto typed = tensor(kUint4, {3});
  typed.add_int32_data(0xf1);
  typed.add_int32_data(0x07);
  CHECK(import_weight(typed).tensor.constant->ints == std::vector<std::int64_t>{1, 15, 7});

  onnx::ModelProto model = new_model();
  *model.mutable_graph()->add_initializer() = tensor(99, {2});
  Warnings warnings;
  CHECK(value_of(import_model(model, warnings), "t").tensor.dtype == DType::unknown);
  CHECK(warnings.all().size() == 1);
}

TEST_CASE("raw elements read back as they were written") {
  const Constant reals{{}, {0.0, 1.0, -2.5, 0x1p-24, 65504.0, 1e-7}};
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    const Constant once = from_raw(to_raw(reals, dtype), dtype, reals.reals.size());
    CHECK(from_raw(to_raw(once, dtype), dtype, reals.reals.size()).reals == once.reals);
    CHECK(once.reals[2] == -2.5);
  }
  const Constant ints{{-8, 7, -1}, {}};
  for (const DType dtype : {DType::i64, DType::i32, DType::i16, DType::i8, DType::i4}) {
    CHECK(from_raw(to_raw(ints, dtype), dtype, 3).ints == ints.ints);
  }
  CHECK(to_raw(Constant{{}, {65519.0, 65520.0}}, DType::f16) == std::string("\xff\x7b\x00\x7c", 4));
}

TEST_CASE("contents of large tensors are left out wherever they stand") {
  const std::string payload(std::size_t{4} * 100000, 'w');
  onnx::ModelProto model = new_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_weight(graph, "raw", {100000}).set_raw_data(payload);
  auto& typed = add_weight(graph, "typed", {100000});
  for (int i = 0; i < 100000; ++i) typed.add_float_data(1);
  auto& integers = add_weight(graph, "integers", {100000}, onnx::TensorProto::INT64);
  for (int i = 0; i < 100000; ++i) integers.add_int64_data(i);
  auto& sparse = *graph.add_sparse_initializer();
  sparse.mutable_values()->set_name("sparse");
  sparse.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
  sparse.mutable_values()->add_dims(100000);
  sparse.mutable_values()->set_raw_data(payload);
  sparse.add_dims(1000);
  sparse.add_dims(1000);
  auto& constant = add_node(graph, "Constant", {}, {"constant"});
  auto& value = *add_attribute(constant, "value", onnx::AttributeProto::TENSOR).mutable_t();
  value = tensor(onnx::TensorProto::FLOAT, {100000}, payload);
  onnx::FunctionProto& function = *model.add_functions();
  function.set_name("F");
  function.set_domain("local");
  function.add_output("o");
  *add_node(function, "Constant", {}, {"o"}).add_attribute() = constant.attribute(0);
  add_node(graph, "F", {}, {"from_function"}, "local");
  *model.add_training_info()->mutable_algorithm() = graph;

  const Graph imported = import_model(model);
  for (const char* name : {"raw", "typed", "integers", "constant", "from_function"}) {
    const Value& found = value_of(imported, name);
    CHECK(found.tensor.shape == Shape{100000});
    CHECK(found.tensor.constant == nullptr);
  }
  CHECK(value_of(imported, "sparse").tensor.shape == Shape{1000, 1000});
  CHECK(imported.nodes.empty());
}

TEST_CASE("missing contents are normal, contradicting ones are not") {
  CHECK(import_weight(tensor(onnx::TensorProto::INT64, {2})).tensor.constant == nullptr);
  onnx::TensorProto external = tensor(onnx::TensorProto::FLOAT, {1 << 15, 1 << 15});
  external.set_data_location(onnx::TensorProto::EXTERNAL);
  auto& entry = *external.add_external_data();
  entry.set_key("location");
  entry.set_value("gone.bin");
  CHECK(import_weight(external).tensor.shape == Shape{1 << 15, 1 << 15});

  onnx::ModelProto model = new_model();
  *model.mutable_graph()->add_initializer() =
      tensor(onnx::TensorProto::INT64, {2}, raw_of<std::int64_t>({1}));
  CHECK_THAT(import_error(model), Contains("tensor 't'") && Contains("8 bytes") && Contains("16"));
  *model.mutable_graph()->mutable_initializer(0) = tensor(onnx::TensorProto::INT64, {2});
  model.mutable_graph()->mutable_initializer(0)->add_int64_data(1);
  CHECK_THAT(import_error(model), Contains("tensor 't'") && Contains("1 elements"));
}

TEST_CASE("small integers in a file beside the network are read, if it lies inside the folder") {
  const auto folder =
      std::filesystem::temp_directory_path() / ("layersim_external_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "net");
  std::ofstream(folder / "net" / "data.bin", std::ios::binary) << raw_of<std::int64_t>({0, 5, 6});
  std::ofstream(folder / "outside.bin", std::ios::binary) << raw_of<std::int64_t>({0, 5, 6});
  const auto import_from = [&](const std::string& location, const char* offset) {
    onnx::ModelProto model = new_model();
    onnx::TensorProto& proto = *model.mutable_graph()->add_initializer();
    proto = tensor(onnx::TensorProto::INT64, {2});
    proto.set_data_location(onnx::TensorProto::EXTERNAL);
    for (const auto& [key, value] :
         {std::pair<std::string, std::string>{"location", location}, {"offset", offset}}) {
      proto.add_external_data()->set_key(key);
      proto.mutable_external_data(proto.external_data_size() - 1)->set_value(value);
    }
    std::ofstream(folder / "net" / "net.onnx", std::ios::binary) << model.SerializeAsString();
    Warnings warnings;
    return import_network(folder / "net" / "net.onnx", warnings).values.front().tensor.constant;
  };
  REQUIRE(import_from("data.bin", "8") != nullptr);
  CHECK(import_from("data.bin", "8")->ints == std::vector<std::int64_t>{5, 6});
  CHECK(import_from("data.bin", "16") == nullptr);
  CHECK(import_from("gone.bin", "0") == nullptr);
  CHECK(import_from("../outside.bin", "0") == nullptr);
  CHECK(import_from((folder / "outside.bin").string(), "0") == nullptr);
  std::filesystem::remove_all(folder);
}
