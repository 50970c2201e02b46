package ranks

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

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
	along     int  // the field of its axis or side; -1: none
	ways      []way
}

// declaration is what is declared of the arguments of a kernel: the fields that ranks have parts of, and where fields of some names are, -1 for none.
type declaration struct {
	arguments                    []argument
	side, scheme, axis, periodic int // periodic: of that axis
}

var declarations sync.Map // by the type of the arguments

// declared returns what is declared of the arguments of a kernel.
func declared(t reflect.Type) *declaration {
	if known, ok := declarations.Load(t); ok {
		return known.(*declaration)
	}
	d := &declaration{arguments: argumentsOf(t)}
	for name, index := range map[string]*int{"Side": &d.side, "Scheme": &d.scheme, "Axis": &d.axis, "Periodic": &d.periodic} {
		*index = -1
		if f, ok := t.FieldByName(name); ok && len(f.Index) == 1 && (name != "Periodic" || f.Type.Kind() == reflect.Bool) {
			*index = f.Index[0]
		}
	}
	if d.axis < 0 {
		d.periodic = -1
	}
	declarations.Store(t, d)
	return d
}

// argumentsOf returns the fields of the arguments of a kernel that ranks have parts of.
func argumentsOf(t reflect.Type) (all []argument) {
	for i := range t.NumField() {
		f := t.Field(i)
		tags := strings.Split(f.Tag.Get("kernel"), ",")
		has := func(tag string) bool { return slices.Contains(tags, tag) }
		a := argument{index: i, along: -1, isRead: has("read") || has("update"), isWritten: has("write") || has("update"), isLost: has("lost")}
		for _, tag := range tags {
			name, value, _ := strings.Cut(tag, "=")
			switch name {
			case "halo":
				if a.halo = -1; value != "Scheme" {
					a.halo, _ = strconv.Atoi(value)
				}
			case "along", "side":
				if of, ok := t.FieldByName(value); ok {
					a.along = of.Index[0]
				}
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
	if all.side >= 0 {
		side = kernels.Side(v.Field(all.side).Uint())
	}
	slots, slot, ways := false, 0, []way(nil)
	for _, a := range all.arguments {
		if reach := a.reach(scheme); reach > 0 && edge == 0 {
			edge = 1
		}
		if a.role == theOperator || a.role == ofAxes {
			edge = max(edge, 1)
		}
	}
	edge = max(edge, scheme)
	c.edge = edge
	for _, a := range all.arguments {
		field := v.Field(a.index)
		reach := a.reach(scheme)
		if reach > 0 {
			reach = max(reach, edge)
		}
		switch a.role {
		case theOperator:
			c.readOperator(*at[*kernels.Elliptic](field))
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
			c.copyMask(*at[*kernels.RowMask](field))
		case theWalls:
			for _, w := range at[[6]kernels.SetWallArgs](field) {
				c.copy(w.Where, w.Value)
			}
		case theSlot:
			slots, slot, ways = true, int(field.Int()), a.ways
		}
	}
	sharers := rows{0, d.size}
	if all.side >= 0 {
		sharers = c.sharers(side)
	}
	c.run(func(r *rank) {
		if all.side >= 0 && !c.has(r, side) {
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
func (d *Device) boxIn(v reflect.Value, all *declaration) (box kernels.Box, periodic bool, scheme int) {
	for _, a := range all.arguments {
		switch a.role {
		case theBox:
			box = *at[kernels.Box](v.Field(a.index))
		case theOperator:
			op := *at[*kernels.Elliptic](v.Field(a.index))
			if op == nil {
				d.fail("the operator is missing")
				return
			}
			box, periodic = op.Box, periodic || op.Shape.Periodic[kernels.Y]
		case periodicEnds:
			periodic = periodic || v.Field(a.index).Index(kernels.Y).Bool()
		}
	}
	if all.scheme >= 0 {
		scheme = kernels.Scheme(v.Field(all.scheme).Uint()).Halo()
	}
	if all.periodic >= 0 {
		periodic = periodic || v.Field(all.periodic).Bool() && v.Field(all.axis).Int() == kernels.Y
	}
	return box, periodic, scheme
}

// at returns where a field of arguments is.
func at[T any](field reflect.Value) *T { return field.Addr().Interface().(*T) }

// buffersIn returns the buffers of a field, in their places.
func buffersIn(field reflect.Value) []kernels.Buffer {
	switch b := field.Addr().Interface().(type) {
	case *kernels.Buffer:
		return unsafe.Slice(b, 1)
	case *[3]kernels.Buffer:
		return b[:]
	case *[4]kernels.Buffer:
		return b[:]
	case *[6]kernels.Buffer:
		return b[:]
	}
	return []kernels.Buffer{nil}
}

// local returns a rank's part of the arguments of a kernel.
func local[A any](c *call, r *rank, args A, all *declaration) A {
	v := reflect.ValueOf(&args).Elem()
	for _, a := range all.arguments {
		field := v.Field(a.index)
		switch a.role {
		case theBox:
			*at[kernels.Box](field) = c.boxOf(r)
		case theOperator:
			op := at[*kernels.Elliptic](field)
			*op = c.operator(r, *op)
		case theMask:
			mask := at[*kernels.RowMask](field)
			*mask = c.Device.mask(r, c.layout, c.view(r), *mask)
		case periodicEnds:
			ends := at[[3]bool](field)
			*ends = c.periodicAxes(*ends)
		case ofNodes:
			b := at[kernels.Buffer](field)
			*b = c.nodes(r, *b)
		case ofFaces:
			all := buffersIn(field)
			for i, b := range all {
				if x := c.nodes(r, b); x != nil {
					all[i] = x
				}
			}
		case ofAxes:
			axes := at[[3]kernels.Buffer](field)
			*axes = c.axes(r, *axes)
		case ofAxis:
			b := at[kernels.Buffer](field)
			*b = c.axis(r, *b, int(v.Field(a.along).Int()))
		case ofWalls:
			for s, b := range at[[6]kernels.Buffer](field) {
				if b != nil {
					at[[6]kernels.Buffer](field)[s] = c.wall(r, b, kernels.Side(s))
				}
			}
		case ofSide:
			b := at[kernels.Buffer](field)
			*b = c.wall(r, *b, kernels.Side(v.Field(a.along).Uint()))
		case ofOther:
			if b, ok := buffersIn(field)[0].(*Buffer); ok && b != nil && b.layout == nil {
				*at[kernels.Buffer](field) = b.whole(r)
			}
		case theWalls:
			walls := at[[6]kernels.SetWallArgs](field)
			*walls = c.localWalls(r, *walls)
		}
	}
	if all.periodic >= 0 && c.layout.split && v.Field(all.axis).Int() == kernels.Y {
		v.Field(all.periodic).SetBool(false)
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
