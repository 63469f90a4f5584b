// Writes small TorchScript archives for the tests: `write_archives FOLDER`.

#include <caffe2/serialize/inline_container.h>
#include <torch/script.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

using torch::jit::Module;

struct Weight {
  std::string name;
  std::vector<std::int64_t> shape;
};

Module make_module(const std::vector<Weight>& weights, const std::string& code) {
  Module module("net");
  for (const auto& [name, shape] : weights) module.register_parameter(name, at::rand(shape), false);
  module.define(code);
  return module;
}

const std::vector<Weight> kConvWeights{
    {"c_w", {4, 3, 3, 3}}, {"c_b", {4}}, {"l_w", {10, 144}}, {"l_b", {10}}};
const char* const kConvCode = R"(
def forward(self, x, training: bool=False):
    assert x.dim() == 4, "expected 4 axes"
    y = torch.relu(torch.conv2d(x, self.c_w, self.c_b, [1, 1], [0, 0], [1, 1], 1))
    y = torch.dropout(y, 0.5, training)
    y = y.view(y.size(0), -1)
    return torch.matmul(y, self.l_w.t()) + self.l_b
)";

// The same archive with one text in its code replaced.
void write_changed(const std::string& from, const std::string& to, const std::string& text,
                   const std::string& replacement) {
  caffe2::serialize::PyTorchStreamReader reader(from);
  caffe2::serialize::PyTorchStreamWriter writer(to);
  for (const std::string& name : reader.getAllRecords()) {
    if (name == "version" || name.find("/byteorder") != std::string::npos) continue;
    const auto [data, size] = reader.getRecord(name);
    std::string content(static_cast<const char*>(data.get()), size);
    const std::size_t at = content.find(text);
    if (name.ends_with(".py") && at != std::string::npos) content.replace(at, text.size(), replacement);
    writer.writeRecord(name, content.data(), content.size());
  }
  writer.writeEndOfFile();
}

void write_hostile(const std::string& folder) {
  const std::string good = folder + "/conv.pt";
  // torch.from_file with shared=True makes the file that it is given.
  const std::string attack = "torch.from_file(\"" + folder + "/written_by_archive\", True, 8)";
  write_changed(good, folder + "/hostile_default.pt", "training: bool=False",
                "training: bool=bool(torch.numel(" + attack + "))");
  Module module("net");
  module.register_attribute("size", c10::IntType::get(), 3);
  module.define(
      "def forward(self, x):\n    return x + self.size\n"
      "def __getstate__(self):\n    return self.size\n"
      "def __setstate__(self, state: int) -> None:\n    self.size = state\n    " +
      attack + "\n");
  module.save(folder + "/hostile_setstate.pt");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  at::manual_seed(1);
  Module conv = make_module(kConvWeights, kConvCode);
  conv.save(folder + "/conv.pt");
  conv.eval();
  torch::jit::freeze(conv).save(folder + "/frozen.pt");
  conv.to(torch::kHalf);
  conv.save(folder + "/half.pt");

  make_module({{"w", {8, 8}}}, R"(
def forward(self, x, n: int=5):
    for i in range(n):
        x = torch.relu(torch.linear(x, self.w))
    return x
)")
      .save(folder + "/loop.pt");

  make_module({{"w", {8, 8}}}, R"(
def forward(self, x):
    while bool(torch.gt(torch.sum(x), 1.)):
        x = torch.linear(x, self.w)
    return x
)")
      .save(folder + "/open_loop.pt");

  make_module({{"a", {16, 8}}, {"b", {32, 8}}, {"c", {8, 16}}, {"d", {8, 32}}}, R"(
def forward(self, x):
    if bool(torch.gt(torch.sum(x), 0.)):
        y = torch.linear(torch.linear(x, self.a), self.c)
    else:
        y = torch.linear(torch.linear(x, self.b), self.d)
    return y
)")
      .save(folder + "/branches.pt");

  make_module({{"w_ih", {64, 8}}, {"w_hh", {64, 16}}, {"b_ih", {64}}, {"b_hh", {64}}}, R"(
def forward(self, x):
    h = torch.zeros([1, x.size(0), 16])
    y, h_n, c_n = torch.lstm(x, [h, h], [self.w_ih, self.w_hh, self.b_ih, self.b_hh], True, 1, 0., False, False, True)
    scores = torch.softmax(torch.matmul(y, y.transpose(-2, -1)), -1)
    return torch.matmul(scores, y)
)")
      .save(folder + "/lstm_attention.pt");

  make_module({{"w", {100, 16}}}, R"(
def forward(self, ids):
    x = torch.embedding(self.w, ids)
    return torch.linear(x, self.w)
)")
      .save(folder + "/tied.pt");

  make_module({}, "def forward(self, x):\n    return torch.fft_fft(x)\n")
      .save(folder + "/unknown_operator.pt");

  write_hostile(folder);
  caffe2::serialize::PyTorchStreamWriter weights(folder + "/weights_only.pt");
  weights.writeRecord("data.pkl", "\x80\x02N.", 4);
  weights.writeEndOfFile();
  std::ifstream whole(folder + "/conv.pt", std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(whole)), std::istreambuf_iterator<char>());
  std::ofstream(folder + "/truncated.pt", std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  return 0;
}
