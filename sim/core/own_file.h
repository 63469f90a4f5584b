#pragma once
// Files that layersim writes begin with a line of text that tells what they are: "layersim store".

#include <string_view>

namespace layersim {

// For readers of other files, which are given the beginning of one. Throws bad_input that tells what the file
// is and which command takes it, where it is one that layersim writes; all others pass.
void refuse_own_file(std::string_view beginning);

}  // namespace layersim
