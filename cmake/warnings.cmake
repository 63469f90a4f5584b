# layersim_warnings: the compile options of every target of ours.
add_library(layersim_warnings INTERFACE)
target_compile_options(layersim_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wcast-qual -Woverloaded-virtual
  -Wextra-semi -Wimplicit-fallthrough $<$<BOOL:${LAYERSIM_WERROR}>:-Werror>)
# GCC 12 warns of overlapping copies within std::string operator+ (GCC bug 105329) and, where it inlines much or
# sanitizes, of uninitialised parts of std::optional and std::regex, where there are none.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(layersim_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict -Wno-maybe-uninitialized>)
endif()
if(LAYERSIM_SANITIZE)
  add_compile_options(-fsanitize=${LAYERSIM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # An index or back() outside a vector is found although the memory there is the vector's own.
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=${LAYERSIM_SANITIZE})
endif()
