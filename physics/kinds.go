package physics

// HeatKind is the thermal condition of a wall.
type HeatKind uint8

// Thermal conditions.
const (
	HeatFlux         HeatKind = iota // prescribed conductive flux into the domain; 0: insulated
	FixedTemperature                 // T prescribed
	HeatTransfer                     // coefficient times the temperature outside less T flows in
)

// HeatRule says what a thermal condition does. All that depends on the condition asks its rule.
type HeatRule struct {
	Warm  bool // the value is a temperature, else a flux into the domain
	Holds bool // the nodes take the value
	Gives bool // the value enters by conduction
	Ties  bool // a coefficient times the value less T enters by conduction
}

// Rule returns the rule of a condition.
func (k HeatKind) Rule() HeatRule {
	return [...]HeatRule{
		HeatFlux:         {Gives: true},
		FixedTemperature: {Warm: true, Holds: true},
		HeatTransfer:     {Warm: true, Ties: true},
	}[k]
}

// FlowKind is the hydraulic condition of a wall.
type FlowKind uint8

// Hydraulic conditions.
const (
	Closed        FlowKind = iota
	Open                   // pressure of the outside fluid, hydrostatic at its temperature
	FixedPressure          // pressure prescribed
	FixedVelocity          // inward normal velocity prescribed
)

// FlowRule says what a hydraulic condition does. All that depends on the condition asks its rule.
type FlowRule struct {
	Value  string // what is prescribed, in messages; "": nothing
	Passes bool   // fluid may pass
	Holds  bool   // the nodes have a given pressure: the value, or that of the column outside
	Column bool   // which is that of the column outside
	Gives  bool   // the value is the inward velocity
}

// Rule returns the rule of a condition.
func (k FlowKind) Rule() FlowRule {
	return [...]FlowRule{
		Closed:        {},
		Open:          {Passes: true, Holds: true, Column: true},
		FixedPressure: {Value: "pressure", Passes: true, Holds: true},
		FixedVelocity: {Value: "velocity", Passes: true, Gives: true},
	}[k]
}

// Conducts tells whether the scalar may be conducted through the wall.
func (c Condition) Conducts() bool {
	rule := c.Kind.Rule()
	return rule.Holds || rule.Gives && c.Value != nil || rule.Ties && c.Coefficient != nil
}

// takeHeat takes the thermal condition of another wall.
func (w *Wall) takeHeat(o *Wall) {
	w.Heat, w.HeatValue, w.HeatCoefficient = o.Heat, o.HeatValue, o.HeatCoefficient
}

// takeFlow takes the hydraulic condition of another wall.
func (w *Wall) takeFlow(o *Wall) { w.Flow, w.FlowValue = o.Flow, o.FlowValue }

// insulates tells whether nothing is conducted through a point of the wall at the start.
func (c Condition) insulates(x [3]float64) bool {
	rule, of := c.Kind.Rule(), c.Value
	if rule.Ties {
		of = c.Coefficient
	}
	return !rule.Holds && value(of, x, 0) == 0
}

// same tells whether the conditions at two points of a wall are the same at the start.
func (c Condition) same(o Condition, x, y [3]float64) bool {
	return c.Kind == o.Kind && value(c.Value, x, 0) == value(o.Value, y, 0) && value(c.Inflow, x, 0) == value(o.Inflow, y, 0) &&
		value(c.Coefficient, x, 0) == value(o.Coefficient, y, 0)
}

// sameFlow tells whether the hydraulic conditions at two points of a wall are the same at the start.
func sameFlow(a, b *Wall, x, y [3]float64) bool {
	return a.Flow == b.Flow && value(a.FlowValue, x, 0) == value(b.FlowValue, y, 0)
}
