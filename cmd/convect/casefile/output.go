package casefile

import (
	"slices"
	"strings"

	"convect/kernels"
)

// decodeOutput reads when snapshots are due and what they hold.
func (c *Case) decodeOutput(v value) {
	s, _ := v.section()
	o := &c.Output
	c.decodeSchedule(s.get("every"))
	var all []string
	for _, q := range c.Parameters.Quantities() {
		all = append(all, q.Name)
	}
	o.Fields = all
	if fields := s.get("fields"); fields.given() {
		o.Fields = nil
		items, ok := fields.list("a list of " + strings.Join(all, ", "))
		for _, item := range items {
			before := len(c.d.errors)
			name := item.choice(all)
			if slices.Contains(o.Fields, name) && len(c.d.errors) == before {
				item.refuse("each field once", "%s is listed twice", name)
			}
			o.Fields = append(o.Fields, name)
		}
		if ok && len(items) == 0 {
			fields.refuse("one or more of "+strings.Join(all, ", "), "the list is empty")
		}
	}
	o.Precision = kernels.Float32
	if s.get("precision").choice([]string{"float32", "float64"}) == "float64" {
		o.Precision = kernels.Float64
	}
	o.Compress = s.get("compress").truth()
}
