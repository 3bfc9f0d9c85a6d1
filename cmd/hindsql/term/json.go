package term

import (
	"bufio"
	"fmt"

	"hindsql/internal/result"
)

// writeJSON writes an array of objects with their keys in column order.
func writeJSON(w *bufio.Writer, r *result.Rows, _ Options) error {
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

// writeNDJSON writes one object per line.
func writeNDJSON(w *bufio.Writer, r *result.Rows, _ Options) error {
	return eachObject(r, func(object []byte) error {
		w.Write(object)
		return w.WriteByte('\n')
	})
}

func eachObject(r *result.Rows, write func([]byte) error) error {
	types := result.Types(r.Columns)
	keys := make([][]byte, len(r.Columns)) // with punctuation
	for i, name := range distinct(r.Columns) {
		if i > 0 {
			keys[i] = []byte{','}
		}
		keys[i] = append(result.AppendString(keys[i], name), ':')
	}
	var object []byte
	for values, err := range r.All() {
		if err != nil {
			return err
		}
		object = append(object[:0], '{')
		for i, v := range values {
			object = types[i].AppendJSON(append(object, keys[i]...), v)
		}
		object = append(object, '}')
		if err := write(object); err != nil {
			return err
		}
	}
	return nil
}

// distinct returns the columns' names. A repeated name gets a number: id, id_1.
func distinct(cols []result.Column) []string {
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
