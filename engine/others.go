package engine

// OtherReport describes an agent that is found on this machine and not read.
type OtherReport struct {
	Title string
	Paths []string // the agent's existing folders or files, at least one
	Why   string   // why its logs aren't read, see readers.Other
}

// Others lists the agents with an existing folder and no reader. The Store looks each
// folder up with lstat, and opens no file. A folder on a silent disk counts as missing.
func (st *Store) Others() (found []OtherReport) {
	c := st.settings.get()
	dog := st.disks.watchdog(c, false)
	for _, o := range c.Others {
		var paths []string
		for _, path := range o.Folders(c.Host) {
			if dog.Finds(path) {
				paths = append(paths, path)
			}
		}
		if paths != nil {
			found = append(found, OtherReport{o.Title, paths, o.Why})
		}
	}
	return found
}
