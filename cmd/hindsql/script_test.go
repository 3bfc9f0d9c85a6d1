package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hindsql/engine"
	"hindsql/internal/whole"
)

func TestMain(m *testing.M) {
	engine.Worker()
	testscript.Main(within{m}, map[string]func(){"hindsql": main, "hindsql-made-up": mainOfMadeUpReports})
}

// TestScripts runs the shell sessions in testdata/script, each in a home
// folder of its own. -update rewrites what the sessions compare with.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Condition: func(name string) (bool, error) {
			switch name {
			case "nohup": // the tests were started so, and hand it on
				return hangupIgnored(), nil
			case "quick": // a script that is long says at its head why a quick run leaves it out
				return whole.Or(0, 1) == 1, nil
			}
			return false, fmt.Errorf("%s: no such condition", name)
		},
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("TZ", "UTC")
			env.Setenv("PROGRAMS", filepath.SplitList(env.Getenv("PATH"))[0]) // hindsql's folder, for scripts that leave out the machine's
			return os.MkdirAll(home, 0o700)
		},
	})
}
