// Which stored tensors are learned. The importer tells weights from constants as far as the file alone does;
// the rest depends on how a tensor is used: the mean and variance of a batch norm are stored but not learned,
// the scales of a quantized tensor, bounds, paddings and initial states are neither.

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/decompose/lower.h"

namespace layersim {
namespace {

enum class Role : unsigned char { unused, aside, statistic, learned };

struct InputRole {
  std::string_view op;
  std::size_t first;  // inputs [first, last]
  std::size_t last;
  Role role;
};
constexpr std::size_t kRest = 1000;
constexpr std::array kInputRoles{
    InputRole{"BatchNormalization", 3, 4, Role::statistic},
    InputRole{"MatMulNBits", 2, 4,
              Role::statistic},  // scales, zero points, group indices: bytes, but not learned
    InputRole{"MatMulBnb4", 2, 2, Role::statistic},
    InputRole{"GatherBlockQuantized", 2, 3, Role::statistic},
    InputRole{"QuantizeLinear", 1, kRest, Role::aside},
    InputRole{"DequantizeLinear", 1, kRest, Role::aside},
    InputRole{"QLinearConv", 1, 2, Role::aside},
    InputRole{"QLinearConv", 4, 7, Role::aside},
    InputRole{"ConvInteger", 2, 3, Role::aside},
    InputRole{"MatMulInteger", 2, 3, Role::aside},
    InputRole{"MatMulIntegerToFloat", 2, 5, Role::aside},
    InputRole{"DynamicQuantizeMatMul", 2, 3, Role::aside},
    InputRole{"QLinearMatMul", 1, 2, Role::aside},
    InputRole{"QLinearMatMul", 4, 7, Role::aside},
    InputRole{"QGemm", 1, 2, Role::aside},
    InputRole{"QGemm", 4, 5, Role::aside},
    InputRole{"QGemm", 7, 8, Role::aside},
    InputRole{"QAttention", 3, kRest, Role::aside},
    InputRole{"DynamicQuantizeLSTM", 4, 6, Role::aside},
    InputRole{"DynamicQuantizeLSTM", 8, 11, Role::aside},
    InputRole{"RNN", 4, 5, Role::aside},  // lengths, initial state
    InputRole{"GRU", 4, 5, Role::aside},
    InputRole{"LSTM", 4, 6, Role::aside},
    InputRole{"Pad", 1, kRest, Role::aside},
    InputRole{"Resize", 1, kRest, Role::aside},
    InputRole{"Upsample", 1, kRest, Role::aside},
    InputRole{"Clip", 1, 2, Role::aside},
    InputRole{"Dropout", 1, 2, Role::aside},
    InputRole{"Pow", 1, 1, Role::aside},
    InputRole{"OneHot", 1, 2, Role::aside},
    InputRole{"GridSample", 1, 1, Role::aside},
    InputRole{"QLinearSigmoid", 1, kRest, Role::aside},
    InputRole{"QLinearLeakyRelu", 1, kRest, Role::aside},
    InputRole{"QLinearSoftmax", 1, kRest, Role::aside},
    InputRole{"QLinearAveragePool", 1, kRest, Role::aside},
    InputRole{"QLinearGlobalAveragePool", 1, kRest, Role::aside},
    InputRole{"QLinearAdd", 1, 2, Role::aside},
    InputRole{"QLinearAdd", 4, kRest, Role::aside},
    InputRole{"QLinearMul", 1, 2, Role::aside},
    InputRole{"QLinearMul", 4, kRest, Role::aside},
};

// The entries of an operator; nullptr when all its inputs are data.
const std::vector<InputRole>* roles_of(std::string_view op) {
  static const auto kTable = [] {
    std::unordered_map<std::string_view, std::vector<InputRole>> by_operator;
    for (const InputRole& entry : kInputRoles) by_operator[entry.op].push_back(entry);
    return by_operator;
  }();
  const auto found = kTable.find(op);
  return found == kTable.end() ? nullptr : &found->second;
}

Role role_of(const std::vector<InputRole>* roles, std::size_t input) {
  if (roles == nullptr) return Role::learned;
  for (const InputRole& entry : *roles) {
    if (input >= entry.first && input <= entry.last) return entry.role;
  }
  return Role::learned;
}

// Integers are learned where an operator multiplies by them or looks them up: quantized weights, and their
// biases in 32 bits. Elsewhere they are masks and indices.
bool takes_integer_weights(const Node& node) {
  constexpr std::array<std::string_view, 7> kKinds{"conv",      "conv_transpose", "dense",    "matmul",
                                                   "recurrent", "embedding",      "attention"};
  if (node.op == "DequantizeLinear") return true;
  const LayerKind* kind = find_operator_kind(node.domain, node.op);
  return kind != nullptr && std::find(kKinds.begin(), kKinds.end(), kind->name) != kKinds.end();
}

// Calls visit(stored tensor of the file) for everything that `value` was made of and that was not visited
// before.
class SourceWalk {
 public:
  SourceWalk(const Graph& graph, const std::unordered_map<ValueId, std::vector<ValueId>>& sources)
      : sources_(sources), level_(graph.values.size(), 0) {}

  // Visits with rising `level` only: a tensor that was visited on a level is not visited again on that or a
  // lower one.
  template <typename Visit>
  void walk(ValueId value, unsigned char level, Visit&& visit) {
    open_.assign(1, value);
    while (!open_.empty()) {
      const ValueId current = open_.back();
      open_.pop_back();
      auto& reached = level_[static_cast<std::size_t>(current)];
      if (reached >= level) continue;
      reached = level;
      const auto found = sources_.find(current);
      if (found == sources_.end()) {
        visit(current);
      } else {
        open_.insert(open_.end(), found->second.begin(), found->second.end());
      }
    }
  }

 private:
  const std::unordered_map<ValueId, std::vector<ValueId>>& sources_;
  std::vector<unsigned char> level_;
  std::vector<ValueId> open_;
};

// lower_nodes has checked the attribute where shapes are known.
double elements_per_byte(const Node& node) {
  return 8.0 / static_cast<double>(std::clamp<std::int64_t>(node.int_attribute("bits").value_or(4), 1, 8));
}

bool is_stored(const Value& value) {
  return value.origin == Origin::weight || value.origin == Origin::constant;
}

struct StoredTensor {
  Role role = Role::unused;
  double params = 0;
  double bytes = 0;
};

bool can_be_learned(const Value& value, const Node& reader) {
  const DType dtype = value.tensor.dtype;
  if (is_integer(dtype) && !takes_integer_weights(reader)) return false;
  // The importer takes 32-bit integers for constants, since most are indices.
  if (dtype == DType::i32) return reader.op != "Gather";
  if (value.origin == Origin::constant || !value.tensor.shape || value.tensor.shape->empty()) return false;
  return is_float(dtype) || (is_integer(dtype) && bits(dtype) <= 8);
}

}  // namespace

WeightTotals charge_weights(const Graph& graph,
                            const std::unordered_map<ValueId, std::vector<ValueId>>& sources,
                            const std::vector<bool>& frozen, std::vector<Layer>& layers) {
  // The strongest role that any use gives a tensor.
  std::vector<StoredTensor> tensors(graph.values.size());
  SourceWalk roles(graph, sources);
  for (const Node& node : graph.nodes) {
    const std::vector<InputRole>* input_roles = roles_of(node.op);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId input = node.inputs[i];
      if (input == kNoValue || !is_stored(graph.value(input))) continue;
      const Role role = role_of(input_roles, i);
      // Packed weights hold several numbers in a byte.
      const double packed = node.op == "MatMulNBits" && i == 1 ? elements_per_byte(node) : 1;
      roles.walk(input, static_cast<unsigned char>(role), [&](ValueId root) {
        const Value& value = graph.value(root);
        StoredTensor& tensor = tensors[static_cast<std::size_t>(root)];
        if (role < tensor.role || !value.tensor.shape || !is_known(*value.tensor.shape)) return;
        tensor.role = role;
        const auto elements = static_cast<double>(element_count(*value.tensor.shape));
        const bool learned = can_be_learned(value, node);
        tensor.params = role == Role::learned && learned ? elements * packed : 0;
        tensor.bytes = role != Role::aside && learned ? elements * bytes(value.tensor.dtype) : 0;
      });
    }
  }

  WeightTotals totals;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    totals.params += tensors[i].params;
    totals.bytes += tensors[i].bytes;
    if (frozen[i]) totals.frozen_params += tensors[i].params;
  }
  SourceWalk uses(graph, sources);
  for (Layer& layer : layers) {
    for (const ValueId weight : layer.weights) {
      uses.walk(weight, 1, [&](ValueId root) {
        layer.params += tensors[static_cast<std::size_t>(root)].params;
        if (frozen[static_cast<std::size_t>(root)]) {
          layer.frozen_params += tensors[static_cast<std::size_t>(root)].params;
        }
        layer.weight_bytes += tensors[static_cast<std::size_t>(root)].bytes;
      });
    }
  }
  return totals;
}

}  // namespace layersim
