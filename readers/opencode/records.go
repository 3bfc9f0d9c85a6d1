package opencode

import "hindsql/readers"

// records lists the facts that the sessions record. Tests compare the samples with it.
var records = map[readers.Fact]readers.Extent{
	readers.Refusals:           readers.Recorded,
	readers.Waits:              readers.Recorded,
	readers.Reasons:            readers.Recorded,
	readers.RefusedDiffs:       readers.Recorded,
	readers.RuleRefusals:       readers.Recorded,
	readers.Cascades:           readers.Recorded,
	readers.Interruptions:      readers.Recorded,
	readers.PartialOutput:      readers.Recorded,
	readers.SystemStops:        readers.Recorded,
	readers.Compactions:        readers.Recorded,
	readers.CompactionTokens:   readers.Recorded,
	readers.CompactionTriggers: readers.Recorded,
	readers.Summaries:          readers.Recorded,
	readers.Prompts:            readers.Recorded,
	readers.Branches:           readers.Recorded,
	readers.Forks:              readers.Recorded,
	readers.Subagents:          readers.Recorded,
	readers.Tokens:             readers.Recorded,
	readers.Thinking:           readers.Recorded,
	readers.ExitCodes:          readers.Recorded,
	readers.Costs:              readers.Recorded,
	readers.Versions:           readers.Recorded,
}
