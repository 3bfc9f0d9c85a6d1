package readers

import "runtime/debug"

// largeText is the size of a line or document, in bytes, from which on the memory
// that it took is given back to the system as soon as nothing of it is needed. A log
// with a text of 200 MB would else take ten times as much: the text, the parser's
// copy, the value's, the row's, and what was garbage since the last collection.
const largeText = 16 << 20

// GiveBack gives memory that isn't used back to the system. It takes some
// milliseconds, which only a large text is worth.
func GiveBack() { debug.FreeOSMemory() }

// met notes that the log has a text of so many bytes, all of which have been read,
// and gives back what reading it took.
func (in *Input) met(bytes int) {
	if bytes < largeText {
		return
	}
	if in.large != nil {
		*in.large = true
	}
	GiveBack()
}

// nextRoom is how many bytes to have room for, where full are full and at most left
// more may come; left is negative where that isn't known.
func nextRoom(full, left int64) int64 {
	room := max(2*full, 1<<20)
	if left >= 0 {
		room = min(room, full+left+1)
	}
	return max(room, full+full/4)
}
