# What is installed, and the Debian packages made of it:
# `cmake --install build`, `cpack -G DEB --config build/CPackConfig.cmake`.
# The components isoscope and mpi (isoscope-mpi, which needs an MPI) become Debian packages. Files that differ outside Debian
# belong to the component local; their variants for Debian are marked EXCLUDE_FROM_ALL.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME isoscope)

# ---- the manual page and the completions of shells, from the tables of the program -----------------------------------
add_executable(isoscope_manual
    src/manual/bash.c
    src/manual/fish.c
    src/manual/man.c
    src/manual/manual.c
    src/manual/zsh.c)
target_link_libraries(isoscope_manual PRIVATE ${window_part})
set(manual ${CMAKE_CURRENT_BINARY_DIR}/manual)
file(MAKE_DIRECTORY ${manual})
add_custom_command(OUTPUT ${manual}/isoscope.1 ${manual}/isoscope.bash ${manual}/_isoscope ${manual}/isoscope.fish
    COMMAND isoscope_manual ${manual} ${day} ${CMAKE_INSTALL_DOCDIR} DEPENDS isoscope_manual VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual}/isoscope.1)

# install_gzipped(FILE FOLDER NAME [COMPONENT X]): installs a file compressed as in Debian, without a time stamp.
function(install_gzipped file folder name)
    set(made ${CMAKE_CURRENT_BINARY_DIR}/packaging/${name}.gz)
    file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/packaging)
    add_custom_command(OUTPUT ${made} COMMAND gzip -9nc ${file} > ${made} DEPENDS ${file} VERBATIM)
    add_custom_target(gzip_${name} ALL DEPENDS ${made})
    install(FILES ${made} DESTINATION ${folder} ${ARGN})
endfunction()

# ---- files -------------------------------------------------------------------------------------------------------------
install(TARGETS isoscope)
install_gzipped(${manual}/isoscope.1 ${CMAKE_INSTALL_MANDIR}/man1 isoscope.1)
add_dependencies(gzip_isoscope.1 manual)
install(FILES ${manual}/isoscope.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME isoscope)
set(ISO_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh looks for completions, in its fpath")
install(FILES ${manual}/_isoscope DESTINATION ${ISO_ZSH_COMPLETIONS} COMPONENT local)
install(FILES ${manual}/_isoscope DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions EXCLUDE_FROM_ALL)
install(FILES ${manual}/isoscope.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# A version is released if the changelog has a heading with its date: "## 1.2.3, 2030-12-31".
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md)
file(STRINGS ${PROJECT_SOURCE_DIR}/CHANGELOG.md released LIMIT_COUNT 1 REGEX "^## ${PROJECT_VERSION}, [0-9]+-[0-9]+-[0-9]+$")
string(REGEX REPLACE ".*, " "" released "${released}")
if(iso_window) # what a desktop needs to open files in it
    # An application id is a reversed domain name, and a mail address has one, too. The project has no domain, so it uses
    # "invalid", which RFC 2606 reserves.
    set(id invalid.isoscope.isoscope)
    install(FILES packaging/isoscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications RENAME ${id}.desktop)
    install(FILES packaging/mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME isoscope.xml)
    configure_file(packaging/metainfo.xml.in packaging/${id}.metainfo.xml @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/packaging/${id}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo)
    install(FILES assets/icon.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps RENAME isoscope.svg)
    foreach(pixels 48 256) # for desktops that draw no SVG
        install(FILES assets/icon-${pixels}.png DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/${pixels}x${pixels}/apps
            RENAME isoscope.png)
    endforeach()
endif()

install(FILES README.md CONTRIBUTING.md packaging/copyright TYPE DOC)
install(DIRECTORY docs TYPE DOC)
install(FILES CHANGELOG.md TYPE DOC)
install(FILES assets/vessels.png assets/panel.png assets/lab.png assets/tour.png DESTINATION ${CMAKE_INSTALL_DOCDIR}/assets)
install(DIRECTORY assets/tutorial DESTINATION ${CMAKE_INSTALL_DOCDIR}/assets)
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/isoscope/data)
# Files that the documents link to are installed in another place or under another name.
set(linked ${CMAKE_CURRENT_BINARY_DIR}/packaging/linked)
file(MAKE_DIRECTORY ${linked})
file(RELATIVE_PATH to_data ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_DATADIR}/isoscope/data)
file(CREATE_LINK ${to_data} ${linked}/data SYMBOLIC)
file(CREATE_LINK copyright ${linked}/LICENSE SYMBOLIC)
install(FILES ${linked}/data ${linked}/LICENSE TYPE DOC)

# ---- the Debian packages -----------------------------------------------------------------------------------------------
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The isoscope authors <authors@isoscope.invalid>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_FILE_NAME isoscope)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 0local1) # sorts before a version 1 of Debian's own, should there be one
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL isoscope)
set(CPACK_DEBIAN_ISOSCOPE_PACKAGE_NAME isoscope)
if(iso_window)
    set(CPACK_DEBIAN_ISOSCOPE_PACKAGE_RECOMMENDS "fonts-dejavu-core, libgl1-mesa-dri")
endif()
set(CPACK_DEBIAN_ISOSCOPE_PACKAGE_SUGGESTS dcm2niix)
if(TARGET isoscope-mpi)
    list(APPEND CPACK_COMPONENTS_ALL mpi)
    set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS openmpi-bin) # its mpirun
    if(MPI_C_INCLUDE_DIRS MATCHES mpich)
        set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS mpich)
    endif()
endif()
set(CPACK_DEBIAN_MPI_PACKAGE_NAME isoscope-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SUGGESTS isoscope) # the window, and all documents
set(CPACK_DEBIAN_MPI_DESCRIPTION "isosurfaces of large volumes by many processes
isoscope-mpi is isoscope for mpirun: its commands extract, info and bench share
a volume among processes, on one machine or on many that see the same files.
It has no window, and needs no OpenGL.
The files have the same bytes as those that isoscope writes.")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # or it would precede both descriptions
set(CPACK_DEBIAN_ISOSCOPE_DESCRIPTION "interactive isosurface viewer of volume files
isoscope opens a volume (CT, MRI, microscopy, simulation), extracts isosurfaces
with marching cubes, and redraws them while the isovalue is dragged. It
measures and exports them, in the window and on the command line, and compares
implementations of each stage, on an NVIDIA GPU or on the CPU.
.
It reads DICOM (through dcm2niix), NIfTI, NRRD, MetaImage, VTK, TIFF, OME-Zarr,
MRC, CUBE, DX, NumPy, RAW and folders of slices, and writes PLY, STL, OBJ, GLB,
VTP and PVTP.")
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C date -u -d ${day} "+%a, %d %b %Y %H:%M:%S +0000"
    OUTPUT_VARIABLE day_of_mail OUTPUT_STRIP_TRAILING_WHITESPACE)
configure_file(packaging/changelog.Debian.in packaging/changelog.Debian @ONLY)
install_gzipped(${CMAKE_CURRENT_BINARY_DIR}/packaging/changelog.Debian ${CMAKE_INSTALL_DOCDIR} changelog.Debian)
install_gzipped(${PROJECT_SOURCE_DIR}/CHANGELOG.md ${CMAKE_INSTALL_DOCDIR} changelog)

# isoscope-mpi must not depend on the package isoscope, which needs OpenGL. So it has the manual page and the bash
# completion, too. If both are installed, both copies define the same function.
if(TARGET isoscope-mpi)
    cmake_path(GET CMAKE_INSTALL_DOCDIR PARENT_PATH docs)
    file(CONFIGURE OUTPUT ${manual}/isoscope-mpi.fish CONTENT "complete -c isoscope-mpi -w isoscope\n")
    install(TARGETS isoscope-mpi COMPONENT mpi)
    install_gzipped(${manual}/isoscope.1 ${CMAKE_INSTALL_MANDIR}/man1 isoscope-mpi.1 COMPONENT mpi)
    add_dependencies(gzip_isoscope-mpi.1 manual)
    install(FILES ${manual}/isoscope.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME isoscope-mpi
        COMPONENT mpi)
    install(FILES ${manual}/isoscope-mpi.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT mpi)
    set(made ${CMAKE_CURRENT_BINARY_DIR}/packaging)
    install(FILES packaging/copyright ${made}/changelog.Debian.gz ${made}/changelog.gz DESTINATION ${docs}/isoscope-mpi
        COMPONENT mpi)
endif()
include(CPack)
