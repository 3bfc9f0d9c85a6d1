package patch

import "testing"

func TestIn(t *testing.T) {
	const patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch"
	for command, want := range map[string]string{
		patch: patch,
		"apply_patch <<'EOF'\n" + patch + "\nEOF": patch,
		"apply_patch<<EOF\n" + patch + "\nEOF\n":  patch,
		"applypatch <<'E'\n" + patch + "\nE":      patch,
		"cat > p <<'E'\n" + patch + "\nE":         "",
		"apply_patch --help":                      "",
		"":                                        "",
	} {
		if got := In(command); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}

// All forms of a patch, and other text: no form may panic or vanish.
func TestUnified(t *testing.T) {
	for _, test := range []struct{ name, patch, want string }{
		{"blank line of context", "*** Update File: a\n@@\n-x\n\n+y\n*** End Patch", "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-x\n \n+y\n"},
		{"end of file", "*** Update File: a\n@@\n+y\n*** End of File", "--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+y\n"},
		{"a move alone", "*** Update File: a\n*** Move to: b\n", "--- a/a\n+++ b/b\n"},
		{"no file", "+x", "--- a/\n+++ b/\n@@ -0,0 +1 @@\n+x\n"},
		{"nothing", "", ""},
	} {
		if got := unified(test.patch); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
