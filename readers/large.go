package readers

import "runtime/debug"

// largeText is the size in bytes from which a line or document counts as large. After a
// large text is used, its memory goes back to the system at once. Without this, a log
// with a text of 200 MB would take ten times as much memory: the text, the parser's
// copy, the value's copy, the row's copy, and the garbage since the last collection.
const largeText = 16 << 20

// GiveBack returns unused memory to the system. GiveBack takes some milliseconds, so
// call it only after a large text.
func GiveBack() { debug.FreeOSMemory() }

// met is called after a text was read completely. bytes is its size. If the text is
// large, met notes this for the log, and gives the memory used for reading back to the
// system.
func (in *Input) met(bytes int) {
	if bytes < largeText {
		return
	}
	if in.large != nil {
		*in.large = true
	}
	GiveBack()
}

// nextRoom returns the next size in bytes for a buffer that is full at size full. left
// is how many more bytes may come; if negative, it is unknown.
func nextRoom(full, left int64) int64 {
	room := max(2*full, 1<<20)
	if left >= 0 {
		room = min(room, full+left+1)
	}
	return max(room, full+full/4)
}
