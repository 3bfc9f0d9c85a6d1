package neovate

import "hindsql/readers"

// records lists what Neovate Code's logs record. The tests check it against the
// samples.
var records = map[readers.Fact]readers.Extent{
	readers.Refusals:           readers.Recorded,
	readers.Waits:              readers.Recorded,
	readers.Reasons:            readers.Recorded,
	readers.RefusedDiffs:       readers.Recorded,
	readers.Grants:             readers.Recorded,
	readers.Cascades:           readers.Recorded | readers.Inferred,
	readers.Interruptions:      readers.Recorded,
	readers.SystemStops:        readers.Recorded,
	readers.Compactions:        readers.Recorded,
	readers.CompactionTriggers: readers.Inferred,
	readers.Summaries:          readers.Recorded,
	readers.Clears:             readers.Inferred,
	readers.Prompts:            readers.Recorded,
	readers.Branches:           readers.Recorded,
	readers.Forks:              readers.Recorded,
	readers.Subagents:          readers.Recorded,
	readers.Tokens:             readers.Recorded,
	readers.Thinking:           readers.Recorded,
	readers.ExitCodes:          readers.Recorded,
}
