#include "sampler/rank_link.h"

#include <cstdlib>

#include "sim/core/error.h"
#include "sim/core/module_loader.h"

namespace layersim {
namespace {

// Open MPI's mpirun sets these.
int number_in(const char* variable) {
  const char* const text = std::getenv(variable);  // NOLINT: nobody sets it meanwhile
  return text == nullptr ? 0 : std::atoi(text);    // NOLINT: not from the user
}

}  // namespace

std::optional<RankPlace> find_rank_place() {
  if (number_in("OMPI_COMM_WORLD_SIZE") < 2) return std::nullopt;
  return RankPlace{number_in("OMPI_COMM_WORLD_RANK"), number_in("OMPI_COMM_WORLD_LOCAL_RANK")};
}

std::unique_ptr<RankLink> open_rank_link() {
  const auto entry = reinterpret_cast<decltype(&layersim_mpi_link)>(  // NOLINT: as POSIX has it
      find_module_entry("layersim_mpi.so", "layersim_mpi_link"));
  if (entry == nullptr) {
    throw bad_use(
        "started by mpirun, but this program was built or installed without MPI: install libopenmpi-dev and "
        "build again");
  }
  return std::unique_ptr<RankLink>(entry());
}

}  // namespace layersim
