package codex

import "hindsql/readers"

// records lists the facts that Codex's logs record. Tests compare it with the samples.
var records = map[readers.Fact]readers.Extent{
	readers.Refusals:           readers.Recorded | readers.Inferred,
	readers.RefusedDiffs:       readers.Recorded,
	readers.RuleRefusals:       readers.Recorded,
	readers.Grants:             readers.Recorded | readers.Inferred,
	readers.MachineGrants:      readers.Inferred,
	readers.Waits:              readers.Recorded,
	readers.Cascades:           readers.Inferred,
	readers.Interruptions:      readers.Recorded | readers.Inferred,
	readers.PartialOutput:      readers.Recorded,
	readers.SystemStops:        readers.Recorded | readers.Inferred,
	readers.Compactions:        readers.Recorded,
	readers.CompactionTokens:   readers.Recorded | readers.Inferred,
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
	readers.Versions:           readers.Recorded,
	readers.GitBranches:        readers.Recorded,
}
