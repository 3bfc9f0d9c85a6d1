package grok

import (
	"slices"

	"hindsql/readers"
	"hindsql/tables"
)

// rewinds knows which messages followed each prompt, for /rewind (FORMAT.md §5).
type rewinds struct {
	prompts []indexed
	uuids   []string // of all messages on the conversation's active line
}

// indexed is a prompt with its number.
type indexed struct {
	index int64
	from  int // its place among the uuids
}

func (r *rewinds) prompt(index int64) { r.prompts = append(r.prompts, indexed{index, len(r.uuids)}) }

func (r *rewinds) said(m *tables.Message) {
	if m.UUID != "" {
		r.uuids = append(r.uuids, m.UUID)
	}
}

// rewound handles a /rewind: the prompts from a number on, and what followed them, are
// off the conversation's active line. The next prompt takes that number again.
func (l *log) rewound(u *update) {
	target := readers.Int(u.Value, "target_prompt_index")
	if !target.OK {
		return
	}
	l.settle(u.at)
	if gone := l.rewinds.undo(target.Value); gone != nil {
		l.in.Emit(gone)
	}
}

// takeBack handles a prompt with the number of the prompt before: Ctrl-C took the earlier
// prompt back before the model answered, and no other record says so. The result is nil
// if no prompt was taken back.
func (r *rewinds) takeBack(index int64) *tables.Inactive {
	n := len(r.prompts)
	if n == 0 || r.prompts[n-1].index != index || len(r.uuids) != r.prompts[n-1].from+1 {
		return nil
	}
	return r.undo(index)
}

// undo takes the prompts from a number on, and what followed them, off the active line.
// The result is nil if no prompt has the number or a later one.
func (r *rewinds) undo(index int64) *tables.Inactive {
	n := len(r.prompts)
	for n > 0 && r.prompts[n-1].index >= index {
		n--
	}
	if n == len(r.prompts) {
		return nil
	}
	from := r.prompts[n].from
	gone := slices.Clone(r.uuids[from:])
	r.prompts, r.uuids = r.prompts[:n], r.uuids[:from]
	if len(gone) == 0 {
		return nil
	}
	return &tables.Inactive{UUIDs: gone}
}
