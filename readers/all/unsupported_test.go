package all_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hindsql/readers"
	"hindsql/readers/all"
)

// TestOthers: each agent that isn't read says why, and has folders of its own below the
// home folder, on every system. An agent with a reader isn't listed.
func TestOthers(t *testing.T) {
	read := map[string]bool{}
	var roots []string
	for _, os := range []string{"linux", "darwin", "windows"} {
		on := host("/h", nil)
		on.OS = os
		for _, r := range all.Readers() {
			read[r.Title] = true
			roots = append(roots, r.Roots(on)...)
		}
		for _, o := range all.UnsupportedAgents() {
			folders := o.Folders(on)
			if o.Why == "" || len(folders) == 0 || read[o.Title] {
				t.Errorf("%s: not read because of %q, in %q; has a reader: %t", o.Title, o.Why, folders, read[o.Title])
			}
			for _, folder := range folders {
				if !strings.HasPrefix(folder, filepath.FromSlash("/h/")) || slices.Contains(roots, folder) {
					t.Errorf("%s: %s is outside the home folder, or the root of a reader", o.Title, folder)
				}
			}
		}
	}
}

// TestOthersFollowVariables: a folder that a variable names takes the place of the usual
// one.
func TestOthersFollowVariables(t *testing.T) {
	for title, name := range map[string]string{
		"Kimi CLI": "KIMI_SHARE_DIR", "Hermes Agent": "HERMES_HOME",
	} {
		i := slices.IndexFunc(all.UnsupportedAgents(), func(o *readers.UnsupportedAgent) bool { return o.Title == title })
		if got := all.UnsupportedAgents()[i].Folders(host("/h", map[string]string{name: "/x"})); !slices.Equal(got, []string{"/x"}) {
			t.Errorf("%s with %s: %q", title, name, got)
		}
	}
}
