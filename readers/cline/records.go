package cline

import "hindsql/readers"

// records lists what Cline's logs record. The tests check it against the samples.
var records = map[readers.Fact]readers.Extent{
	readers.Refusals:           readers.Recorded,
	readers.Reasons:            readers.Recorded,
	readers.RefusedDiffs:       readers.Recorded,
	readers.RuleRefusals:       readers.Recorded,
	readers.Grants:             readers.Recorded | readers.Inferred,
	readers.Cascades:           readers.Recorded,
	readers.Interruptions:      readers.Recorded | readers.Inferred,
	readers.PartialOutput:      readers.Recorded,
	readers.SystemStops:        readers.Recorded,
	readers.Compactions:        readers.Recorded,
	readers.CompactionTokens:   readers.Recorded,
	readers.CompactionTriggers: readers.Recorded,
	readers.Summaries:          readers.Recorded,
	readers.Clears:             readers.Inferred,
	readers.Prompts:            readers.Recorded,
	readers.Forks:              readers.Recorded,
	readers.Subagents:          readers.Recorded,
	readers.Tokens:             readers.Recorded,
	readers.Thinking:           readers.Recorded,
	readers.ExitCodes:          readers.Recorded,
	readers.Costs:              readers.Recorded,
	readers.Versions:           readers.Recorded,
	readers.GitBranches:        readers.Recorded,
}
