package gemini

import "hindsql/readers"

// records lists what Gemini CLI's logs record. The tests check it against the samples.
var records = map[readers.Fact]readers.Extent{
	readers.Refusals:           readers.Recorded | readers.Inferred,
	readers.Waits:              readers.Recorded,
	readers.Reasons:            readers.Recorded,
	readers.RefusedDiffs:       readers.Recorded,
	readers.RuleRefusals:       readers.Recorded,
	readers.Cascades:           readers.Recorded | readers.Inferred,
	readers.Interruptions:      readers.Recorded | readers.Inferred,
	readers.PartialOutput:      readers.Recorded,
	readers.SystemStops:        readers.Recorded,
	readers.Compactions:        readers.Recorded,
	readers.CompactionTokens:   readers.Recorded | readers.Inferred,
	readers.CompactionTriggers: readers.Recorded | readers.Inferred,
	readers.Summaries:          readers.Recorded,
	readers.Clears:             readers.Recorded,
	readers.Prompts:            readers.Recorded,
	readers.Branches:           readers.Recorded,
	readers.Subagents:          readers.Recorded,
	readers.Tokens:             readers.Recorded,
	readers.Thinking:           readers.Recorded,
	readers.ExitCodes:          readers.Recorded,
}
