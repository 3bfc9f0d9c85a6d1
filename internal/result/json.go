package result

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
)

// AppendJSON appends a value of the type as JSON: times in the form of RFC 3339, JSON
// texts as JSON values, NULL as null.
func (t *Type) AppendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case string:
		if t.Base == "JSON" {
			if compact := CompactJSON(v); compact != nil {
				return append(b, compact...)
			} // invalid JSON becomes a string
		}
		return AppendString(b, v)
	case []any:
		return t.appendList(b, v)
	case map[string]any:
		if t.Base != "STRUCT" {
			return append(b, decodedJSON(v)...)
		}
		return t.appendStruct(b, v)
	}
	if keys, values, ok := orderedMap(v); ok {
		return t.appendMap(b, keys, values)
	}
	if tag, value, ok := asUnion(v); ok {
		return t.of(tag).AppendJSON(b, value)
	}
	return t.appendLeaf(b, v)
}

func (t *Type) appendLeaf(b []byte, v any) []byte {
	s := t.MachineText(v)
	switch v := v.(type) {
	case bool:
		return append(b, s...)
	case float64:
		return appendFloat(b, v, s)
	case float32:
		return appendFloat(b, float64(v), s)
	}
	if t.IsNumber() || (t.Base == "" || t.Base == "JSON") && json.Valid([]byte(s)) {
		return append(b, s...)
	}
	return AppendString(b, s)
}

// appendFloat appends a number; NaN and infinity become strings, because JSON has no
// such numbers.
func appendFloat(b []byte, f float64, s string) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return AppendString(b, s)
	}
	return append(b, s...)
}

// CompactJSON returns JSON text on one line; nil for invalid JSON.
func CompactJSON(s string) []byte {
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(s)) != nil {
		return nil
	}
	return compact.Bytes()
}

// AppendString appends a text as a JSON string. Invalid UTF-8 is replaced.
func AppendString(b []byte, s string) []byte {
	if isPlain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	var quoted bytes.Buffer
	e := json.NewEncoder(&quoted)
	e.SetEscapeHTML(false)
	if e.Encode(strings.ToValidUTF8(s, "\uFFFD")) != nil {
		return append(b, `""`...)
	}
	return append(b, bytes.TrimRight(quoted.Bytes(), "\n")...)
}

// isPlain reports whether s needs no escapes.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			return false
		}
	}
	return true
}

func (t *Type) appendList(b []byte, values []any) []byte {
	if t.Base == "JSON" {
		return append(b, decodedJSON(values)...)
	}
	return appendItems(b, "[]", len(values), func(b []byte, i int) []byte {
		return t.element().AppendJSON(b, values[i])
	})
}

func (t *Type) appendStruct(b []byte, values map[string]any) []byte {
	names := t.fieldOrder(values)
	return appendItems(b, "{}", len(names), func(b []byte, i int) []byte {
		return t.of(names[i]).AppendJSON(append(AppendString(b, names[i]), ':'), values[names[i]])
	})
}

// appendMap appends an object with the texts of the map's keys as keys.
func (t *Type) appendMap(b []byte, keys, values []any) []byte {
	return appendItems(b, "{}", len(keys), func(b []byte, i int) []byte {
		return t.element().AppendJSON(append(AppendString(b, t.keys().MachineText(keys[i])), ':'), values[i])
	})
}

func appendItems(b []byte, brackets string, n int, item func([]byte, int) []byte) []byte {
	b = append(b, brackets[0])
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = item(b, i)
	}
	return append(b, brackets[1])
}
