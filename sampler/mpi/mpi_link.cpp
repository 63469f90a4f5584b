// Ranks by MPI. All calls come from one thread.

#include <dlfcn.h>
#include <mpi.h>

#include <cstdlib>

#include "sampler/rank_link.h"

namespace layersim {
namespace {

constexpr int kTag = 0;

class MpiLink : public RankLink {
 public:
  MpiLink() {
    // Open MPI's plugins look for its symbols among those of the whole program, where a module's are not.
    dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiLink() override { MPI_Finalize(); }
  MpiLink(const MpiLink&) = delete;
  MpiLink& operator=(const MpiLink&) = delete;

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }

  // Small messages are buffered by MPI; one to a rank that is gone fails, and nobody misses it.
  void send(int to, const std::string& text) override {
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_BYTE, to, kTag, MPI_COMM_WORLD);
  }

  [[nodiscard]] std::optional<RankMessage> receive() override {
    int is_there = 0;
    MPI_Status status{};
    MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &is_there, &status);
    if (is_there == 0) return std::nullopt;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    RankMessage message{status.MPI_SOURCE, std::string(static_cast<std::size_t>(bytes), '\0')};
    MPI_Recv(message.text.data(), bytes, MPI_BYTE, message.from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return message;
  }

  [[noreturn]] void end_all(int exit_code) override {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::_Exit(exit_code);
  }

 private:
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace
}  // namespace layersim

layersim::RankLink* layersim_mpi_link() { return new layersim::MpiLink; }  // NOLINT: the caller owns it
