package gridded

import (
	"bytes"

	"io"
	"os"
	"syscall"
	"unicode/utf8"
)

// isText is the answer of foreignKind for a file of text.
const isText = "text"

// kinds are files that people have and that are not read, by their first bytes, and what to do.
var kinds = []struct{ start, words string }{
	{"\x89HDF\r\n\x1a\n", "is an HDF5 file"},
	{"CDF\x01", netCDF3}, {"CDF\x02", netCDF3}, {"CDF\x05", netCDF3},
	{"\x93NUMPY", "is a NumPy array (.npy); write it into HDF5: h5py.File('k.h5', 'w')['k'] = numpy.load('k.npy')"},
	{"II*\x00", tiff}, {"MM\x00*", tiff}, {"II+\x00", tiff}, {"MM\x00+", tiff},
	{"\x0e\x03\x13\x01", "is an HDF4 file; h4toh5 makes HDF5 of it"},
	{"MATLAB 5.0", "is a MATLAB file of an old version; save it with -v7.3"},
	{"PK\x03\x04", "is an archive or a spreadsheet (.npz, .xlsx, .zip); write HDF5 or save it as CSV"},
	{"\x1f\x8b", "is compressed by gzip; unpack it"},
	{"GRIB", "is a GRIB file; convert it to NetCDF-4"},
	{"SIMPLE  =", "is a FITS file; convert it to HDF5"},
	{"# vtk", "is a VTK file; write HDF5, or CSV with the columns x, y, z and the value"}, {"<?xml", "is an XML file; write HDF5 or CSV"},
}

const (
	netCDF3 = "is a NetCDF-3 file; make NetCDF-4 of it: nccopy -k nc4 old.nc new.nc, or format=\"NETCDF4\" of xarray's to_netcdf"
	tiff    = "is a TIFF picture (GeoTIFF); convert it to NetCDF-4: gdal_translate -of netCDF -co FORMAT=NC4 old.tif new.nc"
)

// foreignKind says in words what a file is that is not HDF5 ("is a …"), or isText.
func foreignKind(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "is a folder", nil
	case !info.Mode().IsRegular():
		return "is not a regular file", nil
	case info.Size() == 0:
		return "is empty", nil
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return "", err
	}
	return kindOf(head[:n]), nil
}

// kindOf is foreignKind by the first bytes of a file.
func kindOf(head []byte) string {
	for _, k := range kinds {
		if bytes.HasPrefix(head, []byte(k.start)) {
			return k.words
		}
	}
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return "is text in UTF-16; save it as UTF-8"
	}
	whole := head
	for range utf8.UTFMax { // the last character may be cut
		if utf8.Valid(whole) || len(whole) == 0 {
			break
		}
		whole = whole[:len(whole)-1]
	}
	if utf8.Valid(whole) && len(whole) > 0 && bytes.IndexByte(head, 0) < 0 {
		return isText
	}
	return "is neither HDF5 nor a table of text"
}

// Read reads the field of a request. The error is an [*Error] where the request is wrong or the file no such field, that of package column where
// a table is, and else that of package h5 or of the system.
func Read(r Request) (*Field, error) {
	f := &Field{Path: r.Path, target: r.Target}
	h, err := openHDF5(&r)
	switch {
	case err != nil:
		return nil, err
	case h != nil:
		defer h.r.Close()
		err = h.read(f)
	default:
		err = readTable(&r, f)
	}
	if err != nil {
		return nil, err
	}
	return f, f.settle(r.Values)
}

// refuseKind says that a file is not of the kind that a request needs.
func refuseKind(r *Request, words string) error {
	accepted := "an HDF5 (NetCDF-4) file, or a table of text (CSV) with the columns x, y, z and the value"
	switch {
	case words == isText:
		words, accepted = "is a table of text (CSV), and dataset names something in an HDF5 file", "an HDF5 file with dataset, or a table with column"
	case words == "is an HDF5 file":
		words, accepted = "is an HDF5 file, and column names something in a table of text (CSV)", "an HDF5 file with dataset, or a table with column"
	}
	return wrong(PartFile, accepted, "%s %s", r.Path, words)
}
