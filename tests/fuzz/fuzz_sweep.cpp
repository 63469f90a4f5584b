// libFuzzer target: any text, taken for a sweep file or a line of a sampler's journal, gives problems, a row
// or one clear error.

#include <cstdint>

#include "sampler/problem_drawer.h"
#include "sampler/sample_row.h"
#include "sim/core/error.h"

namespace {

using namespace layersim;

template <typename Body>
void run_to_an_error(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  run_to_an_error([&] {
    const ProblemDrawer drawer(read_sweep_text("sweep", text), 1);
    for (std::uint64_t i = 0; i < 4; ++i) static_cast<void>(to_text(drawer.draw(i)));
  });
  run_to_an_error([&] {
    Table table("rows");
    append_row(table, row_of_line(text));
  });
  return 0;
}
