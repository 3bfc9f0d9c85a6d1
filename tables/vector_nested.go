package tables

import "github.com/apache/arrow-go/v18/arrow"

// listVector holds lists. The elements of all lists are in another vector, in order.
type listVector struct {
	nulls
	ends     pile[int32] // 0, and the end of each list in elements
	elements vector
	count    int // of elements
}

// add adds a list whose n elements the caller then adds to elements.
func (v *listVector) add(n int) {
	if v.waiting > 0 || v.written == 0 {
		v.settle()
	}
	v.count += n
	v.ends.extend(1, int32(v.count))
	v.written++
}

func (v *listVector) settle() {
	if v.written == 0 {
		v.ends.extend(1, 0)
	}
	if v.waiting > 0 {
		v.ends.extend(v.waiting, int32(v.count))
		v.nulls.settle()
	}
}

func (v *listVector) finish() arrow.ArrayData {
	v.settle()
	v.count = 0
	elements := v.elements.finish()
	return v.data([]arrow.ArrayData{elements}, v.ends.give())
}

// addTexts adds a list of texts; null for nil.
func (v *listVector) addTexts(list []string) {
	if list == nil {
		v.skip(1)
		return
	}
	v.add(len(list))
	for _, s := range list {
		v.elements.(*textVector).add(s)
	}
}

// structVector holds structs. The values of each field are in a vector of their own.
type structVector struct {
	nulls
	fields []vector
}

// add adds a struct. The caller then adds one value or null to each field.
func (v *structVector) add() {
	if v.waiting > 0 {
		v.settle()
	}
	v.written++
}

func (v *structVector) settle() {
	for _, f := range v.fields {
		f.base().skip(v.waiting)
	}
	v.nulls.settle()
}

func (v *structVector) finish() arrow.ArrayData {
	if v.waiting > 0 {
		v.settle()
	}
	children := make([]arrow.ArrayData, len(v.fields))
	for i, f := range v.fields {
		children[i] = f.finish()
	}
	return v.data(children)
}
