package render

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// writeJSON writes one array of objects, their keys in the order of the columns.
func writeJSON(w *bufio.Writer, r Result, _ Options) error {
	w.WriteByte('[')
	between := "\n"
	err := eachObject(r, func(object []byte) error {
		w.WriteString(between)
		between = ",\n"
		_, err := w.Write(object)
		return err
	})
	w.WriteString("\n]\n")
	return err
}

// writeNDJSON writes one object a line.
func writeNDJSON(w *bufio.Writer, r Result, _ Options) error {
	return eachObject(r, func(object []byte) error {
		w.Write(object)
		return w.WriteByte('\n')
	})
}

func eachObject(r Result, write func([]byte) error) error {
	types := parseTypes(r.Columns)
	keys := make([][]byte, len(r.Columns))
	for i, name := range distinct(r.Columns) {
		keys[i] = append(appendString(nil, name), ':')
	}
	var object []byte
	for values, err := range r.Rows {
		if err != nil {
			return err
		}
		object = appendItems(object[:0], "{}", len(values), func(b []byte, i int) []byte {
			return appendJSON(append(b, keys[i]...), values[i], &types[i])
		})
		if err := write(object); err != nil {
			return err
		}
	}
	return nil
}

// distinct gives the columns' names; one that was used gets a number: id, id_1.
func distinct(cols []Column) []string {
	used := map[string]bool{}
	names := make([]string, len(cols))
	for i, c := range cols {
		name := c.Name
		for n := 1; used[name]; n++ {
			name = fmt.Sprintf("%s_%d", c.Name, n)
		}
		used[name] = true
		names[i] = name
	}
	return names
}

func appendJSON(b []byte, v any, t *dtype) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case string:
		if t.base == "JSON" {
			return appendEmbedded(b, v)
		}
		return appendString(b, v)
	case []any:
		return appendList(b, v, t)
	case map[string]any:
		if t.base != "STRUCT" {
			return append(b, decodedJSON(v)...)
		}
		return appendStruct(b, v, t)
	}
	if keys, values, ok := orderedMap(v); ok {
		return appendMap(b, keys, values, t)
	}
	if tag, value, ok := asUnion(v); ok {
		return appendJSON(b, value, t.of(tag))
	}
	return appendLeaf(b, v, t)
}

func appendLeaf(b []byte, v any, t *dtype) []byte {
	s := machineText(v, t)
	switch v := v.(type) {
	case bool:
		return append(b, s...)
	case float64:
		return appendFloat(b, v, s)
	case float32:
		return appendFloat(b, float64(v), s)
	}
	if t.isNumber() || (t.base == "" || t.base == "JSON") && json.Valid([]byte(s)) {
		return append(b, s...)
	}
	return appendString(b, s)
}

// appendFloat appends a number, or as a string what JSON has no number for.
func appendFloat(b []byte, f float64, s string) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return appendString(b, s)
	}
	return append(b, s...)
}

// appendEmbedded appends JSON text on one line; text that is none, as a string.
func appendEmbedded(b []byte, s string) []byte {
	if compact := compactJSON(s); compact != nil {
		return append(b, compact...)
	}
	return appendString(b, s)
}

// compactJSON is nil for what is no JSON.
func compactJSON(s string) []byte {
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(s)) != nil {
		return nil
	}
	return compact.Bytes()
}

func appendString(b []byte, s string) []byte {
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

// isPlain says that s needs no escapes.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			return false
		}
	}
	return true
}

func appendList(b []byte, values []any, t *dtype) []byte {
	if t.base == "JSON" {
		return append(b, decodedJSON(values)...)
	}
	return appendItems(b, "[]", len(values), func(b []byte, i int) []byte {
		return appendJSON(b, values[i], t.element())
	})
}

func appendStruct(b []byte, values map[string]any, t *dtype) []byte {
	names := fieldOrder(values, t)
	return appendItems(b, "{}", len(names), func(b []byte, i int) []byte {
		return appendJSON(append(appendString(b, names[i]), ':'), values[names[i]], t.of(names[i]))
	})
}

// appendMap appends an object whose keys are the texts of the map's keys.
func appendMap(b []byte, keys, values []any, t *dtype) []byte {
	return appendItems(b, "{}", len(keys), func(b []byte, i int) []byte {
		return appendJSON(append(appendString(b, machineText(keys[i], t.keys())), ':'), values[i], t.element())
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
