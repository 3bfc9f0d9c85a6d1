package sandbox

import (
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/duckdb/duckdb-go/v2"
)

// leafOf returns the cell for a type without inner types. If DuckDB's name is unknown,
// Arrow's type decides.
func leafOf(base string, from arrow.Array) (cell, error) {
	if parse := parsers[base]; parse != nil {
		return parsed(parse, from)
	}
	switch a := from.(type) {
	case *array.Null:
		return func(int) (any, error) { return nil, nil }, nil
	case *array.Boolean:
		return plain(a.Value), nil
	case *array.Int8:
		return plain(a.Value), nil
	case *array.Int16:
		return plain(a.Value), nil
	case *array.Int32:
		return plain(a.Value), nil
	case *array.Int64:
		return plain(a.Value), nil
	case *array.Uint8:
		return plain(a.Value), nil
	case *array.Uint16:
		return plain(a.Value), nil
	case *array.Uint32:
		return plain(a.Value), nil
	case *array.Uint64:
		return plain(a.Value), nil
	case *array.Float32:
		return plain(a.Value), nil
	case *array.Float64:
		return plain(a.Value), nil
	case *array.String:
		return plain(func(i int) string { return strings.Clone(a.Value(i)) }), nil
	case *array.LargeString:
		return plain(func(i int) string { return strings.Clone(a.Value(i)) }), nil
	case *array.Binary:
		return plain(func(i int) []byte { return append([]byte{}, a.Value(i)...) }), nil
	case *array.LargeBinary:
		return plain(func(i int) []byte { return append([]byte{}, a.Value(i)...) }), nil
	case *array.Decimal128:
		return decimalOf(a)
	}
	return timeOf(from)
}

func plain[T any](value func(row int) T) cell {
	return func(row int) (any, error) { return value(row), nil }
}

func decimalOf(a *array.Decimal128) (cell, error) {
	t := a.DataType().(*arrow.Decimal128Type)
	if t.Precision < 1 || t.Precision > 38 || t.Scale < 0 || t.Scale > t.Precision {
		return nil, unknownTypeError(a)
	}
	return func(row int) (any, error) {
		return duckdb.Decimal{Width: uint8(t.Precision), Scale: uint8(t.Scale), Value: a.Value(row).BigInt()}, nil
	}, nil
}

func timeOf(from arrow.Array) (cell, error) {
	switch a := from.(type) {
	case *array.Date32:
		return plain(func(i int) time.Time { return time.Unix(int64(a.Value(i))*24*60*60, 0).UTC() }), nil
	case *array.Time64:
		if a.DataType().(*arrow.Time64Type).Unit == arrow.Microsecond {
			return plain(func(i int) time.Time { return clockTime(int64(a.Value(i))%dayMicros, time.UTC) }), nil
		}
	case *array.Timestamp:
		switch a.DataType().(*arrow.TimestampType).Unit {
		case arrow.Second:
			return plain(func(i int) time.Time { return time.Unix(int64(a.Value(i)), 0).UTC() }), nil
		case arrow.Millisecond:
			return plain(func(i int) time.Time { return time.UnixMilli(int64(a.Value(i))).UTC() }), nil
		case arrow.Microsecond:
			return plain(func(i int) time.Time { return time.UnixMicro(int64(a.Value(i))).UTC() }), nil
		case arrow.Nanosecond:
			return plain(func(i int) time.Time { return time.Unix(0, int64(a.Value(i))).UTC() }), nil
		}
	}
	return nil, unknownTypeError(from)
}

// dayMicros is the number of microseconds in a day. duckdb-go turns 24:00 into 0:00 for
// a TIME, and into 0:00 of the next day for a TIMETZ.
const dayMicros = 24 * 3600 * 1_000_000

func clockTime(micros int64, zone *time.Location) time.Time {
	return time.Date(1, time.January, 1, 0, 0, int(micros/1e6), int(micros%1e6)*1000, zone)
}

// parsers read values of types that arrive as text.
var parsers = map[string]func(string) (any, error){
	"HUGEINT": parseBig, "UHUGEINT": parseBig, "BIGNUM": parseBig,
	"UUID": parseUUID, "INTERVAL": parseInterval, "TIME WITH TIME ZONE": parseZonedTime, "TIMETZ": parseZonedTime,
	"BIT": func(s string) (any, error) { return duckdb.NewBitFromString(s) },
}

func parsed(parse func(string) (any, error), from arrow.Array) (cell, error) {
	texts, ok := from.(interface{ Value(int) string })
	if !ok {
		return nil, unknownTypeError(from)
	}
	return func(row int) (any, error) { return parse(texts.Value(row)) }, nil
}

func valueError(duckType, s string) error {
	return fmt.Errorf("%.100q came as a value of type %s", s, duckType)
}

// longestBig is the most digits in a BIGNUM, because Go's parsing time grows faster
// than the number of digits.
const longestBig = 1_000_000

func parseBig(s string) (any, error) {
	if n, ok := new(big.Int).SetString(s, 10); ok && len(s) <= longestBig {
		return n, nil
	}
	return nil, valueError("BIGNUM", s)
}

func parseUUID(s string) (any, error) {
	id, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	if err != nil || len(id) != 16 {
		return nil, valueError("UUID", s)
	}
	return id, nil
}

// parseZonedTime reads "12:00:00.5+01:30:15".
func parseZonedTime(s string) (any, error) {
	at := strings.LastIndexAny(s, "+-")
	if at < 0 {
		return nil, valueError("TIME WITH TIME ZONE", s)
	}
	micros, ok := clockMicros(s[:at])
	offset, well := clockMicros(s[at+1:] + strings.Repeat(":00", max(0, 2-strings.Count(s[at+1:], ":"))))
	if !ok || !well || offset > dayMicros {
		return nil, valueError("TIME WITH TIME ZONE", s)
	}
	seconds := int(offset / 1e6)
	if s[at] == '-' {
		seconds = -seconds
	}
	zone := time.UTC
	if seconds != 0 {
		zone = time.FixedZone("", seconds)
	}
	return clockTime(micros, zone), nil
}

// clockMicros reads "12:00:00.5", with any number of hours.
func clockMicros(s string) (micros int64, ok bool) {
	parts := strings.Split(s, ":")
	if len(parts) != 3 {
		return 0, false
	}
	whole, fraction, _ := strings.Cut(parts[2], ".")
	parts[2] = whole
	if len(fraction) > 6 {
		return 0, false
	}
	var n [4]uint64
	for i, part := range append(parts, fraction+strings.Repeat("0", 6-len(fraction))) {
		var err error
		if n[i], err = strconv.ParseUint(part, 10, 63); err != nil {
			return 0, false
		}
	}
	return int64(((n[0]*60+n[1])*60+n[2])*1e6 + n[3]), true
}

// parseInterval reads "1 year 2 months -3 days -04:00:00.5".
func parseInterval(s string) (any, error) {
	var v duckdb.Interval
	words := strings.Fields(s)
	for len(words) > 1 {
		n, err := strconv.ParseInt(words[0], 10, 32)
		if err != nil {
			return nil, valueError("INTERVAL", s)
		}
		switch strings.TrimSuffix(words[1], "s") {
		case "year":
			v.Months += int32(n) * 12
		case "month":
			v.Months += int32(n)
		case "day":
			v.Days += int32(n)
		default:
			return nil, valueError("INTERVAL", s)
		}
		words = words[2:]
	}
	if len(words) == 1 {
		clock, negative := strings.CutPrefix(words[0], "-")
		micros, ok := clockMicros(clock)
		if !ok {
			return nil, valueError("INTERVAL", s)
		}
		if v.Micros = micros; negative {
			v.Micros = -micros
		}
	}
	return v, nil
}
