package vscode

import "hindsql/readers"

// records lists what VS Code's chat sessions record. The tests check it against the
// samples.
var records = map[readers.Fact]readers.Extent{
	readers.Refusals:           readers.Recorded | readers.Inferred,
	readers.RefusedDiffs:       readers.Recorded,
	readers.RuleRefusals:       readers.Recorded,
	readers.Grants:             readers.Recorded,
	readers.MachineGrants:      readers.Recorded,
	readers.Interruptions:      readers.Recorded | readers.Inferred,
	readers.PartialOutput:      readers.Recorded,
	readers.SystemStops:        readers.Recorded,
	readers.Compactions:        readers.Recorded,
	readers.CompactionTokens:   readers.Recorded,
	readers.CompactionTriggers: readers.Recorded | readers.Inferred,
	readers.Summaries:          readers.Recorded,
	readers.Branches:           readers.Recorded,
	readers.Subagents:          readers.Recorded,
	readers.Tokens:             readers.Recorded,
	readers.Thinking:           readers.Recorded,
	readers.ExitCodes:          readers.Recorded,
	readers.Versions:           readers.Recorded,
	readers.GitBranches:        readers.Recorded,
}
