package physics

import (
	"fmt"
	"strings"

	"convect/stencil"
)

// scratchFields is the number of fields that a step needs for work: an extrapolation, a right side and a residual of each scalar.
func scratchFields(scalars int) int { return 2 + scalars }

// scratch is a pool of fields for work. A field is borrowed under the name of what it will hold and given back when that has
// been used; its values are lost then, less the zeros beyond walls. Whoever borrows too much, or the same thing twice, has made a mistake in
// this package, and the pool panics with the names of all that is lent.
type scratch struct {
	own  []*stencil.Field
	lent []loan // those without a field are free
}

// loan is a field and the name of what it holds for now.
type loan struct {
	field *stencil.Field
	name  string
}

// build allocates so many fields.
func (s *scratch) build(g *stencil.Grid, fields int) error {
	s.lent = make([]loan, 2*fields)
	for range fields {
		f, err := g.NewField("scratch", nil)
		if err != nil {
			return err
		}
		s.own = append(s.own, f)
	}
	return nil
}

// borrow returns a field whose values mean nothing.
func (s *scratch) borrow(name string) *stencil.Field {
	for _, f := range s.own {
		if !s.isLent(f) {
			return s.lend(name, f)
		}
	}
	panic(fmt.Sprintf("physics: no field is left for %s; lent are %s", name, s.names()))
}

// reuse lends a field from outside the pool whose values have been used, so that it holds something else until it is given back.
func (s *scratch) reuse(name string, f *stencil.Field) *stencil.Field {
	if s.isLent(f) {
		panic(fmt.Sprintf("physics: the field for %s is in use; lent are %s", name, s.names()))
	}
	return s.lend(name, f)
}

// lend notes a loan.
func (s *scratch) lend(name string, f *stencil.Field) *stencil.Field {
	free := -1
	for n, l := range s.lent {
		switch {
		case l.field == nil:
			free = n
		case l.name == name:
			panic(fmt.Sprintf("physics: %s is lent already; lent are %s", name, s.names()))
		}
	}
	if free < 0 {
		panic(fmt.Sprintf("physics: no loan is left for %s; lent are %s", name, s.names()))
	}
	s.lent[free] = loan{f, name}
	return f
}

// giveBack ends a loan. A field of nil is none.
func (s *scratch) giveBack(f *stencil.Field) {
	if f == nil {
		return
	}
	for n, l := range s.lent {
		if l.field == f {
			s.lent[n] = loan{}
			return
		}
	}
	panic(fmt.Sprintf("physics: a field is given back that is not lent; lent are %s", s.names()))
}

// isLent tells whether a field is in use.
func (s *scratch) isLent(f *stencil.Field) bool {
	for _, l := range s.lent {
		if l.field == f {
			return true
		}
	}
	return false
}

// names lists what is lent.
func (s *scratch) names() string {
	var names []string
	for _, l := range s.lent {
		if l.field != nil {
			names = append(names, l.name)
		}
	}
	return strings.Join(names, ", ")
}

// free releases the fields.
func (s *scratch) free() {
	for _, f := range s.own {
		f.Free()
	}
}
