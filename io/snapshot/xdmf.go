package snapshot

import (
	"bytes"
	"fmt"
	"path"
	"strconv"
	"text/template"
)

const xdmfText = `<?xml version="1.0" ?>
<!DOCTYPE Xdmf SYSTEM "Xdmf.dtd" []>
<Xdmf Version="2.0">
 <Domain>
  <Grid Name="snapshots" GridType="Collection" CollectionType="Temporal">
{{- range .}}
   <Grid Name="step {{.Step}}" GridType="Uniform">
    <Time Value="{{.Time}}"/>
{{- if .Axes}}
    <Topology TopologyType="3DRectMesh" Dimensions="{{.Dimensions}}"/>
    <Geometry GeometryType="VXVYVZ">
{{- range .Axes}}
     <DataItem Dimensions="{{.Dimensions}}" NumberType="Float" Precision="8" Format="HDF">{{.Place}}</DataItem>
{{- end}}
    </Geometry>
{{- else}}
    <Topology TopologyType="3DCoRectMesh" Dimensions="{{.Dimensions}}"/>
    <Geometry GeometryType="ORIGIN_DXDYDZ">
     <DataItem Dimensions="3" NumberType="Float" Precision="8" Format="XML">{{.Origin}}</DataItem>
     <DataItem Dimensions="3" NumberType="Float" Precision="8" Format="XML">{{.Spacing}}</DataItem>
    </Geometry>
{{- end}}
{{- range .Fields}}
    <Attribute Name="{{.Name}}" AttributeType="{{.Rank}}" Center="{{.Center}}">
     <DataItem Dimensions="{{.Dimensions}}" NumberType="Float" Precision="{{.Precision}}" Format="HDF">{{.Place}}</DataItem>
    </Attribute>
{{- end}}
   </Grid>
{{- end}}
  </Grid>
 </Domain>
</Xdmf>
`

// xdmfGrid is one snapshot as xdmfText names it; Axes are given where the grid is graded.
type xdmfGrid struct {
	Step             int64
	Time, Dimensions string
	Origin, Spacing  string
	Axes, Fields     []xdmfItem
}

// xdmfItem is a dataset of a file; Name, Rank and Center are those of fields.
type xdmfItem struct {
	Name, Rank, Center, Dimensions string
	Precision                      int
	Place                          string
}

// xdmf returns XDMF 2: a temporal collection of one grid a snapshot. Dimensions, origin and spacing are in z y x
// order; a flat grid has one plane in y. Arrays stay in their files and are named whole, never cut out of a larger one.
func xdmf(entries []Entry) ([]byte, error) {
	parsed, err := template.New(XDMFName).Parse(xdmfText)
	if err != nil {
		return nil, err
	}
	var grids []xdmfGrid
	for _, e := range entries {
		grids = append(grids, newXDMFGrid(e))
	}
	var b bytes.Buffer
	err = parsed.Execute(&b, grids)
	return b.Bytes(), err
}

func newXDMFGrid(e Entry) xdmfGrid {
	geo, file := e.geometry, path.Join(Folder, e.Name)
	n, h := geo.points, geo.spacing()
	g := xdmfGrid{Step: e.Step, Time: number(e.Time), Dimensions: fmt.Sprintf("%d %d %d", n[2], n[1], n[0]),
		Origin:  number(geo.origin[2]) + " " + number(geo.origin[1]) + " " + number(geo.origin[0]),
		Spacing: number(h[2]) + " " + number(h[1]) + " " + number(h[0])}
	if !geo.uniform {
		for d := range 3 {
			g.Axes = append(g.Axes, xdmfItem{Dimensions: strconv.Itoa(n[d]), Place: file + ":" + axisPath(d)})
		}
	}
	for _, f := range e.Fields {
		name := template.HTMLEscapeString(f.Name)
		item := xdmfItem{Name: name, Rank: "Scalar", Center: "Node", Dimensions: g.Dimensions, Precision: 4, Place: file + ":" + fieldPath(name, f.Cells)}
		if f.Cells {
			c := geo.ofCells().points
			item.Center, item.Dimensions = "Cell", fmt.Sprintf("%d %d %d", c[2], c[1], c[0])
		}
		if f.Components > 1 {
			item.Rank = "Vector"
			item.Dimensions += " " + strconv.Itoa(f.Components)
		}
		if f.Double {
			item.Precision = 8
		}
		g.Fields = append(g.Fields, item)
	}
	return g
}

// number prints the shortest text that reads back to the same value.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
