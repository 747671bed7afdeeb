# The page of `gersh report`, made from report/ with Node.js: report_source is the C file that holds it. Packages are
# fetched when CMake configures, once for each lock file, so that a machine without Node.js or without a network learns
# of it then, and builds everything but the page.
set(report_dir ${PROJECT_SOURCE_DIR}/report)
set(report_build ${PROJECT_BINARY_DIR}/report)
set(report_source ${report_build}/page.c)
set(report_packages OFF)
find_program(GERSH_NODE NAMES node nodejs)
find_program(GERSH_NPM npm)
file(MAKE_DIRECTORY ${report_build})

set(node_version 0)
if(GERSH_NODE)
    execute_process(COMMAND ${GERSH_NODE} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX REPLACE "^v" "" node_version "${node_version}")
endif()
if(GERSH_NODE AND GERSH_NPM AND node_version VERSION_GREATER_EQUAL 18)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${report_dir}/package-lock.json)
    file(SHA256 ${report_dir}/package-lock.json report_lock)
    set(report_stamp ${report_build}/packages-${report_lock})
    if(NOT EXISTS ${report_stamp})
        message(STATUS "Fetching the packages of report/ with npm")
        file(COPY ${report_dir}/package.json ${report_dir}/package-lock.json ${report_dir}/.npmrc
             DESTINATION ${report_build})
        execute_process(COMMAND ${GERSH_NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline
                                --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=30000
                        WORKING_DIRECTORY ${report_build} RESULT_VARIABLE npm_result
                        OUTPUT_VARIABLE npm_output ERROR_VARIABLE npm_output)
        if(npm_result EQUAL 0)
            file(TOUCH ${report_stamp})
        else()
            file(WRITE ${report_build}/npm.log "${npm_output}")
        endif()
    endif()
    if(EXISTS ${report_stamp})
        set(report_packages ON)
    else()
        message(STATUS "Without `gersh report`: npm could not fetch the packages (${report_build}/npm.log says why)")
    endif()
else()
    message(STATUS "Without `gersh report`: Node.js (18 or newer) and npm were not found")
endif()

if(report_packages)
    file(GLOB report_inputs CONFIGURE_DEPENDS ${report_dir}/page/*)
    add_custom_command(OUTPUT ${report_source} VERBATIM
        COMMAND ${GERSH_NODE} ${report_dir}/build.mjs ${report_build}
        DEPENDS ${report_inputs} ${report_dir}/build.mjs ${report_stamp})
else()
    file(CONFIGURE OUTPUT ${report_source} CONTENT [[
/* There was no Node.js to make the page with. */
#include "report/page.h"

const unsigned char gersh__page_before[] = {0}, gersh__page_after[] = {0};
const size_t gersh__page_before_size = 0, gersh__page_after_size = 0;
]])
endif()
