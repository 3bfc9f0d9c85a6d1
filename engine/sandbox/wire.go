package sandbox

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"
)

// longestFrame limits how much a parent reads at once, because the parent doesn't trust
// its worker.
const longestFrame = 64 << 20

// kind is the kind of a frame.
type kind string

const (
	kindHello  kind = "hello"
	kindCall   kind = "call"
	kindReply  kind = "reply"
	kindCancel kind = "cancel"
)

// head describes a frame. On the wire, the lengths of head and body come first, then
// both.
type head struct {
	Kind   kind            `json:"kind"`
	ID     uint64          `json:"id,omitempty"` // id of the call, counted by the calling end
	Method string          `json:"method,omitempty"`
	Value  json.RawMessage `json:"value,omitempty"`
	Err    *string         `json:"err,omitempty"`
}

type frame struct {
	head
	body []byte
}

const (
	lengths   = 4 + 8     // bytes of the two lengths
	smallBody = 16 << 10  // bytes of the longest body written together with its head
	readAhead = 128 << 10 // bytes read ahead; longer bodies are read directly into place
)

// write writes a frame without copying a long body.
func (f *frame) write(w io.Writer) error {
	text, err := json.Marshal(&f.head)
	if err != nil {
		return err
	}
	out := make([]byte, lengths, lengths+len(text)+min(len(f.body), smallBody))
	binary.LittleEndian.PutUint32(out, uint32(len(text)))
	binary.LittleEndian.PutUint64(out[4:], uint64(len(f.body)))
	out = append(out, text...)
	body := f.body
	if len(body) <= smallBody {
		out, body = append(out, body...), nil
	}
	if _, err := w.Write(out); err != nil || body == nil {
		return err
	}
	_, err = w.Write(body)
	return err
}

// frames reads one frame after another.
type frames struct {
	in      *bufio.Reader
	longest uint64 // bytes of the longest frame; 0 for any length
}

func newFrames(r io.Reader, longest uint64) *frames {
	return &frames{bufio.NewReaderSize(r, readAhead), longest}
}

func (r *frames) next() (f frame, err error) {
	var size [lengths]byte
	if _, err := io.ReadFull(r.in, size[:]); err != nil {
		return f, err
	}
	long, rest := uint64(binary.LittleEndian.Uint32(size[:])), binary.LittleEndian.Uint64(size[4:])
	if r.longest > 0 && (rest > r.longest || long+rest > r.longest) {
		return f, fmt.Errorf("message of %d and %d bytes: %d are the most", long, rest, r.longest)
	}
	text := make([]byte, long)
	if _, err := io.ReadFull(r.in, text); err != nil {
		return f, fmt.Errorf("message cut short: %w", err)
	}
	if err := json.Unmarshal(text, &f.head); err != nil {
		return f, fmt.Errorf("message: %w", err)
	}
	if rest > 0 {
		f.body = make([]byte, rest)
		if _, err := io.ReadFull(r.in, f.body); err != nil {
			return f, fmt.Errorf("message cut short: %w", err)
		}
	}
	return f, nil
}

// Argument is the value of a statement's parameter.
type Argument struct{ Name, Type, Text string }

// Arguments encodes the values of parameters: nil, a bool, int64, int, float64,
// string or time.Time.
func Arguments(args map[string]any) ([]Argument, error) {
	var list []Argument
	for name, value := range args {
		a := Argument{Name: name, Type: fmt.Sprintf("%T", value), Text: fmt.Sprint(value)}
		switch v := value.(type) {
		case nil, bool, int64, int, string:
		case float64:
			a.Text = strconv.FormatFloat(v, 'g', -1, 64)
		case time.Time:
			a.Text = v.Format(time.RFC3339Nano)
		default:
			return nil, fmt.Errorf("parameter $%s: a value of type %T can't be given", name, value)
		}
		list = append(list, a)
	}
	return list, nil
}

// Value decodes the argument.
func (a Argument) Value() (v any, err error) {
	switch a.Type {
	case "bool":
		v, err = strconv.ParseBool(a.Text)
	case "int", "int64":
		v, err = strconv.ParseInt(a.Text, 10, 64)
	case "float64":
		v, err = strconv.ParseFloat(a.Text, 64)
	case "string":
		v = a.Text
	case "time.Time":
		v, err = time.Parse(time.RFC3339Nano, a.Text)
	}
	return v, err
}
