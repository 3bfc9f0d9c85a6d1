package fastjson

import (
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"github.com/valyala/fastjson/fastfloat"
)

// Type is the type of a value.
type Type uint8

// The types of values.
const (
	TypeNull Type = iota
	TypeObject
	TypeArray
	TypeString
	TypeNumber
	TypeTrue
	TypeFalse
)

// String returns the type's name in JSON.
func (t Type) String() string {
	return [...]string{"null", "object", "array", "string", "number", "true", "false"}[t]
}

// Value is a JSON value. It is not safe for concurrent use: a string's escapes are
// resolved when it is first read.
type Value struct {
	t       Type
	escaped bool   // a string that may hold escapes
	heap    bool   // s of a string has memory of its own
	s       string // a string, the digits of a number, or the text of an object or list if it was kept
	o       Object
	a       []*Value
}

// Object holds the keys and values of an object, in the text's order.
type Object struct {
	pairs   []pair
	bits    uint64 // keyBit of each key
	escaped bool   // a key may hold escapes
}

type pair struct {
	k string
	v *Value
}

// keyBit returns one of 64 bits. If an object lacks a key's bit, it lacks the key.
func keyBit(key string) uint64 {
	n := uint(len(key))
	if n == 0 {
		return 1
	}
	return 1 << ((uint(key[0]) + 5*uint(key[n-1]) + 11*n) & 63)
}

// Raw returns the text of an object or list, white space included. It is empty for other
// values, after a change, and from a Parser that is Changeable. A change of a value below
// doesn't change the text.
func (v *Value) Raw() string {
	if v.t == TypeObject || v.t == TypeArray {
		return v.s
	}
	return ""
}

// Len returns the number of keys.
func (o *Object) Len() int { return len(o.pairs) }

// Pairs returns the number of keys, for a loop over all of them with Pair.
func (o *Object) Pairs() int {
	o.unescapeKeys()
	return len(o.pairs)
}

// Pair returns key number i in the text's order, and its value. The key is valid as long
// as the value. Call Pairs first.
func (o *Object) Pair(i int) (key string, v *Value) { return o.pairs[i].k, o.pairs[i].v }

// Get returns the first value under the key, or nil.
func (o *Object) Get(key string) *Value {
	if o.escaped {
		return o.getEscaped(key)
	}
	if o.bits&keyBit(key) == 0 {
		return nil
	}
	return o.find(key)
}

// find compares lengths and last bytes first: few keys of an object have both in common.
func (o *Object) find(key string) *Value {
	n := len(key)
	if n == 0 {
		return o.findEmpty()
	}
	last := key[n-1]
	for i := range o.pairs {
		if p := &o.pairs[i]; len(p.k) == n && p.k[n-1] == last && p.k == key {
			return p.v
		}
	}
	return nil
}

func (o *Object) findEmpty() *Value {
	for i := range o.pairs {
		if o.pairs[i].k == "" {
			return o.pairs[i].v
		}
	}
	return nil
}

// getEscaped prefers a key that is spelt without escapes, unless the escapes are
// resolved already.
func (o *Object) getEscaped(key string) *Value {
	if strings.IndexByte(key, '\\') < 0 {
		if v := o.find(key); v != nil {
			return v
		}
	}
	o.unescapeKeys()
	return o.find(key)
}

func (o *Object) unescapeKeys() {
	if !o.escaped {
		return
	}
	for i := range o.pairs {
		p := &o.pairs[i]
		if at := strings.IndexByte(p.k, '\\'); at >= 0 {
			p.k = unescape(p.k, at)
			o.bits |= keyBit(p.k)
		}
	}
	o.escaped = false
}

// Visit calls f for each key in the text's order. f must not keep the key.
func (o *Object) Visit(f func(key []byte, v *Value)) {
	if o == nil {
		return
	}
	o.unescapeKeys()
	for i := range o.pairs {
		f(toBytes(o.pairs[i].k), o.pairs[i].v)
	}
}

// Type returns the value's type.
func (v *Value) Type() Type { return v.t }

// Exists reports whether there is a value under the keys.
func (v *Value) Exists(keys ...string) bool { return v.Get(keys...) != nil }

// Get returns the value under the keys, one below the other, or nil. A decimal number is
// the index in a list.
func (v *Value) Get(keys ...string) *Value {
	for _, key := range keys {
		switch {
		case v == nil:
			return nil
		case v.t == TypeObject:
			v = v.o.Get(key)
		case v.t == TypeArray:
			n, err := strconv.Atoi(key)
			if err != nil || n < 0 || n >= len(v.a) {
				return nil
			}
			v = v.a[n]
		default:
			return nil
		}
	}
	return v
}

// GetObject returns the object under the keys, or nil.
func (v *Value) GetObject(keys ...string) *Object {
	if v = v.Get(keys...); v == nil || v.t != TypeObject {
		return nil
	}
	return &v.o
}

// GetArray returns the list under the keys, or nil.
func (v *Value) GetArray(keys ...string) []*Value {
	if v = v.Get(keys...); v == nil || v.t != TypeArray {
		return nil
	}
	return v.a
}

// GetStringBytes returns the string under the keys, or nil. It is valid as long as the
// value.
func (v *Value) GetStringBytes(keys ...string) []byte {
	if v = v.Get(keys...); v == nil || v.t != TypeString {
		return nil
	}
	v.resolve()
	return toBytes(v.s)
}

// GetString returns the string under the keys, or an empty one. It stays valid.
func (v *Value) GetString(keys ...string) string {
	if v = v.Get(keys...); v == nil || v.t != TypeString {
		return ""
	}
	if v.resolve(); v.heap {
		return v.s
	}
	return strings.Clone(v.s)
}

// resolve resolves a string's escapes.
func (v *Value) resolve() {
	if !v.escaped {
		return
	}
	v.escaped = false
	if at := strings.IndexByte(v.s, '\\'); at >= 0 {
		v.s, v.heap = unescape(v.s, at), true
	}
}

// GetBool reports whether the value under the keys is true.
func (v *Value) GetBool(keys ...string) bool {
	v = v.Get(keys...)
	return v != nil && v.t == TypeTrue
}

// GetFloat64 returns the number under the keys, or 0.
func (v *Value) GetFloat64(keys ...string) float64 {
	if v = v.Get(keys...); v == nil || v.t != TypeNumber {
		return 0
	}
	return fastfloat.ParseBestEffort(v.s)
}

// GetInt64 returns the whole number under the keys, or 0.
func (v *Value) GetInt64(keys ...string) int64 {
	if v = v.Get(keys...); v == nil || v.t != TypeNumber {
		return 0
	}
	return fastfloat.ParseInt64BestEffort(v.s)
}

// GetInt is GetInt64 for an int.
func (v *Value) GetInt(keys ...string) int { return int(v.GetInt64(keys...)) }

// Object returns the value's object, or an error for another type.
func (v *Value) Object() (*Object, error) {
	if v.t != TypeObject {
		return nil, v.noType(TypeObject)
	}
	return &v.o, nil
}

// Float64 returns the value's number, or an error for another type.
func (v *Value) Float64() (float64, error) {
	if v.t != TypeNumber {
		return 0, v.noType(TypeNumber)
	}
	return fastfloat.Parse(v.s)
}

// Int64 returns the value's whole number, or an error for another type.
func (v *Value) Int64() (int64, error) {
	if v.t != TypeNumber {
		return 0, v.noType(TypeNumber)
	}
	return fastfloat.ParseInt64(v.s)
}

// Digits returns a number's text, and an empty text for another type.
func (v *Value) Digits() string {
	if v.t != TypeNumber {
		return ""
	}
	return v.s
}

func (v *Value) noType(want Type) error { return fmt.Errorf("%s, not %s", v.t, want) }

func toString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func toBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
