package readertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"hindsql/tables"
)

// accounted counts the records of the log with encoding/json, and compares the number
// with the reader's counts. A reader may save any number of records from a damaged
// line. So for a damaged line, accounted expects only one problem or more.
func accounted(l *log) error {
	records, damaged := 0, map[int64]bool{}
	for i, line := range physicalLines(bytes.TrimPrefix(l.data, []byte("\xEF\xBB\xBF"))) {
		if n, ok := objects(line); ok {
			records += n
		} else {
			damaged[int64(i+1)] = true
		}
	}
	counted := 0
	for _, e := range l.load(l.data).events {
		switch e := e.(type) {
		case *tables.RecordKind:
			if !strings.Contains(e.Kind, "content/") { // a content/ kind counts parts of records
				counted += int(e.Lines)
			}
		case *tables.Problem:
			delete(damaged, e.Line)
		}
	}
	if counted < records || len(damaged) == 0 && counted > records && !l.hasDamage() {
		return fmt.Errorf("%d records were counted by kind, the log holds %d", counted, records)
	}
	if len(damaged) > 0 {
		return fmt.Errorf("damaged lines without a problem: %v", damaged)
	}
	return nil
}

func (l *log) hasDamage() bool {
	for _, line := range physicalLines(bytes.TrimPrefix(l.data, []byte("\xEF\xBB\xBF"))) {
		if _, ok := objects(line); !ok {
			return true
		}
	}
	return false
}

// objects counts the JSON objects on a line. objects returns false if the line holds
// other text.
func objects(line []byte) (int, bool) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	for n := 0; ; n++ {
		var object map[string]json.RawMessage
		switch err := decoder.Decode(&object); {
		case err == io.EOF:
			return n, true
		case err != nil || object == nil:
			return 0, false
		}
	}
}
