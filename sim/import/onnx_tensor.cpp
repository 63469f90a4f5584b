#include "sim/import/onnx_tensor.h"

#include <charconv>

#include "sim/core/error.h"
#include "sim/graph/onnx_dtype.h"
#include "sim/import/onnx_wire.h"
#include "sim/import/raw_elements.h"

namespace layersim {
namespace {

bool has_typed_data(const onnx::TensorProto& proto) {
  return proto.float_data_size() + proto.int32_data_size() + proto.int64_data_size() +
             proto.double_data_size() + proto.uint64_data_size() >
         0;
}

// Typed fields hold one number an element, but two 4-bit elements.
std::size_t typed_count(DType dtype, const onnx::TensorProto& proto) {
  const int count = dtype == DType::f32                          ? proto.float_data_size()
                    : dtype == DType::f64                        ? proto.double_data_size()
                    : dtype == DType::i64                        ? proto.int64_data_size()
                    : dtype == DType::u64 || dtype == DType::u32 ? proto.uint64_data_size()
                                                                 : proto.int32_data_size();
  return static_cast<std::size_t>(count) * (bits(dtype) == 4 ? 2 : 1);
}

std::int64_t typed_integer(DType dtype, const onnx::TensorProto& proto, int index) {
  switch (dtype) {
    case DType::i64:
      return to_element(std::int64_t{proto.int64_data(index)});
    case DType::u64:
    case DType::u32:
      return to_element(std::uint64_t{proto.uint64_data(index)});
    case DType::i4:
    case DType::u4: {
      const auto pair = static_cast<char>(proto.int32_data(index / 2));
      return from_raw({&pair, 1}, dtype, 2).ints[static_cast<std::size_t>(index % 2)];
    }
    default:
      return proto.int32_data(index);
  }
}

double typed_real(DType dtype, const onnx::TensorProto& proto, int index) {
  switch (dtype) {
    case DType::f32:
      return static_cast<double>(proto.float_data(index));
    case DType::f64:
      return proto.double_data(index);
    case DType::f16:
      return decode_f16(static_cast<std::uint16_t>(proto.int32_data(index)));
    default:
      return decode_bf16(static_cast<std::uint16_t>(proto.int32_data(index)));
  }
}

std::optional<std::string> read_external(const onnx::TensorProto& proto, std::size_t bytes,
                                         ExternalData& external) {
  std::string location;
  std::int64_t offset = 0;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") {
      std::from_chars(entry.value().data(), entry.value().data() + entry.value().size(), offset);
    }
  }
  return external.read(location, offset, bytes);
}

std::shared_ptr<const Constant> read_contents(const onnx::TensorProto& proto, DType dtype, std::size_t count,
                                              ExternalData& external) {
  const std::size_t raw_bytes = (count * static_cast<std::size_t>(bits(dtype)) + 7) / 8;
  std::optional<std::string> raw;
  if (proto.data_location() == onnx::TensorProto::EXTERNAL) {
    if (is_float(dtype)) return nullptr;
    raw = read_external(proto, raw_bytes, external);
    if (!raw) return nullptr;
  } else if (proto.has_raw_data()) {
    raw = proto.raw_data();
    if (raw->empty() && count > 0) return nullptr;  // stripped
    if (raw->size() != raw_bytes) {
      throw bad_input(std::to_string(raw->size()) + " bytes of data, but its shape asks for " +
                      std::to_string(raw_bytes));
    }
  } else if (!has_typed_data(proto) && count > 0) {
    return nullptr;  // stripped
  } else if (const std::size_t typed = typed_count(dtype, proto);
             typed != count + (bits(dtype) == 4 ? count % 2 : 0)) {
    throw bad_input(std::to_string(typed) + " elements of data, but its shape asks for " +
                    std::to_string(count));
  }
  if (raw) return std::make_shared<const Constant>(from_raw(*raw, dtype, count));
  auto constant = std::make_shared<Constant>();
  for (std::size_t i = 0; i < count; ++i) {
    if (is_float(dtype)) {
      constant->reals.push_back(typed_real(dtype, proto, static_cast<int>(i)));
    } else {
      constant->ints.push_back(typed_integer(dtype, proto, static_cast<int>(i)));
    }
  }
  return constant;
}

template <typename Dims>
Shape read_shape(const Dims& dims) {
  constexpr int kMaxRank = 64;
  if (dims.size() > kMaxRank) throw bad_input("it has more than 64 axes");
  Shape shape(dims.begin(), dims.end());
  for (const std::int64_t size : shape) {
    if (size < 0) throw bad_input("size " + std::to_string(size) + " in its shape");
  }
  static_cast<void>(element_count(shape));
  return shape;
}

}  // namespace

Tensor read_tensor(const onnx::TensorProto& proto, ExternalData& external) {
  return with_context("tensor '" + proto.name() + "'", [&] {
    Tensor tensor;
    tensor.dtype = find_onnx_dtype(proto.data_type());
    tensor.shape = read_shape(proto.dims());
    const std::int64_t count = element_count(*tensor.shape);
    const std::int64_t limit = is_float(tensor.dtype) ? kMaxRealElements : kMaxConstantElements;
    if (has_raw_form(tensor.dtype) && count <= limit) {
      tensor.constant = read_contents(proto, tensor.dtype, static_cast<std::size_t>(count), external);
    }
    return tensor;
  });
}

Tensor read_tensor(const onnx::SparseTensorProto& proto) {
  return with_context("sparse tensor '" + proto.values().name() + "'", [&] {
    return Tensor{find_onnx_dtype(proto.values().data_type()), read_shape(proto.dims()), nullptr};
  });
}

}  // namespace layersim
