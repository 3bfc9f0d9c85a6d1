package main

import (
	"slices"
	"strings"
	"testing"
)

// TestPlanted: check finds each error of the module planted, on the platforms that
// compile the file: in a test, in a file with C, and in the import of a package without
// files for the platform.
func TestPlanted(t *testing.T) {
	t.Parallel()
	got, err := check("testdata", []string{"planted"}, []string{"darwin/arm64", "linux/amd64", "windows/amd64"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`planted/native/native_arm64.go:9:20: cannot use 1 (untyped int constant) as string value in variable declaration (darwin/arm64)`,
		`planted/planted.go:4:10: could not import planted/windowsonly (it has no files for this platform) (darwin/arm64, linux/amd64)`,
		`planted/planted_darwin_test.go:6:23: everywhere.x undefined (type int has no field or method x) (darwin/arm64)`,
		`planted/planted_windows.go:4:9: undefined: missing (windows/amd64)`,
		`planted: planted/windowsonly: build constraints exclude all Go files in planted/windowsonly (darwin/arm64, linux/amd64)`,
	}
	if lines := got.lines(); !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}
