#pragma once
// Messages between the processes of one campaign that runs on many devices. The implementation is a module of
// its own (sampler/mpi): MPI is loaded only when mpirun started the program.

#include <memory>
#include <optional>
#include <string>

namespace layersim {

struct RankMessage {
  int from = 0;
  std::string text;
};

class RankLink {
 public:
  // Leaves in good order, which waits for the others.
  virtual ~RankLink() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  virtual void send(int to, const std::string& text) = 0;
  // Does not wait.
  [[nodiscard]] virtual std::optional<RankMessage> receive() = 0;
  // Ends all processes at once, this one as well: where one is gone, nobody can leave in good order.
  [[noreturn]] virtual void end_all(int exit_code) = 0;
};

// What mpirun tells a process that it has started.
struct RankPlace {
  int rank = 0;
  int local_rank = 0;  // among the processes on this host
};
// Nothing when mpirun did not start this process, or started it alone.
[[nodiscard]] std::optional<RankPlace> find_rank_place();

// Waits until all ranks have called it. Throws bad_use when the program was built or installed without MPI.
[[nodiscard]] std::unique_ptr<RankLink> open_rank_link();

}  // namespace layersim

// What the module exports. The caller owns the link.
extern "C" __attribute__((visibility("default"))) layersim::RankLink* layersim_mpi_link();
