package mcp

// bounds hold the limits of an answer's size.
type bounds struct {
	Rows  int64 // 0 if the caller set no max_rows
	Chars int   // characters of structured content and text together
	Cell  int   // characters of a cell
	Said  int   // characters of a text of a saved query, if the caller set no cell_chars; 0: Cell
	Text  bool  // the answer is only the text, without structured content
}

// Defaults and bounds of the arguments. The schemas repeat the numbers.
const (
	usualRows, mostRows            = 100, 1000
	usualChars, leastChars, most   = 20_000, 1000, 200_000
	usualCell, leastCell, mostCell = 500, 20, 200_000
	// usualSaid is less than usualCell: a row of a saved query has several texts, and a
	// refused plan averages 8,900 characters.
	usualSaid = 140
)
