package mcp

// bounds are how much a call may give.
type bounds struct {
	Rows  int64 // at most; 0 where the caller didn't say
	Chars int   // of structured content and text together
	Cell  int   // characters of a cell
	Text  bool  // only the text is given
}

// What is given where nothing is said, and the most that may be asked for. The
// schemas say the same.
const (
	usualRows, mostRows            = 100, 1000
	usualChars, leastChars, most   = 20_000, 1000, 200_000
	usualCell, leastCell, mostCell = 500, 20, 200_000
)
