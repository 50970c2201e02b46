package sampling

import "fmt"

// stateName is the name of what identifies an average, its time and when that began.
const stateName = "state"

// Sums returns the sums of all averages for a checkpoint, by names as NAME/temperature/mean_0.
func (a *Averages) Sums() (map[string][]float64, error) {
	if len(a.all) == 0 {
		return nil, nil
	}
	all := map[string][]float64{}
	for _, m := range a.all {
		all[m.Name+"/"+stateName] = []float64{m.id(), m.weight, m.began}
		for _, q := range m.quantities {
			for c, sums := range m.sums[q.Name] {
				mean, square, err := sums.Sums()
				if err != nil {
					return nil, fmt.Errorf("average %s: %w", m.Name, err)
				}
				all[m.meanName(q.Name, c)] = mean
				if square != nil {
					all[m.squareName(q.Name, c)] = square
				}
			}
		}
	}
	return all, nil
}

func (m *mean) meanName(quantity string, component int) string {
	return fmt.Sprintf("%s/%s/mean_%d", m.Name, quantity, component)
}

func (m *mean) squareName(quantity string, component int) string {
	return fmt.Sprintf("%s/%s/square_%d", m.Name, quantity, component)
}

// restore takes the sums of a checkpoint, unless it has none of just this average.
func (m *mean) restore(all map[string][]float64) bool {
	state := all[m.Name+"/"+stateName]
	if len(state) != 3 || state[0] != m.id() {
		return false
	}
	for _, q := range m.quantities {
		for c, sums := range m.sums[q.Name] {
			if len(all[m.meanName(q.Name, c)]) != sums.Nodes() || sums.HasSquares() && len(all[m.squareName(q.Name, c)]) != sums.Nodes() {
				return false
			}
		}
	}
	m.weight, m.began = state[1], state[2]
	for _, q := range m.quantities {
		for c, sums := range m.sums[q.Name] {
			sums.SetSums(all[m.meanName(q.Name, c)], all[m.squareName(q.Name, c)])
		}
	}
	return true
}
