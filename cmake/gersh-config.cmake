# find_package(gersh): gersh::shared, gersh::static, and gersh::gersh for the shared one.
include(${CMAKE_CURRENT_LIST_DIR}/gersh-targets.cmake)
if(NOT TARGET gersh::gersh)
    add_library(gersh::gersh ALIAS gersh::shared)
endif()
