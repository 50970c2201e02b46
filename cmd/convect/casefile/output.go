package casefile

import "convect/kernels"

// decodeOutput reads when snapshots are due and what they hold, and what is measured besides.
func (c *Case) decodeOutput(v value) {
	s, _ := v.section()
	o := &c.Output
	if every, ok := c.schedule(s.get("every")); ok {
		c.Controls.Output = every
	}
	all, usual := c.quantityNames(true)
	o.Fields = c.fields(s.get("fields"), all, usual)
	c.decodeMeasures(s)
	o.Precision = kernels.Float32
	if s.get("precision").choice([]string{"float32", "float64"}) == "float64" {
		o.Precision = kernels.Float64
	}
	o.Compress = s.get("compress").truth()
	o.Scheduled = !s.get("ends").truthOr(true)
}
