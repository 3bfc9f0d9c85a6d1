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
	decoder := decoders.Get().(*Decoder)
	defer decoders.Put(decoder)
	return decoder.lines(in, starts, visit)
}

// JSONLinesKept is JSONLines for a log whose lines are changes to one value:
// all objects stay valid until done, which is called after the last one, has
// returned. Of an object with too many values only what lies spine deep in it, or
// deeper, is kept as text.
func JSONLinesKept(in *Input, starts []string, spine int, visit func(*fastjson.Value, Line), done func()) error {
	d := &Decoder{keep: true, spine: spine, room: room{most: keptValues}}
	defer d.release()
	err := d.lines(in, starts, visit)
	done()
	return err
}

func (d *Decoder) lines(in *Input, starts []string, visit func(*fastjson.Value, Line)) error {
	f, err := in.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	for line, err := range linesUpTo(f, lineLimit, in.size) {
		if err != nil {
			return err
		}
		in.met(len(line.Bytes))
		d.Objects(line, starts,
			func(v *fastjson.Value) { visit(v, line) },
			func(p *tables.Problem) { in.Emit(p) })
		d.drop(len(line.Bytes))
	}
	return nil
}
