# Installs the programs, both forms of the library, the headers, the manual pages, a pkg-config file and a CMake
# package. Neither of the last two names a folder of this build, so that the installed tree can be moved.
include(CMakePackageConfigHelpers)

# What a program needs to link with the static library, as -l names; a library outside of the linker's own
# folders brings its -L too.
set(gersh_static_flags "")
foreach(library ${LAPACKE_LINK_LIBRARIES} ${LAPACK_LIBRARIES} ${BLAS_LIBRARIES} ${CSV_LIBRARY} ${ZLIB_LIBRARIES}
        ${JANSSON_LINK_LIBRARIES} ${NETTLE_LINK_LIBRARIES})
    if(IS_ABSOLUTE "${library}")
        get_filename_component(folder "${library}" DIRECTORY)
        get_filename_component(file "${library}" NAME)
        if(file MATCHES "^lib(.+)\\.(so|a|dylib)$")
            set(library "-l${CMAKE_MATCH_1}")
            if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
                list(APPEND gersh_static_flags "-L${folder}")
            endif()
        endif()
    endif()
    list(APPEND gersh_static_flags "${library}")
endforeach()
list(REMOVE_ITEM gersh_static_flags -lm)
list(APPEND gersh_static_flags -lm)
if(GERSH_THREADS)
    list(APPEND gersh_static_flags -lpthread)
endif()
list(REMOVE_DUPLICATES gersh_static_flags)
target_link_libraries(gersh_static INTERFACE "$<INSTALL_INTERFACE:${gersh_static_flags}>")

install(TARGETS gersh gersh-reproduce RUNTIME)
install(TARGETS gersh_static gersh_shared EXPORT gersh)
install(DIRECTORY include/gersh TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE TYPE DOC)
foreach(section 1 3)
    file(GLOB pages CONFIGURE_DEPENDS docs/man/*.${section})
    if(pages)
        install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
    endif()
endforeach()

# pkg-config: all folders follow from the file's own place.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
foreach(kind LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}}")
        set(pc_${kind} "${CMAKE_INSTALL_${kind}}")
    else()
        set(pc_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}}")
    endif()
endforeach()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
    file(RELATIVE_PATH up "/${pkgconfig_dir}" "/")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(pc_prefix "\${pcfiledir}/${up}")
endif()
list(JOIN gersh_static_flags " " pc_static_flags)
configure_file(cmake/gersh.pc.in gersh.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/gersh.pc DESTINATION ${pkgconfig_dir})

# CMake: find_package(gersh) gives gersh::shared, gersh::static and gersh::gersh, which is the shared one.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gersh)
install(EXPORT gersh FILE gersh-targets.cmake NAMESPACE gersh:: DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gersh-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES cmake/gersh-config.cmake ${PROJECT_BINARY_DIR}/gersh-config-version.cmake
        DESTINATION ${package_dir})
