#pragma once
// What the user should know about an input that is usable all the same, each thing said once.

#include <string>
#include <unordered_set>
#include <vector>

namespace layersim {

class Warnings {
 public:
  void add(std::string text);
  [[nodiscard]] const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
  std::unordered_set<std::string> said_;  // the same, to find them
};

}  // namespace layersim
