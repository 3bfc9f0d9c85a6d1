package readers

import (
	"sync"

	"hindsql/internal/fastjson"
	"hindsql/tables"
)

// decoders holds reusable decoders. Each grows to the size of its longest line.
var decoders = sync.Pool{New: func() any { return new(Decoder) }}

// JSONLines reads a log with one JSON object a line. JSONLines calls visit for every
// object. The object is valid until visit returns. Other text becomes a problem. The
// error is from opening or reading the log; visit has seen everything before it.
//
// starts lists the possible beginnings of an object up to the first value, for example
// {"type":" for objects with the key type first. They count on a damaged line only: an
// object after damage is visited if it begins with one of starts, and otherwise is part
// of the problem. A start that is too short, for example {", would take an object inside
// a damaged object for a record.
func JSONLines(in *Input, starts []string, visit func(*fastjson.Value, Line)) error {
	decoder := decoders.Get().(*Decoder)
	defer decoders.Put(decoder)
	return decoder.lines(in, starts, visit)
}

// JSONLinesKept is JSONLines for a log of changes to one value. All objects stay valid
// until done returns. done runs after the last object. If an object has too many
// values, only lists and objects at depth spine or deeper are kept as text.
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
	var line Line // outside the loop, and so are the functions: no garbage with each line
	object := func(v *fastjson.Value) { visit(v, line) }
	bad := func(p *tables.Problem) { in.Emit(p) }
	for next, err := range linesUpTo(f, lineLimit, in.size) {
		if err != nil {
			return err
		}
		line = next
		in.met(len(line.Bytes))
		d.Objects(line, starts, object, bad)
		d.drop(len(line.Bytes))
	}
	return nil
}
