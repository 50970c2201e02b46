package physics

import (
	"math"

	"convect/kernels"
	"convect/stencil"
)

// WellPlace tells how a well lies on the grid.
type WellPlace struct {
	Name  string
	Nodes int // among which its rate is shared out
	// Exchange is the largest w/2V of a node, w its part of the rate: times a rate over σ it is the Courant number per time that the well alone asks for.
	Exchange float64
}

// PlaceWells places the wells of a model on its grid, for a look at them before a run. It fails as New does.
func PlaceWells(dev kernels.Device, p Parameters) ([]WellPlace, error) {
	g, err := stencil.NewGrid(dev, p.Precision, p.Extent)
	if err != nil {
		return nil, err
	}
	defer g.Free()
	w, err := newWells(g, &p, 0)
	if err != nil {
		return nil, err
	}
	var all []WellPlace
	for _, l := range w.all {
		place := WellPlace{Name: l.of.Name}
		for _, part := range l.parts {
			for n, weight := range part.weights {
				i, j, k := part.Node(n)
				place.Nodes++
				place.Exchange = math.Max(place.Exchange, weight/2/(g.DualWidth(0, i)*g.DualWidth(1, j)*g.DualWidth(2, k)))
			}
		}
		all = append(all, place)
	}
	return all, nil
}
