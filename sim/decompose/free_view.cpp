#include <algorithm>
#include <array>
#include <string_view>

#include "sim/decompose/lower.h"

namespace layersim {

bool is_free_view(const Node& node) {
  // Other shape over the same data, data that only the host sees, and sequences, which hold references.
  static constexpr std::array kFree = std::to_array<std::string_view>({"Reshape",
                                                                       "Flatten",
                                                                       "Squeeze",
                                                                       "Unsqueeze",
                                                                       "Identity",
                                                                       "BitCast",
                                                                       "Shape",
                                                                       "Size",
                                                                       "Constant",
                                                                       "SequenceConstruct",
                                                                       "SequenceEmpty",
                                                                       "SequenceAt",
                                                                       "SequenceInsert",
                                                                       "SequenceErase",
                                                                       "SequenceLength",
                                                                       "SplitToSequence",
                                                                       "Optional",
                                                                       "OptionalGetElement",
                                                                       "OptionalHasElement",
                                                                       "StringNormalizer",
                                                                       "StringConcat",
                                                                       "StringSplit",
                                                                       "RegexFullMatch"});
  return node.domain == kControlDomain ||
         (node.domain.empty() && std::find(kFree.begin(), kFree.end(), node.op) != kFree.end());
}

}  // namespace layersim
