package ranks

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"convect/kernels"
)

// role is what a field of the arguments of a kernel is, as its declaration says.
type role uint8

const (
	theBox role = iota
	theOperator
	ofNodes
	ofFaces
	ofAxes
	ofAxis
	ofWalls
	ofSide
	ofOther
	periodicEnds
	theMask
	theSlot
	theWalls
)

// argument is a field of the arguments.
type argument struct {
	index     int
	role      role
	isRead    bool
	isWritten bool
	isLost    bool // its values are of no use afterwards
	halo      int  // layers read; -1: those of the scheme
	along     string
	ways      []way
}

var declarations sync.Map // of arguments, by their type

// declared returns the fields of the arguments of a kernel that ranks have parts of.
func declared(t reflect.Type) []argument {
	if known, ok := declarations.Load(t); ok {
		return known.([]argument)
	}
	var all []argument
	for i := range t.NumField() {
		f := t.Field(i)
		tags := strings.Split(f.Tag.Get("kernel"), ",")
		has := func(tag string) bool { return slices.Contains(tags, tag) }
		a := argument{index: i, isRead: has("read") || has("update"), isWritten: has("write") || has("update"), isLost: has("lost")}
		for _, tag := range tags {
			name, value, _ := strings.Cut(tag, "=")
			switch name {
			case "halo":
				if a.halo = -1; value != "Scheme" {
					a.halo, _ = strconv.Atoi(value)
				}
			case "along", "side":
				a.along = value
			case "sum", "largest", "root":
				w := largest
				if name == "sum" {
					w = addUp
				}
				a.ways = append(a.ways, w)
			}
		}
		switch f.Type {
		case reflect.TypeFor[kernels.Box]():
			a.role = theBox
		case reflect.TypeFor[*kernels.Elliptic]():
			a.role = theOperator
		case reflect.TypeFor[*kernels.RowMask]():
			a.role = theMask
		case reflect.TypeFor[[6]kernels.SetWallArgs]():
			a.role = theWalls
		case reflect.TypeFor[[6]kernels.Buffer]():
			a.role = ofWalls
		case reflect.TypeFor[[3]bool]():
			a.role = periodicEnds
		case reflect.TypeFor[[3]kernels.Buffer](), reflect.TypeFor[[4]kernels.Buffer]():
			if a.role = ofFaces; has("axes") {
				a.role = ofAxes
			}
		case reflect.TypeFor[kernels.Buffer]():
			switch {
			case strings.Contains(f.Tag.Get("kernel"), "along="):
				a.role = ofAxis
			case strings.Contains(f.Tag.Get("kernel"), "side="):
				a.role = ofSide
			case (a.isWritten || a.isRead) && !strings.Contains(f.Tag.Get("kernel"), "len="):
				a.role = ofNodes
			default:
				a.role = ofOther
			}
		case reflect.TypeFor[int]():
			if f.Name != "Slot" {
				continue
			}
			a.role = theSlot
		default:
			continue
		}
		all = append(all, a)
	}
	declarations.Store(t, all)
	return all
}

// runSlabs runs a kernel on slabs as its declaration says: it reads as many rows beyond a node as its halos have, and those that are wrong at the ends
// of a slab, are edge, or 1 if some halo is read and edge is 0.
func runSlabs[A any](d *Device, kernel string, args A, edge int, f func(dev kernels.Device, a A)) {
	d.kernel = kernel + ": "
	v := reflect.ValueOf(&args).Elem()
	if box, periodic, _ := d.boxIn(v, declared(v.Type())); d.ok() {
		runOn(d.begin(kernel, box, periodic), args, edge, f)
	}
}

// runWhole runs a kernel on whole arrays on every rank.
func runWhole[A any](d *Device, kernel string, args A, f func(dev kernels.Device, a A)) {
	d.kernel = kernel + ": "
	v := reflect.ValueOf(&args).Elem()
	if box, periodic, _ := d.boxIn(v, declared(v.Type())); d.ok() {
		runOn(d.beginWhole(kernel, box, periodic), args, 0, f)
	}
}

func runOn[A any](c *call, args A, edge int, f func(dev kernels.Device, a A)) {
	d, v := c.Device, reflect.ValueOf(&args).Elem()
	all := declared(v.Type())
	_, _, scheme := d.boxIn(v, all)
	side := kernels.Side(0)
	if s := v.FieldByName("Side"); s.IsValid() {
		side = kernels.Side(s.Uint())
	}
	slots, slot, ways := false, 0, []way(nil)
	for _, a := range all {
		if reach := a.reach(scheme); reach > 0 && edge == 0 {
			edge = 1
		}
		if a.role == theOperator || a.role == ofAxes {
			edge = max(edge, 1)
		}
	}
	edge = max(edge, scheme)
	for _, a := range all {
		field := v.Field(a.index)
		reach := a.reach(scheme)
		if reach > 0 {
			reach = max(reach, edge)
		}
		switch a.role {
		case theOperator:
			c.readOperator(field.Interface().(*kernels.Elliptic))
		case ofNodes, ofFaces:
			for _, b := range buffersIn(field) {
				if a.isRead {
					c.read(b, reach)
				}
				switch {
				case a.isLost:
					c.write(d.options.Ghosts, b)
				case a.isWritten:
					c.write(edge, b)
				}
			}
		case ofAxes, ofAxis, ofWalls, ofSide, ofOther:
			c.copy(buffersIn(field)...)
		case theMask:
			c.copyMask(field.Interface().(*kernels.RowMask))
		case theWalls:
			for _, w := range field.Interface().([6]kernels.SetWallArgs) {
				c.copy(w.Where, w.Value)
			}
		case theSlot:
			slots, slot, ways = true, int(field.Int()), a.ways
		}
	}
	sharers := rows{0, d.size}
	if v.FieldByName("Side").IsValid() {
		sharers = c.sharers(side)
	}
	c.run(func(r *rank) {
		if v.FieldByName("Side").IsValid() && !c.has(r, side) {
			return
		}
		f(r.device, local(c, r, args, all))
	})
	if slots && c.ok() {
		d.reduced(slot, c.layout, sharers, ways...)
	}
}

// reach returns the rows that are read around one.
func (a *argument) reach(scheme int) int {
	if a.halo < 0 {
		return max(scheme, 1)
	}
	return a.halo
}

// boxIn returns the box of the arguments of a kernel, whether y is periodic, and the rows that a transport scheme reads, 0 where there is none.
func (d *Device) boxIn(v reflect.Value, all []argument) (box kernels.Box, periodic bool, scheme int) {
	for _, a := range all {
		switch a.role {
		case theBox:
			box = v.Field(a.index).Interface().(kernels.Box)
		case theOperator:
			op := v.Field(a.index).Interface().(*kernels.Elliptic)
			if op == nil {
				d.fail("the operator is missing")
				return
			}
			box, periodic = op.Box, periodic || op.Shape.Periodic[kernels.Y]
		case periodicEnds:
			periodic = periodic || v.Field(a.index).Index(kernels.Y).Bool()
		}
	}
	if s := v.FieldByName("Scheme"); s.IsValid() {
		scheme = kernels.Scheme(s.Uint()).Halo()
	}
	if s := v.FieldByName("Periodic"); s.IsValid() && s.Kind() == reflect.Bool && v.FieldByName("Axis").IsValid() {
		periodic = periodic || s.Bool() && v.FieldByName("Axis").Int() == kernels.Y
	}
	return box, periodic, scheme
}

// buffersIn returns the buffers of a field.
func buffersIn(field reflect.Value) []kernels.Buffer {
	switch b := field.Interface().(type) {
	case kernels.Buffer:
		return []kernels.Buffer{b}
	case [3]kernels.Buffer:
		return b[:]
	case [4]kernels.Buffer:
		return b[:]
	case [6]kernels.Buffer:
		return b[:]
	}
	return []kernels.Buffer{nil}
}

// local returns a rank's part of the arguments of a kernel.
func local[A any](c *call, r *rank, args A, all []argument) A {
	v := reflect.ValueOf(&args).Elem()
	for _, a := range all {
		field := v.Field(a.index)
		set := func(x any) {
			if x == nil {
				field.SetZero()
				return
			}
			field.Set(reflect.ValueOf(x))
		}
		switch a.role {
		case theBox:
			set(c.boxOf(r))
		case theOperator:
			set(c.operator(r, field.Interface().(*kernels.Elliptic)))
		case theMask:
			set(c.Device.mask(r, c.layout, c.view(r), field.Interface().(*kernels.RowMask)))
		case periodicEnds:
			set(c.periodicAxes(field.Interface().([3]bool)))
		case ofNodes:
			set(c.nodes(r, buffersIn(field)[0]))
		case ofFaces:
			for i, b := range buffersIn(field) {
				if x := c.nodes(r, b); x != nil {
					field.Index(i).Set(reflect.ValueOf(x))
				}
			}
		case ofAxes:
			set(c.axes(r, field.Interface().([3]kernels.Buffer)))
		case ofAxis:
			set(c.axis(r, buffersIn(field)[0], int(v.FieldByName(a.along).Int())))
		case ofWalls:
			walls := field.Interface().([6]kernels.Buffer)
			for s, b := range walls {
				if b != nil {
					walls[s] = c.wall(r, b, kernels.Side(s))
				}
			}
			set(walls)
		case ofSide:
			set(c.wall(r, buffersIn(field)[0], kernels.Side(v.FieldByName(a.along).Uint())))
		case ofOther:
			if b, ok := buffersIn(field)[0].(*Buffer); ok && b != nil && b.layout == nil {
				set(b.whole(r))
			}
		case theWalls:
			set(c.localWalls(r, field.Interface().([6]kernels.SetWallArgs)))
		}
	}
	if s := v.FieldByName("Periodic"); s.IsValid() && s.Kind() == reflect.Bool && c.layout.split && v.FieldByName("Axis").IsValid() && v.FieldByName("Axis").Int() == kernels.Y {
		s.SetBool(false)
	}
	return args
}

// localWalls returns a rank's part of the walls that are set, those that it has first.
func (c *call) localWalls(r *rank, walls [6]kernels.SetWallArgs) (local [6]kernels.SetWallArgs) {
	n := 0
	for _, w := range walls {
		if w.Where == nil || !c.has(r, w.Side) {
			continue
		}
		w.Box, w.X = c.boxOf(r), c.nodes(r, w.X)
		w.Where, w.Value = c.wall(r, w.Where, w.Side), c.wall(r, w.Value, w.Side)
		local[n] = w
		n++
	}
	return local
}
