#include "sim/import/torchscript/reader/archive.h"

#include <torch/csrc/jit/serialization/unpickler.h>

#include <algorithm>
#include <cstring>

#include "sim/core/error.h"
#include "sim/import/torchscript/reader/check_code.h"

namespace layersim {
namespace {

using namespace torch::jit;

// Where the bytes of a tensor lie, in place of the bytes.
at::DataPtr unread_bytes(const std::string& record) {
  const auto forget = [](void* context) { delete static_cast<std::string*>(context); };
  return {nullptr, new std::string(record), forget, at::Device(at::kCPU)};  // NOLINT: as DataPtr has it
}

// An object gets its attributes as they were stored. Classes that want to run their own code for that were
// refused with their source.
c10::intrusive_ptr<c10::ivalue::Object> load_object(const at::StrongTypePtr& type, const c10::IValue& state) {
  const auto cls = type.type_->cast<at::ClassType>();
  if (cls == nullptr || !state.isGenericDict()) {
    throw bad_input("holds an object (" + type.type_->repr_str() +
                    ") that is no module; quantized modules "
                    "are such: export the network to ONNX");
  }
  const auto attributes = state.toGenericDict();
  const std::size_t count = cls->numAttributes();
  auto object = c10::ivalue::Object::create(type, count);
  for (std::size_t i = 0; i < count; ++i) object->setSlot(i, attributes.at(cls->getAttributeName(i)));
  return object;
}

template <typename Number>
std::int64_t int_at(const char* bytes, std::int64_t index) {
  Number number;
  std::memcpy(&number, bytes + index * static_cast<std::int64_t>(sizeof number), sizeof number);
  return static_cast<std::int64_t>(number);
}

// Appends the element at `index` of the storage; false for a type that decides no shapes.
bool append(Constant& constant, at::ScalarType type, const char* bytes, std::int64_t index) {
  switch (type) {
    case at::kLong:
      constant.ints.push_back(int_at<std::int64_t>(bytes, index));
      return true;
    case at::kInt:
      constant.ints.push_back(int_at<std::int32_t>(bytes, index));
      return true;
    case at::kShort:
      constant.ints.push_back(int_at<std::int16_t>(bytes, index));
      return true;
    case at::kChar:
      constant.ints.push_back(int_at<std::int8_t>(bytes, index));
      return true;
    case at::kByte:
      constant.ints.push_back(int_at<std::uint8_t>(bytes, index));
      return true;
    case at::kBool:
      constant.ints.push_back(int_at<std::uint8_t>(bytes, index) != 0 ? 1 : 0);
      return true;
    case at::kFloat: {
      float real = 0;
      std::memcpy(&real, bytes + index * 4, sizeof real);
      constant.reals.push_back(real);
      return true;
    }
    case at::kDouble: {
      double real = 0;
      std::memcpy(&real, bytes + index * 8, sizeof real);
      constant.reals.push_back(real);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

TorchArchive::TorchArchive(const std::string& file)
    : reader_(file),
      sources_(
          unit_, &constants_, [this](const std::string& qualifier) { return find_source(qualifier); },
          reader_.version()) {}

std::shared_ptr<Source> TorchArchive::find_source(const std::string& qualifier) {
  std::string path = qualifier;
  std::replace(path.begin(), path.end(), '.', '/');
  path = "code/" + path + ".py";
  if (!reader_.hasRecord(path)) return nullptr;
  const auto [data, size] = reader_.getRecord(path);
  auto source = std::make_shared<Source>(std::string(static_cast<const char*>(data.get()), size), path, 1);
  with_context(path, [&] { check_code(source); });
  return source;
}

c10::IValue TorchArchive::unpickle(const std::string& name) {
  const auto [data, size] = reader_.getRecord(name + ".pkl");
  const char* const bytes = static_cast<const char*>(data.get());
  std::size_t position = 0;
  const auto read = [&, end = size](char* to, std::size_t length) {
    length = std::min(length, end - position);
    std::memcpy(to, bytes + position, length);
    position += length;
    return length;
  };
  const auto resolve = [this](const c10::QualifiedName& type) {
    return c10::StrongTypePtr(unit_, sources_.loadType(type));
  };
  Unpickler unpickler(read, resolve, load_object,
                      [&name](const std::string& record) {
                        std::string path = name;
                        return unread_bytes(path.append("/").append(record));
                      },
                      {});
  unpickler.set_version(reader_.version());
  return unpickler.parse_ivalue();
}

Module TorchArchive::module() {
  if (!reader_.hasRecord("data.pkl") || !reader_.hasRecord("constants.pkl")) {
    throw bad_input(reader_.hasRecord("data.pkl") || reader_.hasRecord("model.json")
                        ? "holds no TorchScript code (torch.save writes weights alone): save it by torch.jit"
                        : "is a zip archive, but not of TorchScript");
  }
  const c10::IValue constants = unpickle("constants");
  if (!constants.isTuple()) throw bad_input("its constants are no tuple");
  for (const c10::IValue& constant : constants.toTupleRef().elements()) constants_.push_back(constant);
  const c10::IValue data = unpickle("data");
  if (!data.isObject() || !data.type()->is_module()) {
    throw bad_input("holds no TorchScript module (torch.save writes weights alone): save it by torch.jit");
  }
  return Module(data.toObject());
}

std::shared_ptr<const Constant> TorchArchive::contents(const at::Tensor& tensor) {
  if (!tensor.has_storage() || tensor.numel() > kMaxConstantElements || tensor.numel() < 1) return nullptr;
  const auto* record = static_cast<const std::string*>(tensor.storage().data_ptr().get_context());
  if (record == nullptr || !reader_.hasRecord(*record)) return nullptr;
  std::int64_t last = tensor.storage_offset();
  for (std::int64_t axis = 0; axis < tensor.dim(); ++axis) {
    // Sizes and strides come from the file.
    if (tensor.stride(axis) < 0 || tensor.stride(axis) > kMaxElements) return nullptr;
    last += (tensor.size(axis) - 1) * tensor.stride(axis);
  }
  const auto [data, size] = reader_.getRecord(*record);
  const auto elements = static_cast<std::int64_t>(size / tensor.element_size());
  if (tensor.storage_offset() < 0 || last >= elements) return nullptr;
  Constant constant;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    std::int64_t offset = tensor.storage_offset();
    std::int64_t rest = i;
    for (std::int64_t axis = tensor.dim() - 1; axis >= 0; --axis) {
      offset += rest % tensor.size(axis) * tensor.stride(axis);
      rest /= tensor.size(axis);
    }
    if (!append(constant, tensor.scalar_type(), static_cast<const char*>(data.get()), offset)) return nullptr;
  }
  return std::make_shared<const Constant>(std::move(constant));
}

}  // namespace layersim
