# Tests: tests/<layer>/.../test_<layer>_<subject>.c is one program each, tests/cli/cli_*.sh drive the command line, tools/check_*.sh
# look at the repository. Labels: the layer, cli, tools. A script that ends with 77 says that it was skipped.
set(CAIRN_TEST_TIMEOUT 400 CACHE STRING "Seconds a test may take")

function(cairn_script_test name script label)
    add_test(NAME ${name} COMMAND bash "${script}" ${ARGN} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${CAIRN_TEST_TIMEOUT} SKIP_RETURN_CODE 77)
endfunction()

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS tests/test_*.c)
foreach(source ${test_sources})
    get_filename_component(name "${source}" NAME_WE)
    string(REGEX REPLACE "^test_([^_]+).*" "\\1" layer ${name})
    add_executable(${name} "${source}")
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    target_compile_definitions(${name} PRIVATE CAIRN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests") # "support/test.h"
    target_link_libraries(${name} PRIVATE cairn_compile cairn_static Cairn::hdf5 Cairn::amd Cairn::zlib Threads::Threads m)
    if(layer STREQUAL "cli")
        target_sources(${name} PRIVATE $<TARGET_OBJECTS:cairn_cli_parts>)
    endif()
    if(layer STREQUAL "random") # the generator of worlds, and what judges them
        file(GLOB random_sources CONFIGURE_DEPENDS tests/random/random_*.c)
        target_sources(${name} PRIVATE ${random_sources})
    endif()
    if(name STREQUAL "test_collide_thin") # supports that know nothing of src
        target_sources(${name} PRIVATE tests/random/random_depth.c)
    endif()
    if(name STREQUAL "test_golden_scenes") # two halves, for two processors
        add_test(NAME ${name}_odd COMMAND ${name} odd WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
        set_tests_properties(${name}_odd PROPERTIES LABELS golden TIMEOUT ${CAIRN_TEST_TIMEOUT} SKIP_RETURN_CODE 77)
        add_test(NAME ${name}_even COMMAND ${name} even WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
        set_tests_properties(${name}_even PROPERTIES LABELS golden TIMEOUT ${CAIRN_TEST_TIMEOUT} SKIP_RETURN_CODE 77)
        continue()
    endif()
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    set_tests_properties(${name} PROPERTIES LABELS ${layer} TIMEOUT ${CAIRN_TEST_TIMEOUT} SKIP_RETURN_CODE 77)
endforeach()

# Edits files for the scripts, in ways that the program has no command for.
if(TARGET cairn_cli)
    add_executable(cli_edit tests/cli/cli_edit.c)
    set_target_properties(cli_edit PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    target_link_libraries(cli_edit PRIVATE cairn_compile cairn_static Cairn::hdf5 Cairn::amd Cairn::zlib Threads::Threads m)
    add_library(still_clock MODULE tests/cli/still_clock.c)
    set_target_properties(still_clock PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    set(golden_build "release")
    if(NOT CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" OR CMAKE_C_FLAGS MATCHES "-fsanitize|-march|coverage")
        set(golden_build "other options")
    endif()
    string(APPEND golden_build ", compiler ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}")
    file(WRITE "${PROJECT_BINARY_DIR}/golden_build" "${golden_build}\n") # for tests/golden/golden_counts.sh
    file(GLOB cli_scripts CONFIGURE_DEPENDS tests/cli/cli_*.sh)
    foreach(script ${cli_scripts})
        get_filename_component(name "${script}" NAME_WE)
        if(name MATCHES "cli_(examples|golden)" AND CMAKE_C_FLAGS MATCHES "-fsanitize")
            continue() # once is enough: what the examples do is tested elsewhere, and bits are of release builds
        endif()
        cairn_script_test(${name} "${script}" cli)
        set_tests_properties(${name} PROPERTIES
            ENVIRONMENT "CAIRN=$<TARGET_FILE:cairn_cli>;CAIRN_EDIT=$<TARGET_FILE:cli_edit>;CAIRN_SHARED=${PROJECT_SOURCE_DIR}/../shared")
    endforeach()
    if(TEST cli_golden)
        set_property(TEST cli_golden APPEND PROPERTY ENVIRONMENT "CAIRN_STILL=$<TARGET_FILE:still_clock>"
            "CAIRN_BUILD=${golden_build}")
        set_property(TEST cli_golden APPEND PROPERTY LABELS golden)
    endif()
endif()

# Pages in a browser: once is enough, not again under the sanitizers. Drawing without a graphics card takes its time.
if(TARGET cairn_cli AND NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
    file(GLOB web_scripts CONFIGURE_DEPENDS tests/web/web_*.sh)
    foreach(script ${web_scripts})
        get_filename_component(name "${script}" NAME_WE)
        cairn_script_test(${name} "${script}" web)
        set_tests_properties(${name} PROPERTIES TIMEOUT 600 ENVIRONMENT "CAIRN=$<TARGET_FILE:cairn_cli>")
    endforeach()
endif()

if(CAIRN_CHECKS)
    foreach(check layers references format size width words text results)
        cairn_script_test(check_${check} "${PROJECT_SOURCE_DIR}/tools/check_${check}.sh" tools)
    endforeach()
    cairn_script_test(check_judge "${PROJECT_SOURCE_DIR}/tools/check_judge.sh" tools "${PROJECT_BINARY_DIR}")
    cairn_script_test(check_testing "${PROJECT_SOURCE_DIR}/tools/check_testing.sh" tools "${PROJECT_BINARY_DIR}")
    cairn_script_test(check_symbols "${PROJECT_SOURCE_DIR}/tools/check_symbols.sh" tools "${PROJECT_BINARY_DIR}")
    cairn_script_test(check_install "${PROJECT_SOURCE_DIR}/tools/check_install.sh" tools
        "${PROJECT_BINARY_DIR}" "${CMAKE_C_COMPILER}")

    # Documents whose blocks are marked as runnable, one test each; under the sanitizers README alone.
    set(documents README.md)
    if(NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
        file(GLOB pages RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS docs/*.md)
        list(APPEND documents ${pages})
    endif()
    foreach(document ${documents})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${document}")
        file(STRINGS "${document}" runnable REGEX "^```[a-z]+ run")
        if(runnable)
            get_filename_component(name "${document}" NAME_WE)
            cairn_script_test(docs_${name} "${PROJECT_SOURCE_DIR}/tools/check_blocks.sh" docs
                "${PROJECT_BINARY_DIR}" "${CMAKE_C_COMPILER}" "${PROJECT_SOURCE_DIR}/${document}")
        endif()
    endforeach()
endif()
