package readers

import "math/bits"

// keyTable finds the fields of an object by their keys. It is a quarter of a map's cost:
// three bytes and the length are enough to tell an agent's keys apart, and nearly all
// keys of a log are in the table.
type keyTable struct {
	slots []keySlot // a power of two, at most half full; nil if there are no keys
}

type keySlot struct {
	key   string
	field *field // nil for a free slot
}

func newKeyTable(fields map[string]*field) keyTable {
	if len(fields) == 0 {
		return keyTable{}
	}
	t := keyTable{make([]keySlot, 4<<bits.Len(uint(len(fields))))}
	for key, f := range fields {
		at := t.start(key)
		for t.slots[at].field != nil {
			at = (at + 1) & (len(t.slots) - 1)
		}
		t.slots[at] = keySlot{key, f}
	}
	return t
}

// start returns the first slot for a key.
func (t keyTable) start(key string) int {
	n := len(key)
	if n == 0 {
		return 0
	}
	return (n + int(key[0])*7 + int(key[n/2])*31 + int(key[n-1])*113) & (len(t.slots) - 1)
}

// field returns the field of a key, or nil.
func (t keyTable) field(key string) *field {
	if t.slots == nil {
		return nil
	}
	for at := t.start(key); ; at = (at + 1) & (len(t.slots) - 1) {
		slot := &t.slots[at]
		if slot.field == nil || slot.key == key {
			return slot.field
		}
	}
}
