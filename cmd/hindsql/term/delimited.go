package term

import (
	"bufio"
	"encoding/csv"
	"strings"

	"hindsql/internal/result"
)

// writeCSV writes RFC 4180 text with \n line ends. NULL is an empty field.
func writeCSV(w *bufio.Writer, r *result.Rows, o Options) error {
	c := csv.NewWriter(w)
	return eachRecord(r, o, func(record []string) error {
		if len(record) == 1 && record[0] == "" { // readers skip empty lines
			c.Flush()
			w.WriteString("\"\"\n")
			return c.Error()
		}
		return c.Write(record)
	}, func() error { c.Flush(); return c.Error() })
}

// writeTSV writes fields without quotes: tab, line ends and backslash are \t,
// \n, \r and \\. NULL is an empty field.
func writeTSV(w *bufio.Writer, r *result.Rows, o Options) error {
	escapes := strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	return eachRecord(r, o, func(record []string) error {
		for i, s := range record {
			if i > 0 {
				w.WriteByte('\t')
			}
			if _, err := escapes.WriteString(w, s); err != nil {
				return err
			}
		}
		return w.WriteByte('\n')
	}, func() error { return nil })
}

func eachRecord(r *result.Rows, o Options, write func([]string) error, end func() error) error {
	types := result.Types(r.Columns)
	record := make([]string, len(r.Columns))
	for i, c := range r.Columns {
		record[i] = c.Name
	}
	if !o.NoHeader {
		if err := write(record); err != nil {
			return err
		}
	}
	for values, err := range r.All() {
		if err != nil {
			_ = end() // write the rows so far; the rows' error says more
			return err
		}
		for i, v := range values {
			record[i] = ""
			if v != nil {
				record[i] = types[i].MachineText(v)
			}
		}
		if err := write(record); err != nil {
			return err
		}
	}
	return end()
}
