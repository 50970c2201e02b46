package kernels

// Choice is what a device runs for one call.
type Choice struct {
	Call    string   // the method of Device
	Kernels []string // in the order in which they run
	Reason  string   // why a faster form was not taken; "" where it was
}

// Planner is a Device that tells which kernels it chooses.
type Planner interface {
	// Plan calls f and returns what the device would run for its calls. It runs nothing, so that it changes no array; f must not allocate, and what it
	// reads are zeros.
	Plan(f func()) []Choice
}
