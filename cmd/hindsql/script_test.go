package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hindsql/engine"
	"hindsql/internal/whole"
	"hindsql/readers/sample"
)

func TestMain(m *testing.M) {
	engine.Worker()
	testscript.Main(within{m}, map[string]func(){"hindsql": main, "hindsql-made-up": mainOfMadeUpReports})
}

// TestScripts runs the shell sessions in testdata/script, each in its own home folder.
// -update rewrites the expected texts in the sessions.
func TestScripts(t *testing.T) { runScripts(t, false) }

// TestLongScripts runs the sessions that start hindsql many times.
func TestLongScripts(t *testing.T) {
	whole.Test(t, "starts hindsql hundreds of times")
	runScripts(t, true)
}

// ofLongScripts begins a line at a script's head with the reason why quick runs skip
// the script.
const ofLongScripts = "\n# left out of quick runs: "

func runScripts(t *testing.T, long bool) {
	t.Helper()
	all, err := filepath.Glob("testdata/script/*.txtar")
	var files []string
	for _, file := range all {
		text, failed := os.ReadFile(file)
		err = errors.Join(err, failed)
		if strings.Contains(string(text), ofLongScripts) == long {
			files = append(files, file)
		}
	}
	if err != nil || len(files) < 10 {
		t.Fatalf("%d scripts: %v", len(files), err)
	}
	testscript.Run(t, testscript.Params{
		Files:               files,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"mailparts": mailParts},
		Condition: func(name string) (bool, error) {
			switch name {
			case "nohup": // the tests run under nohup, and pass this on
				return hangupIgnored(), nil
			}
			return false, fmt.Errorf("%s: no such condition", name)
		},
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("TZ", "UTC")
			env.Setenv(sampleDay, sample.Last)
			env.Setenv("PROGRAMS", filepath.SplitList(env.Getenv("PATH"))[0]) // hindsql's folder, for scripts without the machine's programs
			return os.MkdirAll(home, 0o700)
		},
	})
}
