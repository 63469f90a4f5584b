#pragma once
// Talks to a server byte by byte, also what is no HTTP.

#include <map>
#include <string>
#include <string_view>

namespace layersim::tests {

struct RawAnswer {
  int status = 0;                              // 0: no answer
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

class RawClient {
 public:
  explicit RawClient(int port);  // on 127.0.0.1
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // False where the server has closed the connection.
  bool send(std::string_view bytes) const;
  // The next answer; what it takes longer than ten seconds is none.
  RawAnswer receive();
  RawAnswer get(const std::string& path);
  RawAnswer post(const std::string& path, const std::string& body);

 private:
  bool fill();

  int socket_ = -1;
  std::string buffer_;
};

}  // namespace layersim::tests
