package copilot

import "hindsql/readers"

// records lists what Copilot CLI's logs record. The tests check it against the samples.
var records = map[readers.Fact]readers.Extent{
	readers.Refusals:           readers.Recorded | readers.Inferred,
	readers.Reasons:            readers.Recorded,
	readers.RefusedDiffs:       readers.Recorded,
	readers.RuleRefusals:       readers.Recorded,
	readers.Grants:             readers.Recorded | readers.Inferred,
	readers.MachineGrants:      readers.Recorded | readers.Inferred,
	readers.Waits:              readers.Recorded,
	readers.Cascades:           readers.Inferred,
	readers.Interruptions:      readers.Recorded,
	readers.SystemStops:        readers.Recorded,
	readers.Compactions:        readers.Recorded,
	readers.CompactionTokens:   readers.Recorded | readers.Inferred,
	readers.CompactionTriggers: readers.Recorded,
	readers.Summaries:          readers.Recorded,
	readers.Clears:             readers.Recorded | readers.Inferred,
	readers.Prompts:            readers.Recorded,
	readers.Forks:              readers.Recorded,
	readers.Subagents:          readers.Recorded,
	readers.Tokens:             readers.Recorded,
	readers.Thinking:           readers.Recorded,
	readers.ExitCodes:          readers.Recorded,
	readers.Versions:           readers.Recorded,
	readers.GitBranches:        readers.Recorded,
}
