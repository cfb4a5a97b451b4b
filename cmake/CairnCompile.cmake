# How every file of Cairn is compiled: the target cairn_compile carries standard, warnings and rounding.
# -ffp-contract=off: a*b + c is never fused, so that results do not depend on the compiler's mood.
# -fno-math-errno, -fno-trapping-math: nobody reads errno or the flags of the processor, so that loops with square roots and
# selections can use vectors. No result changes.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(cairn_compile INTERFACE)
target_compile_options(cairn_compile INTERFACE -ffp-contract=off -fno-math-errno -fno-trapping-math -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
target_include_directories(cairn_compile INTERFACE "${PROJECT_SOURCE_DIR}/src") # private headers: "layer/folder/name.h"
target_compile_options(cairn_compile INTERFACE $<$<CONFIG:>:-O2>)
if(CAIRN_WERROR)
    target_compile_options(cairn_compile INTERFACE -Werror)
endif()
if(CAIRN_NATIVE)
    target_compile_options(cairn_compile INTERFACE -march=native)
endif()
