package readers

// Retention is how long an agent keeps a log that nobody writes to any more,
// before it deletes it by itself.
type Retention struct {
	Days    int    // since the log was last written to
	Setting string // what the setting is called
	File    string // path of the agent's settings; it need not be there
	Set     bool   // the user has set it; else Days are the agent's default
}
