package all_test

import (
	"strings"
	"testing"

	"hindsql/readers/all"
)

// TestServers: every agent's user's files for MCP servers are below the home folder, and
// an entry is known, or the reader says why hindsql can't register a server.
// cmd/hindsql/agents/register tries the entries and the command lines.
func TestServers(t *testing.T) {
	home := t.TempDir()
	for _, r := range all.Readers() {
		how := &r.Servers
		if how.None != "" {
			if how.User != nil || how.Add != nil || how.Project != nil {
				t.Errorf("%s: Servers has files or a command, and None", r.Agent)
			}
			continue
		}
		if how.User == nil || len(how.Key) == 0 || how.Entry == "" {
			t.Errorf("%s: Servers needs User, Key and Entry, or None with the reason", r.Agent)
			continue
		}
		for _, file := range how.User(host(home, nil)) {
			for _, path := range file.Paths {
				if !strings.HasPrefix(path, home) {
					t.Errorf("%s: %s is outside of the home folder", r.Agent, path)
				}
			}
		}
	}
}
