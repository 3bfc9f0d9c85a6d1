package claude

import "hindsql/readers"

// records lists the facts that Claude Code's logs record. Tests compare it with the
// samples.
var records = map[readers.Fact]readers.Extent{
	readers.Refusals:           readers.Recorded | readers.Inferred,
	readers.Reasons:            readers.Recorded,
	readers.RefusedDiffs:       readers.Recorded,
	readers.RuleRefusals:       readers.Recorded | readers.Inferred,
	readers.Grants:             readers.Recorded | readers.Inferred,
	readers.MachineGrants:      readers.Recorded | readers.Inferred,
	readers.Waits:              readers.Recorded,
	readers.Cascades:           readers.Recorded | readers.Inferred,
	readers.Interruptions:      readers.Recorded | readers.Inferred,
	readers.PartialOutput:      readers.Recorded,
	readers.SystemStops:        readers.Recorded | readers.Inferred,
	readers.Compactions:        readers.Recorded,
	readers.CompactionTokens:   readers.Recorded,
	readers.CompactionTriggers: readers.Recorded,
	readers.Summaries:          readers.Recorded,
	readers.Clears:             readers.Recorded,
	readers.Prompts:            readers.Recorded,
	readers.Branches:           readers.Recorded,
	readers.Forks:              readers.Recorded,
	readers.Subagents:          readers.Recorded,
	readers.Tokens:             readers.Recorded,
	readers.Thinking:           readers.Recorded,
	readers.ExitCodes:          readers.Recorded,
	readers.Costs:              readers.Recorded,
	readers.Versions:           readers.Recorded,
	readers.GitBranches:        readers.Recorded,
}
