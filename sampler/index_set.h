#pragma once
// Numbers of problems that are done, as ranges: "0-499,502".

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace layersim {

class IndexSet {
 public:
  IndexSet() = default;
  // Throws bad_input for a text that to_text does not write.
  explicit IndexSet(std::string_view text);

  void add(std::uint64_t index) { add_range(index, index); }
  void add(const IndexSet& other);
  [[nodiscard]] bool contains(std::uint64_t index) const;
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] std::string to_text() const;

 private:
  void add_range(std::uint64_t first, std::uint64_t last);

  std::map<std::uint64_t, std::uint64_t> ranges_;  // first -> last, neither touching the next
};

}  // namespace layersim
