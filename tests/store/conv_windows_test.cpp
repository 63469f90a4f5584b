#include "sim/store/conv_windows.h"

#include <catch2/catch.hpp>

#include "sim/core/error.h"
#include "sim/store/csv_rows.h"
#include "tests/store/temporary_folder.h"

using namespace layersim;

namespace {

// What is said of rows with these columns; empty where they pass.
std::string complaint(const std::string& columns, const std::string& row) {
  const tests::TemporaryFolder folder;
  Warnings warnings;
  const Table table = read_csv(folder.write("rows.csv", "gpu,mode,batch,in_channels,out_channels,time_ms," +
                                                            columns + "\nk80,forward,1,3,4,1," + row + '\n'),
                               warnings);
  try {
    check_conv_windows(table);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("A kernel may be as large as the padded input, and no larger") {
  const std::string square = "input_size,kernel,pad";
  CHECK(complaint(square, "8,10,1").empty());
  CHECK(complaint(square, "8,11,1") ==
        "line 2: column 'kernel': a window of 11 is larger than the padded input of 10: there is no output");
  CHECK(complaint("input_size,kernel,dilation", "8,4,3") ==
        "line 2: column 'kernel': a window of 10 is larger than the padded input of 8: there is no output");
}

TEST_CASE("Each axis is checked by its own columns") {
  const std::string axes = "input_w,input_h,kernel_w,kernel_h,pad_w,pad_h";
  CHECK(complaint(axes, "9,5,9,5,0,0").empty());
  CHECK(complaint(axes, "9,5,5,9,0,1") ==
        "line 2: column 'kernel_h': a window of 9 is larger than the padded input of 7: there is no output");
}

TEST_CASE("Padding by name: same always has an output, valid adds nothing") {
  const std::string named = "input_size,kernel,padding,pad";
  CHECK(complaint(named, "2,7,same,").empty());
  CHECK(complaint(named, "6,7,valid,3") ==
        "line 2: column 'kernel': a window of 7 is larger than the padded input of 6: there is no output");
  CHECK(complaint(named, "6,7,,3").empty());
}
