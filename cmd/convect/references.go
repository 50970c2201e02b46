package main

import (
	"fmt"
	"strings"

	"convect/kernels"
	"convect/multigrid"
	"convect/physics"
)

// reference is a work that a run may have to cite, and when.
type reference struct {
	key, kind string // of BibTeX
	what      string // what of it the run used
	fields    [][2]string
	used      func(p *physics.Parameters, methods []multigrid.Method) bool
}

func always(*physics.Parameters, []multigrid.Method) bool { return true }

// uses tells whether one of the solvers is of one of some methods.
func uses(wanted ...multigrid.Method) func(*physics.Parameters, []multigrid.Method) bool {
	return func(_ *physics.Parameters, methods []multigrid.Method) bool {
		for _, m := range methods {
			for _, w := range wanted {
				if m == w {
					return true
				}
			}
		}
		return false
	}
}

// references are the works behind the methods, by what a run does.
func references() []reference {
	return []reference{
		{"nield2017", "book", "equations of convection in porous media", [][2]string{{"author", "Nield, Donald A. and Bejan, Adrian"}, {"title", "Convection in Porous Media"}, {"publisher", "Springer"},
			{"edition", "5"}, {"year", "2017"}, {"doi", "10.1007/978-3-319-49562-0"}}, always},
		{"ascher1995", "article", "time stepping, SBDF2", [][2]string{{"author", "Ascher, Uri M. and Ruuth, Steven J. and Wetton, Brian T. R."},
			{"title", "Implicit-Explicit Methods for Time-Dependent Partial Differential Equations"}, {"journal", "SIAM Journal on Numerical Analysis"}, {"volume", "32"}, {"number", "3"},
			{"pages", "797--823"}, {"year", "1995"}, {"doi", "10.1137/0732037"}}, always},
		{"vanleer1974", "article", "transport, TVD", [][2]string{{"author", "van Leer, Bram"},
			{"title", "Towards the Ultimate Conservative Difference Scheme. {II}. Monotonicity and Conservation Combined in a Second-Order Scheme"}, {"journal", "Journal of Computational Physics"},
			{"volume", "14"}, {"number", "4"}, {"pages", "361--370"}, {"year", "1974"}, {"doi", "10.1016/0021-9991(74)90019-9"}},
			func(p *physics.Parameters, _ []multigrid.Method) bool { return p.Transport != kernels.Central }},
		{"borges2008", "article", "transport, WENO-Z", [][2]string{{"author", "Borges, Rafael and Carmona, Monique and Costa, Bruno and Don, Wai Sun"},
			{"title", "An Improved Weighted Essentially Non-Oscillatory Scheme for Hyperbolic Conservation Laws"}, {"journal", "Journal of Computational Physics"}, {"volume", "227"}, {"number", "6"},
			{"pages", "3191--3211"}, {"year", "2008"}, {"doi", "10.1016/j.jcp.2007.11.038"}},
			func(p *physics.Parameters, _ []multigrid.Method) bool { return p.Transport == kernels.WENO5 }},
		{"hughes2000", "article", "conservative fluxes of trilinear elements", [][2]string{{"author", "Hughes, Thomas J. R. and Engel, Gerald and Mazzei, Luca and Larson, Mats G."},
			{"title", "The Continuous Galerkin Method Is Locally Conservative"}, {"journal", "Journal of Computational Physics"}, {"volume", "163"}, {"number", "2"}, {"pages", "467--488"}, {"year", "2000"},
			{"doi", "10.1006/jcph.2000.6577"}},
			func(p *physics.Parameters, _ []multigrid.Method) bool { return p.Stencil != kernels.SevenPoint }},
		{"trottenberg2001", "book", "multigrid", [][2]string{{"author", "Trottenberg, Ulrich and Oosterlee, Cornelis W. and Sch{\\\"u}ller, Anton"}, {"title", "Multigrid"}, {"publisher", "Academic Press"}, {"year", "2001"}},
			uses(multigrid.Multigrid, multigrid.ConjugateGradients, multigrid.Adaptive)},
		{"adams2003", "article", "Chebyshev smoothers", [][2]string{{"author", "Adams, Mark and Brezina, Marian and Hu, Jonathan and Tuminaro, Ray"},
			{"title", "Parallel Multigrid Smoothing: Polynomial versus {Gauss--Seidel}"}, {"journal", "Journal of Computational Physics"}, {"volume", "188"}, {"number", "2"}, {"pages", "593--610"},
			{"year", "2003"}, {"doi", "10.1016/S0021-9991(03)00194-3"}}, uses(multigrid.Multigrid, multigrid.ConjugateGradients, multigrid.Adaptive)},
		{"hestenes1952", "article", "conjugate gradients", [][2]string{{"author", "Hestenes, Magnus R. and Stiefel, Eduard"}, {"title", "Methods of Conjugate Gradients for Solving Linear Systems"},
			{"journal", "Journal of Research of the National Bureau of Standards"}, {"volume", "49"}, {"number", "6"}, {"pages", "409--436"}, {"year", "1952"}, {"doi", "10.6028/jres.049.044"}},
			uses(multigrid.ConjugateGradients, multigrid.Adaptive, multigrid.LineGradients)},
		{"lynch1964", "article", "direct solves, fast diagonalization", [][2]string{{"author", "Lynch, Robert E. and Rice, John R. and Thomas, Donald H."},
			{"title", "Direct Solution of Partial Difference Equations by Tensor Product Methods"}, {"journal", "Numerische Mathematik"}, {"volume", "6"}, {"pages", "185--199"}, {"year", "1964"},
			{"doi", "10.1007/BF01386067"}}, uses(multigrid.Direct)},
		{"scheidegger1961", "article", "dispersion", [][2]string{{"author", "Scheidegger, Adrian E."}, {"title", "General Theory of Dispersion in Porous Media"}, {"journal", "Journal of Geophysical Research"},
			{"volume", "66"}, {"number", "10"}, {"pages", "3273--3278"}, {"year", "1961"}, {"doi", "10.1029/JZ066i010p03273"}},
			func(p *physics.Parameters, _ []multigrid.Method) bool { return p.Dispersion != physics.Dispersion{} }},
		{"peaceman1983", "article", "wells", [][2]string{{"author", "Peaceman, Donald W."},
			{"title", "Interpretation of Well-Block Pressures in Numerical Reservoir Simulation with Nonsquare Grid Blocks and Anisotropic Permeability"},
			{"journal", "Society of Petroleum Engineers Journal"}, {"volume", "23"}, {"number", "3"}, {"pages", "531--543"}, {"year", "1983"}, {"doi", "10.2118/10528-PA"}},
			func(p *physics.Parameters, _ []multigrid.Method) bool { return len(p.Wells) > 0 }},
		{"crameri2021", "misc", "colours of the pictures", [][2]string{{"author", "Crameri, Fabio"}, {"title", "Scientific Colour Maps"}, {"publisher", "Zenodo"}, {"year", "2021"}, {"doi", "10.5281/zenodo.5501399"}}, always},
	}
}

// cited lists the works that a run has to cite.
func cited(p *physics.Parameters, methods []multigrid.Method) []reference {
	var out []reference
	for _, r := range references() {
		if r.used(p, methods) {
			out = append(out, r)
		}
	}
	return out
}

// bibliography returns references.bib.
func bibliography(all []reference) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%% The methods that the run used, %s.\n\n", ownMark)
	for _, r := range all {
		fmt.Fprintf(&b, "%% %s\n@%s{%s,\n", r.what, r.kind, r.key)
		for _, f := range r.fields {
			fmt.Fprintf(&b, "  %s = {%s},\n", f[0], f[1])
		}
		b.WriteString("}\n\n")
	}
	return b.String()
}

// field returns a field of a reference; "" where it has none.
func (r *reference) field(name string) string {
	for _, f := range r.fields {
		if f[0] == name {
			return f[1]
		}
	}
	return ""
}

// String returns the reference in one line for a reader.
func (r *reference) String() string {
	plain := strings.NewReplacer("{\\\"u}", "ü", "{", "", "}", "", "--", "–", " and ", "; ")
	text := fmt.Sprintf("%s (%s). %s.", r.field("author"), r.field("year"), r.field("title"))
	if journal := r.field("journal"); journal != "" {
		text += fmt.Sprintf(" %s %s, %s.", journal, r.field("volume"), r.field("pages"))
	} else {
		text += " " + r.field("publisher") + "."
	}
	if doi := r.field("doi"); doi != "" {
		text += " doi:" + doi
	}
	return plain.Replace(text) + " — " + r.what
}
