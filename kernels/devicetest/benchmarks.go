package devicetest

// neighbourMean returns, at inner nodes of a box, the mean of the neighbours of u along all axes and f (if not nil);
// u on the walls.
func neighbourMean(u Field, f *Field) result {
	return compute(u.Box, func(n Node) sum {
		var s sum
		count := 0.0
		for d, extent := range u.Box.N {
			if !present(u.Box, d) {
				continue
			}
			if n[d] == 0 || n[d] == extent-1 {
				return exact(u.At(n))
			}
			s.add(u.At(shift(n, d, -1)))
			s.add(u.At(shift(n, d, 1)))
			count += 2
		}
		if f != nil {
			s.add(f.At(n))
		}
		return sum{s.value / count, s.size / count}
	})
}
