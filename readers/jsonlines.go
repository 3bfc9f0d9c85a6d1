package readers

import (
	"sync"

	"github.com/valyala/fastjson"

	"hindsql/tables"
)

// decoders are reused: each grows to the size of its longest line.
var decoders = sync.Pool{New: func() any { return new(Decoder) }}

// JSONLines reads a log of one JSON object a line. It calls visit for every
// object, which is valid until visit returns, and emits a problem for whatever
// is none. starts are the beginnings an object may have, see [Decoder.Objects].
// The error is one of opening or reading the log; what came before it was
// visited.
func JSONLines(in *Input, starts []string, visit func(*fastjson.Value, Line)) error {
	f, err := in.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	decoder := decoders.Get().(*Decoder)
	defer decoders.Put(decoder)
	for line, err := range Lines(f) {
		if err != nil {
			return err
		}
		decoder.Objects(line, starts,
			func(v *fastjson.Value) { visit(v, line) },
			func(p *tables.Problem) { in.Emit(p) })
	}
	return nil
}
