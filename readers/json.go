package readers

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

// Text returns the string under the keys. It is empty if the value is absent or no
// string.
func Text(v *fastjson.Value, keys ...string) string { return v.GetString(keys...) }

// Int returns the whole number under the keys. It is missing if the value is no number,
// or is too large.
func Int(v *fastjson.Value, keys ...string) tables.Maybe[int64] {
	n := v.Get(keys...)
	if n == nil || n.Type() != fastjson.TypeNumber {
		return tables.Maybe[int64]{}
	}
	if i, err := n.Int64(); err == nil {
		return tables.Some(i)
	}
	f, err := n.Float64()
	if err != nil || !(f < 1<<62 && f > -(1<<62)) { // the negated form also rejects NaN
		return tables.Maybe[int64]{}
	}
	return tables.Some(int64(f))
}

// Bool returns the fact under the keys. It is false if the value is absent or is neither
// true nor false.
func Bool(v *fastjson.Value, keys ...string) bool { return v.GetBool(keys...) }

// Is reports whether there is a value and it has the type.
func Is(v *fastjson.Value, t fastjson.Type) bool { return v != nil && v.Type() == t }

// IsNull reports whether a value is absent or null.
func IsNull(v *fastjson.Value) bool { return v == nil || v.Type() == fastjson.TypeNull }

// scratchBuffers holds buffers that grow to the largest value. Reusing them avoids a
// third of all garbage.
var scratchBuffers = sync.Pool{New: func() any { return new([]byte) }}

// JSON returns a value as JSON that every parser accepts, whatever the log held: valid
// UTF-8, escaped control characters, well-formed numbers.
func JSON(v *fastjson.Value) string {
	if v == nil {
		return ""
	}
	if raw := v.Raw(); raw != "" && isCanonical(raw) {
		return strings.Clone(raw)
	}
	scratch := scratchBuffers.Get().(*[]byte)
	defer scratchBuffers.Put(scratch)
	*scratch = appendJSON((*scratch)[:0], v)
	if text := *scratch; cap(text) >= largeText {
		*scratch = nil
		return unsafe.String(unsafe.SliceData(text), len(text)) // a copy would double the memory, and no other code holds the buffer
	}
	return string(*scratch)
}

func appendJSON(dst []byte, v *fastjson.Value) []byte {
	switch v.Type() {
	case fastjson.TypeObject:
		dst = append(dst, '{')
		object := v.GetObject()
		for i := range object.Pairs() {
			key, v := object.Pair(i)
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, []byte(key)), ':')
			dst = appendJSON(dst, v)
		}
		return append(dst, '}')
	case fastjson.TypeArray:
		dst = append(dst, '[')
		for i, e := range v.GetArray() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, e)
		}
		return append(dst, ']')
	case fastjson.TypeString:
		return appendString(dst, v.GetStringBytes())
	case fastjson.TypeNumber:
		return appendNumber(dst, v)
	}
	return append(dst, v.Type().String()...)
}

// appendNumber keeps a number's digits if they are valid JSON. If not, it quotes them.
func appendNumber(dst []byte, v *fastjson.Value) []byte {
	digits := v.Digits()
	if _, err := strconv.ParseFloat(digits, 64); err != nil || !plainNumber([]byte(digits)) {
		return appendString(dst, []byte(digits))
	}
	return append(dst, digits...)
}

// plainNumber rejects numbers that ParseFloat accepts and JSON doesn't: 01, .5, 1.,
// inf.
func plainNumber(b []byte) bool {
	b = bytes.TrimPrefix(b, []byte("-"))
	whole, fraction, dotted := bytes.Cut(b, []byte("."))
	if !dotted {
		return len(b) > 0 && isDigit(b[0]) && (b[0] != '0' || len(b) == 1 || !isDigit(b[1]))
	}
	return len(whole) > 0 && isDigit(whole[0]) && (whole[0] != '0' || len(whole) == 1) &&
		len(fraction) > 0 && isDigit(fraction[0])
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// quotedLen returns the length of a text as a JSON string.
func quotedLen(s []byte) int {
	n := len(s) + 2
	for _, c := range s {
		switch {
		case c == '"', c == '\\', c == '\n', c == '\t', c == '\r':
			n++
		case c < 0x20:
			n += len(`u0000`)
		}
	}
	return n
}

const hexDigits = "0123456789abcdef"

func appendString(dst, s []byte) []byte {
	if !utf8.Valid(s) {
		s = bytes.ToValidUTF8(s, []byte("\uFFFD"))
	}
	if len(s) >= largeText {
		dst = slices.Grow(dst, quotedLen(s)+1024) // plus room for the surrounding JSON
	}
	dst = append(dst, '"')
	from := 0
	for i, c := range s {
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(append(dst, s[from:]...), '"')
}
