// layersim serve: the web application, on this machine unless told otherwise.

#include <netdb.h>

#include <csignal>
#include <thread>

#include "sim/cli/command_line.h"
#include "sim/cli/output.h"
#include "sim/core/error.h"
#include "sim/web/http_module.h"
#include "sim/web/site.h"

namespace layersim {
namespace {

constexpr int kDefaultPort = 8080;
constexpr std::int64_t kMostPort = 65535;
constexpr std::int64_t kMostMib = 4096;
constexpr std::int64_t kMostSeconds = 3600;

// An address in digits, or a name that the system finds one for.
void check_host(const std::string& host) {
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, nullptr, &found);
  if (error != 0) {
    throw bad_use("--host: '" + host +
                  "' is neither an address nor a name that is known here: " + ::gai_strerror(error));
  }
  ::freeaddrinfo(found);
}

int run(const Command& command, const std::vector<std::string>& arguments) {
  options::options_description group("options");
  group.add_options()                                                                           //
      ("port", text_value("N"), "port; 0: any that is free, which is printed (default: 8080)")  //
      ("host", text_value("ADDRESS"),
       "address to listen on; any but the default serves other machines too (default: 127.0.0.1)")  //
      ("max-upload-mib", text_value("N"), "largest network file that is taken (default: 64)")       //
      ("max-seconds", text_value("N"), "that a request may compute (default: 10)")                  //
      ("method", text_value("NAME"), "predictor, as of predict")                                    //
      ("predictor", input_file(), "trained predictor (default: the one that comes along)");
  const auto given = read_arguments(command, {group}, arguments, 0);
  if (!given) return 0;
  SiteOptions options;
  options.port = static_cast<int>(given->count("port", 0, kMostPort).value_or(kDefaultPort));
  options.address = given->text("host").value_or(options.address);
  check_host(options.address);
  if (const auto mib = given->count("max-upload-mib", 1, kMostMib)) {
    options.limits.upload_bytes = *mib << 20;
  }
  if (const auto seconds = given->count("max-seconds", 1, kMostSeconds)) {
    options.limits.request_time = std::chrono::seconds(*seconds);
  }

  // Before any thread starts, so that all leave these signals to sigwait().
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  Site site(options,
            make_predictor(given->text("method").value_or(""), given->text("predictor").value_or("")),
            Assets());
  const auto server = make_http_server(site.http_options());
  if (!server->bind()) {
    throw bad_use("cannot listen on " + options.address + " port " + std::to_string(options.port) +
                  ": the port may be in use, or the address none of this machine");
  }
  print("layersim serves http://" + options.address + ':' + std::to_string(server->port()) +
        "/  (Ctrl-C ends it)\n");
  std::thread serving([&] { server->run(); });
  int signal = 0;
  sigwait(&signals, &signal);
  server->stop();
  serving.join();
  return 0;
}

}  // namespace

Command serve_command() {
  return {.name = "serve",
          .summary = "the web application: networks, hardware and batch sizes compared in a browser",
          .usage = "[OPTION...]",
          .example = "layersim serve --port 8080",
          .run = run};
}

}  // namespace layersim
