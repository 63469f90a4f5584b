#pragma once
// Long networks are summarised by block: layers whose names share a beginning ("layer1.0.conv1",
// "/layer1/layer1.0/conv1").

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace layersim {

struct Block {
  std::string name;
  std::vector<std::size_t> members;  // indices of layers, ascending; one alone stands for itself
};

// At most `limit` blocks, in the order of their first layers, opened level by level as far as the limit
// allows. A level that is too long for that is cut into runs of neighbours.
[[nodiscard]] std::vector<Block> group_into_blocks(const std::vector<std::string_view>& names,
                                                   std::size_t limit);

}  // namespace layersim
