package ranks_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"convect/kernels"
	"convect/kernels/link"
	"convect/kernels/ranks"
)

// tasksOf returns tasks of a rank.
func tasksOf(number int) map[string]kernels.Task {
	return map[string]kernels.Task{
		"sum": func(job []byte, rows [2]int, values [][]float64) ([]byte, error) {
			sum := 0.0
			for _, v := range slices.Concat(values...) {
				sum += v
			}
			return fmt.Appendf(nil, "%s: %v %g", job, rows, sum), nil
		},
		"rows": func(_ []byte, rows [2]int, values [][]float64) ([]byte, error) {
			for n := range values[0] {
				values[0][n] = float64(rows[0] + n/4%(rows[1]-rows[0]))
			}
			return nil, nil
		},
		"refuse": func(_ []byte, rows [2]int, _ [][]float64) ([]byte, error) {
			if number == 1 {
				return nil, errors.New("no room")
			}
			return []byte{1, 2, 3}[:number], nil
		},
	}
}

// Every process does tasks with the rows that it owns, and what it leaves there comes back.
func TestTasks(t *testing.T) {
	const size = 3
	all, made := link.Local(size), make([]*ranks.Device, size)
	box := kernels.NewBox([3]int{4, 25, 3}, false)
	var joining, following sync.WaitGroup
	for n, l := range all {
		own := core(t)
		joining.Go(func() {
			made[n], _ = ranks.Join(own, l, []string{"anna", "bert", "carl"}, ranks.Options{Rows: 2, Gather: -1})
			made[n].Serve(tasksOf(n))
		})
	}
	joining.Wait()
	for _, d := range made[1:] {
		following.Go(func() { ranks.Follow(d, nil) })
	}
	lead := ranks.NewLead(made[0])
	defer func() { lead.Close(); following.Wait() }()
	if got := lead.Shares(box); fmt.Sprint(got) != "[[0 8] [8 16] [16 25]]" || lead.Shares(kernels.NewBox([3]int{4, 1, 3}, true)) != nil {
		t.Errorf("it is not known which arrays are shared: %v", got)
	}
	b, err := lead.AllocBox(kernels.Float32, box)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lead.Do("rows", nil, box, []kernels.Buffer{b}, true); err != nil {
		t.Error(err)
	}
	values := make([]float64, box.Nodes())
	if err := lead.DownloadBox(values, b, box); err != nil {
		t.Fatal(err)
	}
	for n, v := range values {
		if v != float64(n/4%25) {
			t.Fatalf("node %d is %g", n, v)
		}
	}
	replies, err := lead.Do("sum", []byte("all"), box, []kernels.Buffer{b, b}, false)
	if got := fmt.Sprintf("%s", replies); err != nil || got != "[all: [0 8] 672 all: [8 16] 2208 all: [16 25] 4320]" {
		t.Errorf("%s %v", got, err)
	}
	replies, err = lead.Do("refuse", nil, kernels.Box{}, nil, false)
	if err == nil || err.Error() != "rank 1 on bert: no room" || len(replies[2]) != 2 {
		t.Errorf("%v %v", replies, err)
	}
	if _, err := lead.Do("sum", []byte(strings.Repeat("x", 100_000)), kernels.Box{}, nil, false); err != nil { // a failure of a task is none of the device
		t.Error(err)
	}
}
