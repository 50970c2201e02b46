package figure

import "strings"

// symbols are what journals call the columns of tables and the keys of cases.
var symbols = map[string]string{
	"rayleigh": "Ra", "time": "t", "dt": "Δt", "nusselt": "Nu", "sherwood": "Sh", "speed_rms": "rms speed", "speed_max": "largest speed",
	"streamfunction_max": "largest |ψ|", "psi_max": "largest |ψ|", "psi_centre": "ψ at the centre", "divergence_max": "largest |∇·u|",
	"temperature": "T", "concentration": "S", "pressure": "p", "velocity": "speed", "streamfunction": "ψ", "z": "z", "heat_flux": "heat carried upwards",
	"buoyancy_ratio": "N", "lewis": "Le", "permeability": "k", "viscosity": "μ", "porosity": "porosity",
}

// Label returns what an axis calls a column or a key: Nu for nusselt, Nu (hot) for nusselt_hot.
func Label(name string) string {
	if symbol, ok := symbols[name]; ok {
		return symbol
	}
	for _, number := range []string{"nusselt", "sherwood"} {
		if at := strings.Index(name, number+"_"); at == 0 || at > 0 && name[at-1] == '.' {
			return strings.ReplaceAll(name[:at], ".", " ") + symbols[number] + " (" + strings.ReplaceAll(name[at+len(number)+1:], "_", " ") + ")"
		}
		if before, ok := strings.CutSuffix(name, "."+number); ok {
			return symbols[number] + " (" + before + ")"
		}
	}
	return strings.NewReplacer("_", " ", ".", " ").Replace(name)
}
