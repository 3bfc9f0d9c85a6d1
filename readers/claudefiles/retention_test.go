package claudefiles

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRetention(t *testing.T) {
	for text, want := range map[string]struct {
		days        int
		set, broken bool
	}{
		"": {30, false, false}, `{"model":"opus"}`: {30, false, false}, `{"cleanupPeriodDays": 365}`: {365, true, false}, `{"cleanupPeriodDays": `: {30, false, true},
	} {
		root := t.TempDir()
		if text != "" {
			if err := os.WriteFile(filepath.Join(root, "settings.json"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Retention(root)
		if r.Days != want.days || r.Set != want.set || (err != nil) != want.broken || r.File != filepath.Join(root, "settings.json") {
			t.Errorf("%s: %+v %v, want %+v", text, r, err, want)
		}
	}
}
