// Package vtk writes fields as XML files of VTK, which ParaView, VisIt, PyVista and meshio read: ImageData (.vti) on equal widths, RectilinearGrid (.vtr)
// on any. Values are appended as raw little-endian bytes, each array behind its length as uint64 (VTK file formats, version 1.0).
package vtk
