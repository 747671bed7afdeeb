# Turns CSV files into one C file with their lines, at build time.
# usage: cmake -DOUTPUT=FILE.c -DFILES="a.csv;b.csv" -P embed.cmake
# As a list separates FILES, and CMake keeps lines as a list, the files hold no semicolons and square brackets.
set(arrays "")
set(entries "")
foreach(file ${FILES})
    get_filename_component(name ${file} NAME_WE)
    string(MAKE_C_IDENTIFIER ${name} identifier)
    file(READ ${file} content)
    if(content MATCHES "[];[]")
        message(FATAL_ERROR "${file} has a semicolon or a square bracket, which cannot be embedded")
    endif()
    string(REPLACE "\\" "\\\\" content "${content}")
    string(REPLACE "\"" "\\\"" content "${content}")
    string(REGEX REPLACE "\n$" "" content "${content}")
    string(REPLACE "\n" "\",\n    \"" content "${content}")
    string(APPEND arrays "static const char *const ${identifier}[] = {\n    \"${content}\",\n    NULL};\n\n")
    string(APPEND entries "    {\"${name}\", ${identifier}},\n")
endforeach()
file(WRITE ${OUTPUT} "/* Made from reproduce/paper by embed.cmake. */\n#include \"paper.h\"\n\n"
    "#include <stddef.h>\n\n${arrays}const repro_paper_table repro_paper_tables[] = {\n${entries}    {NULL, NULL}};\n")
