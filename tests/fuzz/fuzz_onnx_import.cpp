// libFuzzer target: any bytes, taken for an ONNX file, give a network or one clear error.

#include <cstdint>

#include "tests/fuzz/import_one.h"
#include "tests/fuzz/mutate_model.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  layersim::tests::import_one({reinterpret_cast<const char*>(data), size});
  return 0;
}

// Changes of bytes alone rarely survive the lengths of nested messages, so most changes are made to the
// decoded model.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  constexpr unsigned kRawOneIn = 5;
  if (seed % kRawOneIn != 0) {
    const std::string mutated =
        layersim::tests::mutate_model({reinterpret_cast<const char*>(data), size}, seed);
    if (!mutated.empty() && mutated.size() <= max_size) {
      mutated.copy(reinterpret_cast<char*>(data), mutated.size());
      return mutated.size();
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
