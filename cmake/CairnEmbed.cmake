# Puts text files into a C file as arrays of bytes, each ended by a NUL:
#     cmake -DOUT=x.c "-DIN=name=path|name=path" -P CairnEmbed.cmake
string(REPLACE "|" ";" pairs "${IN}")
set(text "/* Made by cmake/CairnEmbed.cmake. */\n")
foreach(pair ${pairs})
    string(REGEX MATCH "^([^=]+)=(.*)$" matched "${pair}")
    set(name "${CMAKE_MATCH_1}")
    file(READ "${CMAKE_MATCH_2}" bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
    string(REGEX REPLACE "(('[^']*',)('[^']*',)('[^']*',)('[^']*',)('[^']*',)('[^']*',)('[^']*',)('[^']*',))" "\\1\n" bytes "${bytes}")
    string(APPEND text "extern const char ${name}[];\nconst char ${name}[] = {\n${bytes} 0};\n")
endforeach()
file(WRITE "${OUT}" "${text}")
