package readers

// Retention is how long an agent keeps an unchanged log before deleting it.
type Retention struct {
	Days    int    // days since the last write to the log
	Setting string // name of the setting
	File    string // path of the agent's settings file, which may be missing
	Set     bool   // true if the user set Days; false if Days is the agent's default
}
