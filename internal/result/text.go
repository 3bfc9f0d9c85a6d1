package result

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"

	"hindsql/internal/lists"
)

// Text formats a value of the type like DuckDB's cast to VARCHAR. nil becomes "NULL".
func (t *Type) Text(v any) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case []any:
		return "[" + lists.Join(v, ", ", func(v any) string { return t.element().nestedText(v) }) + "]"
	case map[string]any:
		if t.Base == "STRUCT" {
			return t.structText(v)
		}
		return decodedJSON(v)
	}
	if keys, values, ok := orderedMap(v); ok {
		return t.mapText(keys, values)
	}
	if tag, value, ok := asUnion(v); ok {
		return t.of(tag).Text(value)
	}
	return t.leafText(v)
}

// MachineText is [Type.Text] with times in the form of RFC 3339.
func (t *Type) MachineText(v any) string {
	if at, ok := v.(time.Time); ok {
		switch {
		case at.Year() > 9999 || at.Year() < 0:
		case t.isZoned():
			return at.Format(time.RFC3339Nano)
		case strings.HasPrefix(t.Base, "TIMESTAMP"):
			return at.Format("2006-01-02T15:04:05.999999999")
		}
	}
	return t.Text(v)
}

func (t *Type) leafText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		if t.Base == "DECIMAL" {
			return strconv.FormatFloat(v, 'f', t.scale, 64)
		}
		return floatText(v, 64)
	case float32:
		return floatText(float64(v), 32)
	case []byte:
		return bytesText(v, t)
	case time.Time:
		return timeText(v, t)
	case *big.Int:
		return v.String()
	}
	if months, days, micros, ok := asInterval(v); ok {
		return intervalText(months, days, micros)
	}
	s := fmt.Sprint(v) // other integers, DECIMAL, and unknown types
	if t.Base == "DECIMAL" {
		return padScale(s, t.scale)
	}
	return s
}

// padScale adds the final zeros of a decimal, left out by the driver.
func padScale(s string, scale int) string {
	if scale == 0 {
		return s
	}
	whole, fraction, _ := strings.Cut(s, ".")
	return whole + "." + fraction + strings.Repeat("0", max(0, scale-len(fraction)))
}

func floatText(f float64, bits int) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(f, 'g', -1, bits)), "+")
	}
	if abs := math.Abs(f); abs != 0 && (abs < 1e-4 || abs >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, bits)
	}
	s := strconv.FormatFloat(f, 'f', -1, bits)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func bytesText(b []byte, t *Type) string {
	if t.Base == "UUID" && len(b) == 16 {
		return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	}
	var s strings.Builder
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' || c == '\'' || c == '"' {
			fmt.Fprintf(&s, `\x%02X`, c)
		} else {
			s.WriteByte(c)
		}
	}
	return s.String()
}

func timeText(at time.Time, t *Type) string {
	const clock = "15:04:05.999999999"
	switch {
	case t.Base == "DATE" && at.Year() < 5881580 && at.Year() > -5877641:
		return at.Format(time.DateOnly)
	case t.Base == "TIME":
		return at.Format(clock)
	case t.Base == "TIMETZ" || t.Base == "TIME WITH TIME ZONE":
		return at.Format(clock) + offsetText(at)
	case at.Year() > 294246:
		return "infinity"
	case at.Year() < -290307:
		return "-infinity"
	case t.isZoned():
		return at.Format("2006-01-02 "+clock) + offsetText(at)
	}
	return at.Format("2006-01-02 " + clock)
}

func offsetText(at time.Time) string { return strings.TrimSuffix(at.Format("-07:00"), ":00") }

func intervalText(months, days int32, micros int64) string {
	var parts []string
	for _, p := range []struct {
		n    int32
		unit string
	}{{months / 12, "year"}, {months % 12, "month"}, {days, "day"}} {
		switch p.n {
		case 0:
		case 1, -1:
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.unit))
		default:
			parts = append(parts, fmt.Sprintf("%d %ss", p.n, p.unit))
		}
	}
	if micros != 0 || len(parts) == 0 {
		parts = append(parts, clockText(micros))
	}
	return strings.Join(parts, " ")
}

func clockText(micros int64) string {
	sign := ""
	n := uint64(micros)
	if micros < 0 {
		sign, n = "-", -n
	}
	s := fmt.Sprintf("%s%02d:%02d:%02d", sign, n/3_600_000_000, n/60_000_000%60, n/1_000_000%60)
	if fraction := n % 1_000_000; fraction != 0 {
		s += "." + strings.TrimRight(fmt.Sprintf("%06d", fraction), "0")
	}
	return s
}

// decodedJSON returns the JSON of a value decoded by the driver, with keys sorted.
func decodedJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// The driver's own types are recognised by their shape, because only the engine may
// know the driver.

func asInterval(v any) (months, days int32, micros int64, ok bool) {
	type shape = struct {
		Days, Months int32
		Micros       int64
	}
	s, ok := reshape[shape](v)
	return s.Months, s.Days, s.Micros, ok
}

func asUnion(v any) (tag string, value any, ok bool) {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Struct || r.NumField() != 2 {
		return "", nil, false
	}
	tagField, valueField := r.FieldByName("Tag"), r.FieldByName("Value")
	if !valueField.IsValid() || !tagField.IsValid() || tagField.Kind() != reflect.String {
		return "", nil, false
	}
	return tagField.String(), valueField.Interface(), true
}

func orderedMap(v any) (keys, values []any, ok bool) {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Struct {
		return nil, nil, false
	}
	p := reflect.New(r.Type())
	p.Elem().Set(r)
	m, ok := p.Interface().(interface {
		Keys() []any
		Values() []any
	})
	if !ok {
		return nil, nil, false
	}
	return m.Keys(), m.Values(), true
}

func reshape[T any](v any) (shaped T, ok bool) {
	r, want := reflect.ValueOf(v), reflect.TypeFor[T]()
	if r.Kind() != reflect.Struct || !r.Type().ConvertibleTo(want) {
		return shaped, false
	}
	return r.Convert(want).Interface().(T), true
}

func (t *Type) structText(values map[string]any) string {
	parts := lists.Map(t.fieldOrder(values), func(name string) string { return "'" + escape(name) + "': " + t.of(name).nestedText(values[name]) })
	return "{" + strings.Join(parts, ", ") + "}"
}

func (t *Type) mapText(keys, values []any) string {
	parts := make([]string, len(keys))
	for i := range keys {
		parts[i] = t.keys().nestedText(keys[i]) + "=" + t.element().nestedText(values[i])
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// fieldOrder returns the field names in the order of the type; sorted if the type is
// unknown.
func (t *Type) fieldOrder(values map[string]any) []string {
	var names []string
	for _, f := range t.fields {
		if _, ok := values[f.name]; ok {
			names = append(names, f.name)
		}
	}
	if len(names) == len(values) {
		return names
	}
	names = names[:0]
	for name := range values {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// nestedText returns the text of a value inside a list, struct or map. Like DuckDB, it
// quotes texts easily mistaken for structure.
func (t *Type) nestedText(v any) string {
	s := t.Text(v)
	switch v.(type) {
	case nil, []any, map[string]any, bool:
		return s
	}
	if _, _, ok := orderedMap(v); ok {
		return s
	}
	if _, written := v.(string); written && t.isNested() { // written by DuckDB, because duckdb-go can't read the type
		return s
	}
	if needsQuotes(s) {
		return "'" + escape(s) + "'"
	}
	return s
}

func needsQuotes(s string) bool {
	return s == "" || strings.TrimSpace(s) != s || strings.EqualFold(s, "NULL") || strings.ContainsAny(s, `,'"()[]{}=:`)
}

func escape(s string) string { return strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) }
