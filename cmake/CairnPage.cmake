# Builds the replay page of web/ with Node and puts it, deflated, into a C file:
#     cmake -DWEB=dir -DOUT=view_page.c -DNODE=... -DNPM=... -P CairnPage.cmake
# Whatever is missing (Node, npm, the network), the C file is written: without a page it says why, and so does `cairn view`.
function(leave_out reason)
    message("== page: the replay page is left out: ${reason}")
    file(WRITE "${OUT}" "/* Made by cmake/CairnPage.cmake. */\n#include <stddef.h>\n"
        "extern const unsigned char view_page[];\nextern const size_t view_page_size, view_page_length;\n"
        "extern const char view_page_missing[];\nconst unsigned char view_page[] = {0};\n"
        "const size_t view_page_size = 0, view_page_length = 0;\nconst char view_page_missing[] = \"${reason}\";\n")
endfunction()

if(NOT NODE OR NOT NPM)
    leave_out("Node.js and npm were not found when this program was built")
    return()
endif()
# Packages are fetched once for each lock file, and for all build folders together.
file(SHA256 "${WEB}/package-lock.json" wanted)
set(stamp "${WEB}/node_modules/.cairn-lock")
set(found "")
if(EXISTS "${stamp}")
    file(READ "${stamp}" found)
endif()
if(NOT found STREQUAL wanted)
    message("== page: npm ci in ${WEB}")
    execute_process(COMMAND "${NPM}" ci --no-audit --no-fund --prefer-offline WORKING_DIRECTORY "${WEB}" TIMEOUT 240
        RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(NOT failed STREQUAL "0")
        message("${said}")
        leave_out("npm ci failed when this program was built; is there a network?")
        return()
    endif()
    file(WRITE "${stamp}" "${wanted}")
endif()
execute_process(COMMAND "${NODE}" build.mjs "${OUT}" WORKING_DIRECTORY "${WEB}" TIMEOUT 120
    RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(NOT failed STREQUAL "0")
    message("${said}")
    leave_out("web/build.mjs failed when this program was built")
endif()
