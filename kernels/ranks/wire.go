package ranks

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"

	"convect/kernels"
)

// Arguments of kernels travel as their numbers, one after the other; arrays by their numbers, operators by numbers and with all that they hold, since it may have changed.

var (
	bufferType   = reflect.TypeFor[kernels.Buffer]()
	ellipticType = reflect.TypeFor[*kernels.Elliptic]()
	maskType     = reflect.TypeFor[*kernels.RowMask]()
)

// writer writes what ranks are told.
type writer struct {
	bytes     []byte
	device    *Device
	operators map[*kernels.Elliptic]uint64
}

func (w *writer) number(v uint64) { w.bytes = binary.AppendUvarint(w.bytes, v) }

// Numbers of arrays: none, and one that is none of the device's, for which the others take one that is none of theirs.
const (
	noBuffer = iota
	strangeBuffer
	firstBuffer
)

func (w *writer) buffer(b kernels.Buffer) {
	own, ok := b.(*Buffer)
	switch {
	case b == nil || ok && own == nil:
		w.number(noBuffer)
	case !ok || own.device != w.device || own.number == 0:
		w.number(strangeBuffer)
	default:
		w.number(own.number)
	}
}

// value writes arguments of kernels, or a part of them.
func (w *writer) value(v reflect.Value) {
	switch v.Type() {
	case bufferType:
		b, _ := v.Interface().(kernels.Buffer)
		w.buffer(b)
		return
	case ellipticType:
		a := v.Interface().(*kernels.Elliptic)
		if a == nil {
			w.number(0)
			return
		}
		key := w.operators[a]
		if key == 0 {
			key = uint64(len(w.operators) + 1)
			w.operators[a] = key
		}
		w.number(key)
		w.value(v.Elem())
		return
	case maskType:
		if v.IsNil() {
			w.number(0)
			return
		}
		w.number(1)
		w.value(v.Elem())
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			w.value(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			w.value(v.Index(i))
		}
	case reflect.Int, reflect.Int64:
		w.bytes = binary.AppendVarint(w.bytes, v.Int())
	case reflect.Uint8:
		w.bytes = append(w.bytes, byte(v.Uint()))
	case reflect.Bool:
		b := byte(0)
		if v.Bool() {
			b = 1
		}
		w.bytes = append(w.bytes, b)
	case reflect.Float64:
		w.bytes = binary.LittleEndian.AppendUint64(w.bytes, math.Float64bits(v.Float()))
	default:
		panic(fmt.Sprintf("ranks: arguments of kernels hold a %v", v.Type()))
	}
}

// reader reads what the writer of rank 0 has written.
type reader struct {
	bytes     []byte
	device    *Device
	room      []byte // of what is told
	next      uint64 // the number of the next array
	buffers   map[uint64]*Buffer
	operators map[uint64]*kernels.Elliptic
	tape      uint64 // the number of the last record
	records   map[uint64]*recording
	stranger  *Buffer
}

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.bytes)
	r.bytes = r.bytes[n:]
	return v
}

func (r *reader) buffer() kernels.Buffer {
	switch n := r.number(); {
	case n == noBuffer:
		return nil
	case n == strangeBuffer || r.buffers[n] == nil:
		return r.stranger
	default:
		return r.buffers[n]
	}
}

// value reads what the writer's value has written.
func (r *reader) value(v reflect.Value) {
	switch v.Type() {
	case bufferType:
		if b := r.buffer(); b != nil {
			v.Set(reflect.ValueOf(b))
		}
		return
	case ellipticType:
		key := r.number()
		if key == 0 {
			return
		}
		a := r.operators[key]
		if a == nil {
			a = new(kernels.Elliptic)
			r.operators[key] = a
		}
		*a = kernels.Elliptic{}
		r.value(reflect.ValueOf(a).Elem())
		v.Set(reflect.ValueOf(a))
		return
	case maskType:
		if r.number() == 0 {
			return
		}
		m := new(kernels.RowMask)
		r.value(reflect.ValueOf(m).Elem())
		v.Set(reflect.ValueOf(m))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			r.value(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			r.value(v.Index(i))
		}
	case reflect.Int, reflect.Int64:
		x, n := binary.Varint(r.bytes)
		r.bytes = r.bytes[n:]
		v.SetInt(x)
	case reflect.Uint8:
		v.SetUint(uint64(r.bytes[0]))
		r.bytes = r.bytes[1:]
	case reflect.Bool:
		v.SetBool(r.bytes[0] == 1)
		r.bytes = r.bytes[1:]
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(r.bytes)))
		r.bytes = r.bytes[8:]
	}
}
