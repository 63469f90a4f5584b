#pragma once
// What an operation of a profile does, told by its name: a transfer to another device depends on that and not
// on how a framework calls it. Names of TensorFlow and of PyTorch are known; others are mapped to known ones
// by clustering: the known names are clustered by their edit distance (hierarchical, average linkage), and a
// new name joins the nearest cluster within the same distance. A name that is near to none is of the class
// `other`.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace layersim {

// What limits the operations of a class where nothing is known but the device sheets.
enum class Bound { arithmetic, memory };

struct OperationClass {
  std::string_view name;
  Bound bound;
  std::vector<std::string_view> operations;  // canonical names
};

[[nodiscard]] std::span<const OperationClass> operation_classes();  // the last is `other`

// "aten::cudnn_convolution", "Conv2DBackpropInput" -> "cudnnconvolution", "conv2dbackpropinput": letters and
// digits, without what stands before "::".
[[nodiscard]] std::string canonical_operation(std::string_view name);

struct OperationMatch {
  std::size_t operation_class = 0;
  bool is_known = false;
  std::string
      mapped_to;  // of a name that is not known: the nearest known one of its cluster; empty: class `other`
};

// Of a name as in a profile.
[[nodiscard]] OperationMatch match_operation(std::string_view name);

}  // namespace layersim
