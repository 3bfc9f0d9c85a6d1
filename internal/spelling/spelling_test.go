package spelling_test

import (
	"testing"

	"hindsql/internal/spelling"
)

// TestIsBelow: each system has its own spellings of a folder.
func TestIsBelow(t *testing.T) {
	for _, test := range []struct{ system, path, folder string }{
		{"linux", "/home/me/work/shop", "/home/me/work"},
		{"darwin", "/Users/me/Work/shop", "/users/ME/work/"},
		{"darwin", "/Users/me/cafe\u0301/x", "/Users/me/caf\u00e9"},
		{"windows", `c:/Users/me/Work`, `C:\users\me`},
		{"windows", `C:\work`, `c:\Work\`},
	} {
		if !spelling.Of(test.system).IsBelow(test.path, test.folder) {
			t.Errorf("%s: %s isn't below %s", test.system, test.path, test.folder)
		}
	}
	for _, test := range []struct{ system, path, folder string }{
		{"linux", "/home/me/Work/shop", "/home/me/work"},
		{"linux", "/home/me/cafe\u0301", "/home/me/caf\u00e9"},
		{"linux", "/home/me/workshop", "/home/me/work"},
		{"windows", `C:\workshop`, `C:\work`},
		{"windows", `C:\cafe` + "\u0301", `C:\caf` + "\u00e9"},
	} {
		if spelling.Of(test.system).IsBelow(test.path, test.folder) {
			t.Errorf("%s: %s is below %s", test.system, test.path, test.folder)
		}
	}
}
