#include "tests/fuzz/mutate_model.h"

#include <onnx/onnx_pb.h>

#include <array>
#include <random>
#include <string_view>
#include <vector>

#include "layers/layer_kind.h"

namespace layersim::tests {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

struct OperatorName {
  std::string_view op;
  std::string_view domain;
};

// Operators that have a shape rule alone, or that the importer treats itself.
constexpr std::array<std::string_view, 62> kOtherOperators{"Reshape",
                                                           "Shape",
                                                           "Size",
                                                           "Squeeze",
                                                           "Unsqueeze",
                                                           "Flatten",
                                                           "Identity",
                                                           "Constant",
                                                           "Loop",
                                                           "If",
                                                           "Scan",
                                                           "SequenceMap",
                                                           "SequenceAt",
                                                           "SequenceInsert",
                                                           "SequenceErase",
                                                           "SequenceEmpty",
                                                           "SequenceLength",
                                                           "SequenceConstruct",
                                                           "SplitToSequence",
                                                           "Optional",
                                                           "OptionalGetElement",
                                                           "OptionalHasElement",
                                                           "NonZero",
                                                           "Unique",
                                                           "Multinomial",
                                                           "DFT",
                                                           "STFT",
                                                           "HannWindow",
                                                           "MelWeightMatrix",
                                                           "NonMaxSuppression",
                                                           "AffineGrid",
                                                           "Det",
                                                           "BitCast",
                                                           "F",
                                                           "G",
                                                           "Concat",
                                                           "Gather",
                                                           "Slice",
                                                           "Split",
                                                           "Tile",
                                                           "Pad",
                                                           "Expand",
                                                           "Transpose",
                                                           "Where",
                                                           "Cast",
                                                           "Range",
                                                           "ConstantOfShape",
                                                           "Add",
                                                           "Mul",
                                                           "Sub",
                                                           "Div",
                                                           "Mod",
                                                           "Pow",
                                                           "Min",
                                                           "Max",
                                                           "Equal",
                                                           "ReduceProd",
                                                           "ReduceSum",
                                                           "CumSum",
                                                           "TopK",
                                                           "ScatterND",
                                                           "ScatterElements"};

// What rules ask for, so that a new attribute means something.
constexpr std::array<std::string_view, 48> kAttributes{"axis",
                                                       "axes",
                                                       "perm",
                                                       "pads",
                                                       "strides",
                                                       "dilations",
                                                       "kernel_shape",
                                                       "group",
                                                       "groups",
                                                       "num_groups",
                                                       "num_heads",
                                                       "q_num_heads",
                                                       "kv_num_heads",
                                                       "qkv_hidden_sizes",
                                                       "keepdims",
                                                       "to",
                                                       "equation",
                                                       "hidden_size",
                                                       "direction",
                                                       "layout",
                                                       "blocksize",
                                                       "K",
                                                       "N",
                                                       "bits",
                                                       "auto_pad",
                                                       "ceil_mode",
                                                       "output_padding",
                                                       "output_shape",
                                                       "num_outputs",
                                                       "split",
                                                       "starts",
                                                       "ends",
                                                       "allowzero",
                                                       "batch_dims",
                                                       "mode",
                                                       "scales",
                                                       "output_height",
                                                       "output_width",
                                                       "sampling_ratio",
                                                       "channels_last",
                                                       "channels",
                                                       "transA",
                                                       "transB",
                                                       "transBatchA",
                                                       "start",
                                                       "end",
                                                       "new_axis",
                                                       "k"};

const std::vector<OperatorName>& operators() {
  static const std::vector<OperatorName> kAll = [] {
    std::vector<OperatorName> names;
    for (const LayerKind* kind : layer_kinds()) {
      for (const OperatorRule& rule : kind->operators) names.push_back({rule.op, rule.domain});
    }
    for (const std::string_view op : kOtherOperators) names.push_back({op, ""});
    return names;
  }();
  return kAll;
}

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
    if (!strings_.empty() && below(4) != 0) return strings_[below(strings_.size())];
    return std::string(kAttributes.at(below(kAttributes.size())));
  }

  void change(Message& message) {
    if (auto* node = dynamic_cast<onnx::NodeProto*>(&message); node != nullptr && below(3) == 0) {
      const OperatorName& chosen = operators().at(below(operators().size()));
      node->set_op_type(std::string(chosen.op));
      node->set_domain(std::string(chosen.domain));
      return;
    }
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
