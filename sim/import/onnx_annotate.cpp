#include "sim/import/onnx_annotate.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <unordered_map>

#include "sim/core/error.h"
#include "sim/import/mapped_file.h"
#include "sim/import/onnx_schema.h"
#include "sim/import/onnx_wire.h"
#include "sim/import/wire_edit.h"
#include "sim/import/wire_reader.h"

namespace layersim {
namespace {

using onnx_schema::attribute_field::kGraph;
using onnx_schema::attribute_field::kGraphs;
using onnx_schema::graph_field::kNode;
namespace node_field = onnx_schema::node_field;

constexpr int kMaxDepth = 30;  // of sub-graphs

// Calls `use` with each field; the file has been walked before, so that none is malformed.
void for_each_field(std::string_view message, const std::function<void(const WireField&)>& use) {
  const char* const end = message.data() + message.size();
  WireField field;
  for (const char* at = message.data(); at < end; at = field.next) {
    if (read_field(at, end, field) != WireFault::none || field.missing > 0) {
      throw internal_error("a field of a checked ONNX file is malformed");
    }
    use(field);
  }
}

class Annotator {
 public:
  Annotator(std::string_view model, const std::vector<NodeNote>& notes, const std::string& graph_text)
      : model_(model), graph_text_(graph_text) {
    for_each_field(model_, [&](const WireField& field) {
      if (field.number == onnx_schema::model_field::kGraph) count_names(field.text(), 0);
    });
    for (const NodeNote& note : notes) {
      const auto named = name_count_.find(note.node);
      const bool is_named = named != name_count_.end() && named->second == 1;
      (is_named ? by_name_ : by_output_).emplace(is_named ? note.node : note.output, note.text);
    }
  }

  WireEdit annotate() {
    WireEdit edit;
    for_each_field(model_, [&](const WireField& field) {
      if (field.number == onnx_schema::model_field::kGraph) {
        edit.add_message(field.number, edit_graph(field.text(), 0));
      } else {
        edit.keep(field.tag, field.next);
      }
    });
    return edit;
  }

  [[nodiscard]] std::size_t annotated() const { return annotated_; }

 private:
  static std::string_view name_of(std::string_view node) {
    std::string_view name;
    for_each_field(node, [&](const WireField& field) {
      if (field.number == node_field::kName) name = field.text();
    });
    return name;
  }

  void count_names(std::string_view graph, int depth) {
    if (depth > kMaxDepth) return;
    for_each_field(graph, [&](const WireField& field) {
      if (field.number != kNode) return;
      ++name_count_[std::string(name_of(field.text()))];
      for_each_subgraph(field.text(), [&](std::string_view subgraph) { count_names(subgraph, depth + 1); });
    });
  }

  static void for_each_subgraph(std::string_view node, const std::function<void(std::string_view)>& use) {
    for_each_field(node, [&](const WireField& field) {
      if (field.number != node_field::kAttribute) return;
      for_each_field(field.text(), [&](const WireField& inner) {
        if (inner.number == kGraph || inner.number == kGraphs) use(inner.text());
      });
    });
  }

  WireEdit edit_graph(std::string_view graph, int depth) {
    WireEdit edit;
    std::string old_text;
    for_each_field(graph, [&](const WireField& field) {
      if (field.number == kNode && depth <= kMaxDepth) {
        edit_node(field, depth, edit);
      } else if (field.number == onnx_schema::graph_field::kDocString && depth == 0) {
        old_text = field.text();
      } else {
        edit.keep(field.tag, field.next);
      }
    });
    if (depth == 0) edit.add_text(onnx_schema::graph_field::kDocString, joined(old_text, graph_text_));
    return edit;
  }

  void edit_node(const WireField& node, int depth, WireEdit& graph) {
    const std::string* note = find_note(node.text());
    bool has_subgraph = false;
    for_each_subgraph(node.text(), [&](std::string_view) { has_subgraph = true; });
    if (note == nullptr && !has_subgraph) {
      graph.keep(node.tag, node.next);
      return;
    }
    WireEdit edit;
    std::string old_text;
    for_each_field(node.text(), [&](const WireField& field) {
      if (field.number == node_field::kDocString && note != nullptr) {
        old_text = field.text();
      } else if (field.number == node_field::kAttribute && has_subgraph) {
        edit.add_message(field.number, edit_attribute(field.text(), depth));
      } else {
        edit.keep(field.tag, field.next);
      }
    });
    if (note != nullptr) edit.add_text(node_field::kDocString, joined(old_text, *note));
    graph.add_message(node.number, std::move(edit));
  }

  WireEdit edit_attribute(std::string_view attribute, int depth) {
    WireEdit edit;
    for_each_field(attribute, [&](const WireField& field) {
      if (field.number == kGraph || field.number == kGraphs) {
        edit.add_message(field.number, edit_graph(field.text(), depth + 1));
      } else {
        edit.keep(field.tag, field.next);
      }
    });
    return edit;
  }

  // Each note is used once.
  const std::string* find_note(std::string_view node) {
    const auto take = [&](const std::unordered_map<std::string, std::string>& notes,
                          std::string_view key) -> const std::string* {
      const auto found = notes.find(std::string(key));
      if (found == notes.end()) return nullptr;
      ++annotated_;
      return &found->second;
    };
    if (const std::string* note = take(by_name_, name_of(node))) return note;
    const std::string* note = nullptr;
    for_each_field(node, [&](const WireField& field) {
      if (field.number == node_field::kOutput && note == nullptr) note = take(by_output_, field.text());
    });
    return note;
  }

  static std::string joined(const std::string& old_text, const std::string& text) {
    return old_text.empty() ? text : old_text + '\n' + text;
  }

  std::string_view model_;
  const std::string& graph_text_;
  std::unordered_map<std::string, int> name_count_;
  std::unordered_map<std::string, std::string> by_name_;
  std::unordered_map<std::string, std::string> by_output_;
  std::size_t annotated_ = 0;
};

class File {
 public:
  File(const std::filesystem::path& path, int flags)
      : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (number_ < 0) throw bad_use(path.string() + ": cannot be opened: " + std::strerror(errno));
  }
  ~File() { ::close(number_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

void write_text(int target, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(target, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw bad_use(std::string("cannot be written: ") + std::strerror(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// From file to file within the kernel: weights do not pass through this program's memory.
void copy_range(int source, std::size_t offset, std::size_t size, int target) {
  auto at = static_cast<off_t>(offset);
  while (size > 0) {
    const ssize_t copied = ::sendfile(target, source, &at, size);
    if (copied < 0 && errno == EINTR) continue;
    if (copied < 0) throw bad_use(std::string("cannot be written: ") + std::strerror(errno));
    if (copied == 0) throw bad_input("the network has become shorter while it was read");
    size -= static_cast<std::size_t>(copied);
  }
}

void write_pieces(const WireEdit& edit, std::string_view model, int source, int target) {
  for (const WireEdit::Piece& piece : edit.pieces()) {
    if (piece.original.empty()) {
      write_text(target, piece.text);
    } else {
      copy_range(source, static_cast<std::size_t>(piece.original.data() - model.data()),
                 piece.original.size(), target);
    }
  }
}

}  // namespace

std::size_t annotate_onnx(const std::filesystem::path& source, const std::vector<NodeNote>& notes,
                          const std::string& graph_text, const std::filesystem::path& target) {
  std::optional<MappedFile> mapped;
  std::optional<Annotator> annotator;
  const WireEdit edit = with_context(source.string(), [&] {
    mapped.emplace(source);
    static_cast<void>(read_onnx_skeleton(mapped->bytes()));  // finds every structural fault
    annotator.emplace(mapped->bytes(), notes, graph_text);
    return annotator->annotate();
  });
  with_context(target.string(), [&] {
    const File in(source, O_RDONLY);
    const File out(target, O_WRONLY | O_CREAT | O_TRUNC);
    write_pieces(edit, mapped->bytes(), in.number(), out.number());
  });
  return annotator->annotated();
}

}  // namespace layersim
