# Fuzzers: tests/fuzz/fuzz_*.c, each with LLVMFuzzerTestOneInput. The library is compiled with the fuzzer's counters.
if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "CAIRN_FUZZ needs clang: cmake --preset fuzz")
endif()
set(fuzz_flags -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
target_compile_options(cairn_compile INTERFACE ${fuzz_flags})
target_link_options(cairn_compile INTERFACE -fsanitize=address,undefined)

file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(source ${fuzz_sources})
    get_filename_component(name "${source}" NAME_WE)
    add_executable(${name} "${source}")
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(${name} PRIVATE cairn_compile cairn_static Cairn::hdf5 m)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    if(name STREQUAL "fuzz_world") # the generator of random worlds, and what judges them
        target_sources(${name} PRIVATE tests/random/random_scene.c tests/random/random_loose.c tests/random/random_tied.c tests/random/random_other.c
            tests/random/random_run.c tests/random/random_judge.c tests/random/random_places.c tests/random/random_depth.c)
    endif()
endforeach()
