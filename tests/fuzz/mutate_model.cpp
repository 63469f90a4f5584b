#include "tests/fuzz/mutate_model.h"

#include <onnx/onnx_pb.h>

#include <array>
#include <random>
#include <vector>

namespace layersim::tests {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  void mutate(Message& root) {
    collect(root);
    const std::size_t changes = 1 + below(4);
    for (std::size_t i = 0; i < changes; ++i) {
      messages_.clear();
      collect(root);
      change(*messages_[below(messages_.size())]);
    }
  }

 private:
  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

  void collect(Message& message) {
    messages_.push_back(&message);
    std::vector<const FieldDescriptor*> fields;
    const auto* reflection = message.GetReflection();
    reflection->ListFields(message, &fields);
    for (const auto* field : fields) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
        strings_.push_back(field->is_repeated() ? reflection->GetRepeatedString(message, field, 0)
                                                : reflection->GetString(message, field));
      }
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
      if (!field->is_repeated()) {
        collect(*reflection->MutableMessage(&message, field));
        continue;
      }
      for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
        collect(*reflection->MutableRepeatedMessage(&message, field, i));
      }
    }
  }

  std::int64_t number() {
    constexpr std::array<std::int64_t, 16> kTelling{0,  1,  2,  3,   4,   5,    7,         8,
                                                    -1, -2, 64, 100, 255, 4096, 1LL << 31, 1LL << 62};
    return below(8) == 0 ? static_cast<std::int64_t>(random_()) : kTelling.at(below(kTelling.size()));
  }

  std::string text() {
    constexpr std::array<const char*, 40> kOps{"Conv",
                                               "Relu",
                                               "MatMul",
                                               "Gemm",
                                               "Reshape",
                                               "Shape",
                                               "Gather",
                                               "Concat",
                                               "Slice",
                                               "Unsqueeze",
                                               "Squeeze",
                                               "Transpose",
                                               "Split",
                                               "Loop",
                                               "If",
                                               "Scan",
                                               "SequenceMap",
                                               "Constant",
                                               "ConstantOfShape",
                                               "Range",
                                               "Expand",
                                               "Tile",
                                               "Pad",
                                               "Resize",
                                               "LSTM",
                                               "GRU",
                                               "BatchNormalization",
                                               "Attention",
                                               "Where",
                                               "Cast",
                                               "MaxPool",
                                               "ReduceMean",
                                               "Einsum",
                                               "Flatten",
                                               "TopK",
                                               "NonZero",
                                               "Softmax",
                                               "QLinearConv",
                                               "SequenceAt",
                                               "F"};
    if (!strings_.empty() && below(4) != 0) return strings_[below(strings_.size())];
    return kOps.at(below(kOps.size()));
  }

  void change(Message& message) {
    const auto* descriptor = message.GetDescriptor();
    const auto* field =
        descriptor->field(static_cast<int>(below(static_cast<std::size_t>(descriptor->field_count()))));
    const auto* reflection = message.GetReflection();
    if (below(10) == 0) return reflection->ClearField(&message, field);
    if (field->is_repeated()) {
      const int size = reflection->FieldSize(message, field);
      if (size > 0 && below(4) == 0) return reflection->RemoveLast(&message, field);
      if (size > 1 && below(4) == 0) {
        return reflection->SwapElements(&message, field,
                                        static_cast<int>(below(static_cast<std::size_t>(size))),
                                        static_cast<int>(below(static_cast<std::size_t>(size))));
      }
      return add(message, field);
    }
    set(message, field);
  }

  void set(Message& message, const FieldDescriptor* field) {
    const auto* reflection = message.GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection->SetInt32(&message, field, static_cast<std::int32_t>(number()));
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection->SetInt64(&message, field, number());
      case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection->SetFloat(&message, field, static_cast<float>(number()));
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection->SetEnumValue(
            &message, field,
            field->enum_type()
                ->value(static_cast<int>(below(static_cast<std::size_t>(field->enum_type()->value_count()))))
                ->number());
      case FieldDescriptor::CPPTYPE_STRING:
        return reflection->SetString(&message, field, text());
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return static_cast<void>(reflection->MutableMessage(&message, field));
      default:
        return;
    }
  }

  void add(Message& message, const FieldDescriptor* field) {
    const auto* reflection = message.GetReflection();
    const int size = reflection->FieldSize(message, field);
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection->AddInt32(&message, field, static_cast<std::int32_t>(number()));
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection->AddInt64(&message, field, number());
      case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection->AddFloat(&message, field, static_cast<float>(number()));
      case FieldDescriptor::CPPTYPE_STRING:
        if (size > 0 && below(2) == 0) {
          return reflection->SetRepeatedString(
              &message, field, static_cast<int>(below(static_cast<std::size_t>(size))), text());
        }
        return reflection->AddString(&message, field, text());
      case FieldDescriptor::CPPTYPE_MESSAGE: {
        Message* added = reflection->AddMessage(&message, field);
        if (size > 0) {
          added->CopyFrom(reflection->GetRepeatedMessage(
              message, field, static_cast<int>(below(static_cast<std::size_t>(size)))));
        }
        return;
      }
      default:
        return;
    }
  }

  std::minstd_rand random_;
  std::vector<Message*> messages_;
  std::vector<std::string> strings_;
};

}  // namespace

std::string mutate_model(std::string_view bytes, unsigned seed) {
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return "";
  Mutator(seed).mutate(model);
  return model.SerializeAsString();
}

}  // namespace layersim::tests
