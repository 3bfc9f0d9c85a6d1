package readers

// Other is an agent whose logs hindsql doesn't read. `hindsql sources` names the agent if
// one of its folders exists.
type Other struct {
	Title   string
	Folders func(Host) []string // the agent's own folders or files; never opened, only looked for
	Why     string              // why the logs aren't read, for people; no capital, no full stop
}
