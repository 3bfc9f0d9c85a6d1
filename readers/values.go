package readers

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/valyala/fastjson"
)

// FirstText is the first of the values under the keys that is a string and not
// empty; empty when none is.
func FirstText(v *fastjson.Value, keys ...string) string {
	for _, k := range keys {
		if s := v.GetStringBytes(k); len(s) > 0 {
			return string(s)
		}
	}
	return ""
}

// Words keeps one copy of the few values that fill whole columns.
type Words map[string]string

// Of is the string of b, the same one every time.
func (w Words) Of(b []byte) string {
	if s, ok := w[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(w) < 1024 && len(s) <= 64 {
		w[s] = s
	}
	return s
}

// Time reads an ISO 8601 string, or milliseconds since 1970, or seconds, which
// are fewer; zero for anything else. It is in UTC.
func Time(v *fastjson.Value) time.Time {
	if v == nil {
		return time.Time{}
	}
	switch v.Type() {
	case fastjson.TypeString:
		t, err := time.Parse(time.RFC3339Nano, Text(v))
		if err != nil {
			return time.Time{}
		}
		return t.UTC()
	case fastjson.TypeNumber:
		ms := v.GetFloat64()
		if ms < 1e11 { // no millisecond since 1973
			ms *= 1000
		}
		if ms < 1000 || ms > 1e14 {
			return time.Time{}
		}
		return time.UnixMilli(int64(ms)).UTC()
	}
	return time.Time{}
}

// Object is a map of strings, numbers and valid JSON as a JSON object, keys
// sorted; empty for an empty one.
func Object(m map[string]any) string {
	if len(m) == 0 {
		return ""
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// IsCommand tells a slash command from a path.
func IsCommand(text string) bool {
	command, _, _ := strings.Cut(text, " ")
	return strings.HasPrefix(command, "/") && !strings.Contains(command[1:], "/")
}

// Folder is a working directory as every agent's rows name it: on Windows some
// programs write a drive's letter small, and the same folder as C:\x is c:\x.
// The letter is made a capital.
func Folder(path string) string {
	if len(path) < 2 || path[1] != ':' || path[0] < 'a' || path[0] > 'z' || len(path) > 2 && path[2] != '\\' && path[2] != '/' {
		return path
	}
	return string(path[0]-'a'+'A') + path[1:]
}

// Image is what is kept of an image or document.
type Image struct {
	MediaType string `json:"media_type,omitempty"`
	Bytes     int    `json:"bytes"`
}

// ImageOf describes base64 text, which is not kept.
func ImageOf(mediaType string, base64 []byte) Image {
	return Image{MediaType: mediaType, Bytes: len(base64) * 3 / 4}
}

// Set is a set of words.
type Set map[string]bool

// SetOf is the set of the words of a text, which spaces and newlines part.
func SetOf(words string) Set {
	s := Set{}
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}
