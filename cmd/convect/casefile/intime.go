package casefile

import (
	"slices"

	"convect/physics"
)

// variable reads what may vary in time: a number, an expression in position and time, or a table in time.
func (c *Case) variable(v value, l limit) field {
	if v.node.kind == mapping {
		return c.tableField(v, l)
	}
	return v.field(l, append(c.variables(), "t")...)
}

// course tells how fields vary in time, at nondimensional points and times.
func course(s physics.Scales, fields ...*field) physics.Course {
	out := physics.Course{Uniform: true}
	for _, f := range fields {
		if !f.inTime {
			continue
		}
		out.Uniform = out.Uniform && !f.inSpace
		for _, of := range f.turns {
			out.Turns = append(out.Turns, func(x, y, z, t float64) float64 { return of(x*s.Length, y*s.Length, z*s.Length, t*s.Time) })
		}
	}
	return out
}

// buildTables reads the tables in time.
func (c *Case) buildTables() {
	for i, t := range c.plan.tables {
		same := func(other *table) bool { return other.path.node == t.path.node } // boundaries.sides is read for each side
		if first := slices.IndexFunc(c.plan.tables, same); first < i {
			*t = *c.plan.tables[first]
			continue
		}
		c.readTable(t)
	}
}
