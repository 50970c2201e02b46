package series

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"

	"convect/io/whole"
	"convect/physics"
)

// Number is a float64 that JSON holds as null where it is not finite.
type Number float64

// MarshalJSON writes null for NaN and infinities.
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON reads null as NaN.
func (n *Number) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(data, (*float64)(n))
}

// Summary holds the results of a run: summary.json. Quantities are in the units of the case.
type Summary struct {
	Nusselt            Number `json:"nusselt"` // mean of the hot and the cold wall at the end
	NusseltHot         Number `json:"nusselt_hot"`
	NusseltCold        Number `json:"nusselt_cold"`
	NusseltVolume      Number `json:"nusselt_volume"`
	NusseltDissipation Number `json:"nusselt_dissipation"`
	NusseltMean        Number `json:"nusselt_mean"` // time average over the last half of the run
	NusseltStdErr      Number `json:"nusselt_stderr"`
	RowsMissing        int64  `json:"rows_missing"` // steps without a row in series.csv, which the average leaves out
	PsiMax             Number `json:"psi_max"`      // max |ψ|, 2-D
	PsiCentre          Number `json:"psi_centre"`   // ψ at the centre, 2-D

	SpeedRMS        Number `json:"speed_rms"`
	SpeedMax        Number `json:"speed_max"`
	TemperatureMean Number `json:"temperature_mean"`

	// Scalars holds what series.csv has of the scalars beside the temperature, at the end, by their names and columns.
	Scalars map[string]map[string]Number `json:"scalars,omitempty"`

	// Surfaces holds what enters through each wall and patch at the end: fluid, heat and each solute by its name, in SurfaceUnits. In 2-D that is through a wall a metre deep.
	Surfaces     map[string]map[string]Number `json:"surfaces,omitempty"`
	SurfaceUnits map[string]string            `json:"surface_units,omitempty"`

	Rayleigh           Number `json:"rayleigh"`
	Time               Number `json:"time"`
	TimeUnit           string `json:"time_unit"`
	TimeText           string `json:"time_text"` // in a unit that a person reads
	Steps              int64  `json:"steps"`
	Steady             bool   `json:"steady"` // stopped as steady
	WallSeconds        Number `json:"wall_seconds"`
	Nodes              int64  `json:"nodes"`
	NodeStepsPerSecond Number `json:"node_steps_per_second"`
	Device             string `json:"device"`
	Precision          string `json:"precision"`
	Version            string `json:"version"`
}

// HalfRun is the fraction of a run that Summary averages over.
const HalfRun = 0.5

// Summarise returns the results at the last sample of a run on so many nodes, of which so many steps took so many
// seconds of wall time ([Writer.Elapsed]), in the units of its tables. The caller adds Rayleigh, Steady, Device, Precision and Version.
func Summarise(sample *physics.Sample, mean Average, o Options, nodes, steps int64, seconds float64) *Summary {
	o.setDefaults()
	scales := o.Scales
	flow, heat := scales.Velocity*scales.Length, o.heat(sample)
	surfaces, units := o.surfaces(sample)
	return &Summary{Scalars: o.others(sample), Surfaces: surfaces, SurfaceUnits: units,
		Nusselt:    Number(heat.Transfer()),
		NusseltHot: Number(heat.Hot), NusseltCold: Number(heat.Cold),
		NusseltVolume: Number(heat.Volume), NusseltDissipation: Number(heat.Dissipation),
		NusseltMean: Number(mean.Mean), NusseltStdErr: Number(mean.StdErr), RowsMissing: mean.Missing,
		PsiMax: Number(sample.Streamfunction * flow), PsiCentre: Number(sample.StreamfunctionMid * flow),
		SpeedRMS: Number(sample.SpeedRMS * scales.Velocity), SpeedMax: Number(sample.SpeedMax * scales.Velocity),
		TemperatureMean: Number(heat.Mean * scales.Temperature),
		Time:            Number(sample.Time * scales.Time), TimeUnit: scales.TimeUnit, TimeText: scales.TimeText(sample.Time, 6), Steps: sample.Step,
		WallSeconds: Number(seconds), Nodes: nodes, NodeStepsPerSecond: Number(float64(nodes) * float64(steps) / seconds),
	}
}

// temperature is the scalar whose numbers have keys of their own.
const temperature = "temperature"

// heat returns what is measured of the temperature; where there is none it is undefined.
func (o *Options) heat(sample *physics.Sample) *physics.ScalarSample {
	if len(o.Scalars) > 0 && o.Scalars[0].Name != temperature {
		none := math.NaN()
		return &physics.ScalarSample{Hot: none, Cold: none, Volume: none, Dissipation: none, Mean: none}
	}
	return sample.Heat()
}

// surfaces returns what enters through each surface, and the units: those of a wall with an area, as every wall has that is a metre deep.
func (o *Options) surfaces(sample *physics.Sample) (all map[string]map[string]Number, symbols map[string]string) {
	if len(o.Surfaces) == 0 {
		return nil, nil
	}
	u := &units{o.Scales, o.Dimensions, o.Scalars, o.Wells, o.Surfaces}
	deep := &units{o.Scales, 3, o.Scalars, o.Wells, o.Surfaces}
	all, symbols = map[string]map[string]Number{}, map[string]string{}
	for n, name := range o.Surfaces {
		through := map[string]Number{}
		for _, c := range u.surface(n) {
			through[strings.TrimPrefix(c.name, name+"_")] = Number(c.get(sample, u))
			symbols[strings.TrimPrefix(c.name, name+"_")] = c.unit(deep)
		}
		all[name] = through
	}
	return all, symbols
}

// others returns the columns of the scalars beside the temperature; nil where there are none.
func (o *Options) others(sample *physics.Sample) map[string]map[string]Number {
	u := &units{o.Scales, o.Dimensions, o.Scalars, o.Wells, o.Surfaces}
	var all map[string]map[string]Number
	for n := range o.Scalars {
		of := &o.Scalars[n]
		if of.Name == temperature {
			continue
		}
		numbers := map[string]Number{of.Number: Number(sample.Scalars[n].Transfer())}
		for _, c := range append(transfers(of), balances(of)...) {
			numbers[c.name] = Number(c.get(&sample.Scalars[n], u))
		}
		if all == nil {
			all = map[string]map[string]Number{}
		}
		all[of.Name] = numbers
	}
	return all
}

// Write writes summary.json whole or not at all.
func (s *Summary) Write(path string) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return whole.WriteFile(path, append(text, '\n'))
}

// ReadSummary reads summary.json.
func ReadSummary(path string) (*Summary, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &Summary{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}
