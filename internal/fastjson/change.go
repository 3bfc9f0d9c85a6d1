package fastjson

import "strconv"

// NewObject returns an empty object, to be filled by Set.
func NewObject() *Value { return &Value{t: TypeObject} }

// NewArray returns an empty list, to be filled by SetArrayItem.
func NewArray() *Value { return &Value{t: TypeArray} }

// Set puts a value under a key of an object, or at an index of a list. It ignores other
// values and keys. nil stands for null.
func (v *Value) Set(key string, value *Value) {
	switch {
	case v == nil:
	case v.t == TypeObject:
		v.s = ""
		v.o.set(key, value)
	case v.t == TypeArray:
		if n, err := strconv.Atoi(key); err == nil && n >= 0 {
			v.SetArrayItem(n, value)
		}
	}
}

func (o *Object) set(key string, value *Value) {
	if value == nil {
		value = valueNull
	}
	o.unescapeKeys()
	for i := range o.pairs {
		if o.pairs[i].k == key {
			o.pairs[i].v = value
			return
		}
	}
	o.pairs, o.bits = append(o.pairs, pair{key, value}), o.bits|keyBit(key)
}

// SetArrayItem puts a value at an index of a list. Missing items before it become null.
// It ignores a value that is no list. nil stands for null.
func (v *Value) SetArrayItem(n int, value *Value) {
	if v == nil || v.t != TypeArray {
		return
	}
	if value == nil {
		value = valueNull
	}
	for v.s = ""; n >= len(v.a); {
		v.a = append(v.a, valueNull)
	}
	v.a[n] = value
}

// Del takes out the first value under a key of an object, or at an index of a list.
func (v *Value) Del(key string) {
	switch {
	case v == nil:
	case v.t == TypeObject:
		v.s = ""
		v.o.del(key)
	case v.t == TypeArray:
		if n, err := strconv.Atoi(key); err == nil && n >= 0 && n < len(v.a) {
			v.s, v.a = "", append(v.a[:n], v.a[n+1:]...)
		}
	}
}

func (o *Object) del(key string) {
	value := o.Get(key)
	for i := range o.pairs {
		if p := &o.pairs[i]; value != nil && p.k == key && p.v == value {
			o.pairs = append(o.pairs[:i], o.pairs[i+1:]...)
			return
		}
	}
}
