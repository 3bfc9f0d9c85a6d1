package readers

import (
	"encoding/json"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

// Extra collects what an agent's logs tell and no column holds. The zero Extra has no
// memory: few rows have any. [Object] makes the text of the column.
type Extra map[string]any

// Set sets a value: a string, a number, a list of these, or valid JSON.
func (x *Extra) Set(key string, value any) {
	if *x == nil {
		*x = Extra{}
	}
	(*x)[key] = value
}

// Text sets a text. An empty text is left out.
func (x *Extra) Text(key, text string) {
	if text != "" {
		x.Set(key, text)
	}
}

// Int sets a number. A missing number is left out.
func (x *Extra) Int(key string, n tables.Maybe[int64]) {
	if n.OK {
		x.Set(key, n.Value)
	}
}

// Flag sets true. A false fact is left out.
func (x *Extra) Flag(key string, holds bool) {
	if holds {
		x.Set(key, true)
	}
}

// JSON sets a value of the log as it is. An absent value and null are left out.
func (x *Extra) JSON(key string, v *fastjson.Value) {
	if !IsNull(v) {
		x.Set(key, json.RawMessage(JSON(v)))
	}
}

// Images sets the images of a message or result. An empty list is left out.
func (x *Extra) Images(images []Image) {
	if len(images) > 0 {
		x.Set("images", images)
	}
}
