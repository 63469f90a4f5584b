#pragma once
// The seam to the C library of HDF5: handles that close themselves and checks that turn a failed call into
// one Error. No diagnostics of the library reach the terminal. Included by sim/store only.

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/core/error.h"

namespace layersim::hdf5 {

// To be called before anything else: silences the library, and keeps it from closing down at exit, where it
// would try again to write what a full disk has refused.
void start();

// Of a call that failed just now: bad_use with the system's word for it where the disk is full, else
// bad_input.
[[nodiscard]] Error failure(const char* what);

// `result` of a call, which is below 0 when the call failed.
template <typename Result>
Result check(Result result, const char* what) {
  if (result < 0) throw failure(what);
  return result;
}

class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  Handle(hid_t id, Close closer, const char* what) : id_(check(id, what)), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }

  [[nodiscard]] hid_t get() const { return id_; }
  // Closes now, because closing a file that was written can fail.
  void close(const char* what) { check(close_(std::exchange(id_, H5I_INVALID_HID)), what); }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

[[nodiscard]] Handle open_file(const std::string& path);
// With a user block of `user_block` bytes before the HDF5 part.
[[nodiscard]] Handle create_file(const std::string& path, std::size_t user_block);

[[nodiscard]] Handle open_group(hid_t parent, const std::string& name);
// Opens the group if it is there.
[[nodiscard]] Handle create_group(hid_t parent, const std::string& name);
[[nodiscard]] bool has_link(hid_t parent, const std::string& name);
// Names of the members of a group in the order of the names.
[[nodiscard]] std::vector<std::string> member_names(hid_t group);

[[nodiscard]] Handle open_dataset(hid_t group, const std::string& name);
// A one-dimensional dataset that can grow.
[[nodiscard]] hsize_t dataset_size(hid_t dataset);

void write_attribute(hid_t object, const char* name, const std::string& value);
void write_attribute(hid_t object, const char* name, std::int64_t value);
[[nodiscard]] std::string read_text_attribute(hid_t object, const char* name);
[[nodiscard]] std::int64_t read_integer_attribute(hid_t object, const char* name);

// Texts as a one-dimensional dataset of zero-padded UTF-8 strings of one width.
void write_texts(hid_t group, const std::string& name, const std::vector<std::string>& texts);
[[nodiscard]] std::vector<std::string> read_texts(hid_t group, const std::string& name);

}  // namespace layersim::hdf5
