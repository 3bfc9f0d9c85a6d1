package kimi

import "hindsql/readers"

// records lists what the logs of Kimi Code record. The tests check it against the
// samples.
var records = map[readers.Fact]readers.Extent{
	readers.Refusals:           readers.Recorded,
	readers.Reasons:            readers.Recorded,
	readers.RefusedDiffs:       readers.Recorded,
	readers.RuleRefusals:       readers.Recorded,
	readers.Grants:             readers.Recorded,
	readers.MachineGrants:      readers.Inferred,
	readers.Waits:              readers.Recorded,
	readers.Interruptions:      readers.Recorded,
	readers.PartialOutput:      readers.Recorded,
	readers.SystemStops:        readers.Recorded,
	readers.Compactions:        readers.Recorded,
	readers.CompactionTokens:   readers.Inferred,
	readers.CompactionTriggers: readers.Recorded,
	readers.Summaries:          readers.Recorded,
	readers.Clears:             readers.Recorded | readers.Inferred,
	readers.Prompts:            readers.Recorded,
	readers.Branches:           readers.Recorded,
	readers.Forks:              readers.Recorded,
	readers.Subagents:          readers.Recorded,
	readers.Tokens:             readers.Recorded,
	readers.Thinking:           readers.Recorded,
	readers.ExitCodes:          readers.Recorded,
}
