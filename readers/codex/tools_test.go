package codex

import "testing"

func TestCommandLine(t *testing.T) {
	for _, test := range []struct {
		words []string
		want  string
	}{
		{[]string{"bash", "-lc", "ls | wc"}, "ls | wc"},
		{[]string{"powershell.exe", "-NoProfile", "-Command", "Get-ChildItem"}, "Get-ChildItem"},
		{[]string{"rg", "a b", "it's"}, `rg 'a b' 'it'\''s'`},
		{[]string{"git", "commit", "-m", ""}, "git commit -m ''"},
		{[]string{"apply_patch", "*** Begin Patch"}, "*** Begin Patch"},
		{nil, ""},
	} {
		if got := commandLine(test.words); got != test.want {
			t.Errorf("%q: %q, want %q", test.words, got, test.want)
		}
	}
}
