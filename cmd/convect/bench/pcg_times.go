package bench

import (
	"fmt"
	"math"
	"time"

	"convect/cmd/convect/bench/report"
	"convect/kernels"
	"convect/lab/mueller"
)

// partTimes are the seconds of the kernels of all forms, by their names.
type partTimes map[mueller.Form]map[string]float64

// pcgKernels times the kernels of all forms on random data.
func (r *run) pcgKernels(t *report.Table, p *columnProblem, copied *plainCopy) (partTimes, error) {
	u, err := p.NewField()
	if err != nil {
		return nil, err
	}
	random := noise(p.Panel.Cells(), 1)
	at := 0
	p.Set(u, false, func(_, _, _ float64) float64 { at++; return random[at-1] })
	all := partTimes{}
	for _, form := range mueller.Forms() {
		all[form] = map[string]float64{}
		s, err := p.NewKrylov(form)
		if err != nil {
			return nil, err
		}
		for _, f := range s.Fields() {
			p.Device.Copy(kernels.CopyArgs{Dst: f, Src: u})
		}
		for _, part := range s.Parts(u) {
			r.progress("%s, %s, %s %s", p.kind, p.order, form, part.Name)
			took, err := r.inTurns(p.Device, copied, kernel(part.Run))
			if err != nil {
				return nil, err
			}
			row := with(took.row(part.Work.Bytes(p.Elem), p.Panel.Cells()), p.row())
			delete(row, columnPoints.Key)
			with(row, report.Row{"solver": form.String(), "kernel": part.Name,
				"gigaflops": part.Work.Flops * float64(p.Panel.Cells()) / took.seconds / 1e9})
			all[form][part.Name] = took.seconds
			if e, ok := all[mueller.Stored][part.Name]; ok && form != mueller.Stored && part.Name != "BLAS" {
				row["over_explicit"] = e / took.seconds
			}
			t.Add(with(row, paperKernel(p.kind, p.order, form, part.Name)))
		}
	}
	return all, nil
}

// solveTime is what a solver took.
type solveTime struct {
	seconds    float64 // median of the solves
	iterations int
}

// pcgSolves solves with every solver, checks what is left, and times the solvers and a copy in turns: as often as Repeat and
// the budget allow, once at least.
func (r *run) pcgSolves(t *report.Table, p *columnProblem, copied *plainCopy, all []columnSolver) ([]solveTime, error) {
	transfer, err := p.transfer()
	if err != nil {
		return nil, err
	}
	rows, found := make([]report.Row, len(all)), make([]solveTime, len(all))
	for n, s := range all {
		r.progress("%s, %s, %s, %s", p.panel(), p.kind, p.order, s.name)
		result, err := s.solve(p.u, p.f, pcgTolerance, pcgMost)
		if err != nil {
			return nil, err
		}
		if !result.Converged {
			return nil, fmt.Errorf("%s, %s, %s, %s: the residual is %.2g of the first after %d iterations", p.panel(), p.kind, p.order, s.name,
				result.Residuals[result.Iterations]/result.Residuals[0], result.Iterations)
		}
		left, err := p.plainResidual()
		if err != nil {
			return nil, err
		}
		found[n].iterations = result.Iterations
		rows[n] = with(p.row(), report.Row{"solver": s.name, "iterations": result.Iterations, "plain_residual": left,
			"residual": result.Residuals[result.Iterations] / result.Residuals[0]})
	}
	times, copies := make([][]float64, len(all)), []float64{}
	for begin := time.Now(); len(copies) == 0 || len(copies) < r.options.Repeat && time.Since(begin) < r.options.Budget; {
		for n, s := range all {
			took, err := sample(p.Device, func() error {
				_, err := s.solve(p.u, p.f, pcgTolerance, pcgMost)
				return err
			}, 1)
			if err != nil {
				return nil, err
			}
			times[n] = append(times[n], took)
		}
		took, err := sampleCopy(copied)
		if err != nil {
			return nil, err
		}
		copies = append(copies, took)
	}
	for n, s := range all {
		found[n].seconds = median(times[n])
		iteration := timing{seconds: found[n].seconds / float64(found[n].iterations), copied: copied.bytes() / median(copies)}
		row := with(rows[n], iteration.row(s.work.Bytes(p.Elem), p.Panel.Cells()))
		delete(row, columnPoints.Key)
		total := p.setUp + s.setUp + transfer + found[n].seconds
		with(row, report.Row{"set_up": p.setUp + s.setUp, "transfer": transfer, "solve": found[n].seconds, "total": total})
		explicit, _ := rows[0].Number("total")
		if n > 0 {
			row["over_explicit"] = explicit / total
		}
		t.Add(with(row, paperSolve(p.columnCase, s.name)))
	}
	return found, nil
}

// transfer returns the seconds in which a right side goes to the device and a solution comes back.
func (p *columnProblem) transfer() (float64, error) {
	host := make([]float64, p.Panel.Len)
	if err := p.Device.Download(host, p.f); err != nil {
		return 0, err
	}
	return sample(p.Device, func() error {
		p.Device.Upload(p.f, host)
		return p.Device.Download(host, p.f)
	}, 1)
}

// pcgSizes counts iterations on a quarter, half and all of the columns along each axis, ω being proportional to their width.
func (r *run) pcgSizes(t *report.Table, c columnCase, full mueller.Parameters) error {
	var first float64
	for _, part := range []int{4, 2, 1} {
		small := full
		small.Columns = [2]int{full.Columns[0] / part, full.Columns[1] / part}
		if small.Columns[0] < 4 || small.Columns[1] < 4 {
			continue
		}
		r.progress("iterations on %d x %d columns, %s", small.Columns[0], small.Columns[1], c.kind)
		row, err := r.pcgSize(c, small)
		if err != nil {
			return err
		}
		n, _ := row.Number("iterations")
		if first == 0 {
			first = n
		}
		row["growth"] = n / first
		t.Add(row)
	}
	return nil
}

func (r *run) pcgSize(c columnCase, parameters mueller.Parameters) (report.Row, error) {
	p, err := newColumnProblem(r.dev, c, parameters)
	if err != nil {
		return nil, err
	}
	defer p.Free()
	s, err := p.NewKrylov(mueller.Interleaved)
	if err != nil {
		return nil, err
	}
	gradients, err := s.Solve(p.u, p.f, pcgTolerance, pcgMost)
	if err != nil {
		return nil, err
	}
	m, err := p.NewMultigrid(2, 2)
	if err != nil {
		return nil, err
	}
	defer m.Free()
	cycles, err := m.Solve(p.u, p.f, pcgTolerance, pcgMost)
	if err != nil {
		return nil, err
	}
	last := cycles.Residuals[cycles.Iterations] / cycles.Residuals[0]
	return report.Row{"panel": c.panel(), "precision": c.kind, "columns": sizeText(parameters.Columns[:]),
		"iterations": gradients.Iterations, "cycles": cycles.Iterations, "levels": len(m.Levels()),
		"factor": math.Pow(last, 1/float64(cycles.Iterations))}, nil
}

// pcgRatios sets the ratios of times beside those of what must move.
func (r *run) pcgRatios(t *report.Table, p *columnProblem, all []columnSolver, times []solveTime, parts partTimes) {
	iteration := func(n int) float64 { return times[n].seconds / float64(times[n].iterations) }
	bytes := func(n int) float64 { return all[n].work.Bytes(p.Elem) }
	const explicit, plain, interleaved, cycles = 0, 1, 2, 3
	add := func(what string, measured, counted, references, paper float64) {
		t.Add(with(p.row(), report.Row{"ratio": what, "measured": measured, "counted": counted, "of_counted": measured / counted,
			"references": references, "paper": paper}))
	}
	none := math.NaN()
	paper := func(a, b string) float64 {
		if p.flat {
			return none
		}
		return paperIteration(p.kind, p.order, a) / paperIteration(p.kind, p.order, b)
	}
	add(ratioInterleaved, iteration(plain)/iteration(interleaved), bytes(plain)/bytes(interleaved),
		float64(all[plain].work.References[2])/float64(all[interleaved].work.References[2]), paper(all[plain].name, all[interleaved].name))
	add(ratioExplicit, iteration(explicit)/iteration(interleaved), bytes(explicit)/bytes(interleaved),
		none, paper(all[explicit].name, all[interleaved].name))
	add("matrix-explicit / matrix-free, an iteration", iteration(explicit)/iteration(plain), bytes(explicit)/bytes(plain), none,
		paper(all[explicit].name, all[plain].name))
	for n, part := range mueller.Works(mueller.Stored) {
		if parts == nil || part.Name == "BLAS" {
			continue
		}
		free := mueller.Works(mueller.Plain)[n]
		add("matrix-explicit / matrix-free, "+part.Name, parts[mueller.Stored][part.Name]/parts[mueller.Plain][part.Name],
			part.Work.Bytes(p.Elem)/free.Work.Bytes(p.Elem), none, paperPart(p.kind, p.order, part.Name))
	}
	add("interleaved / multigrid, a solve", times[interleaved].seconds/times[cycles].seconds,
		bytes(interleaved)*float64(times[interleaved].iterations)/(bytes(cycles)*float64(times[cycles].iterations)), none, none)
}
