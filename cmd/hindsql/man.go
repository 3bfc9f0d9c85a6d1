package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql/man"
	"hindsql/internal/atomicfile"
)

// manOptions are the arguments of hindsql man.
type manOptions struct {
	shared
	root *cobra.Command
	dir  string
}

// newManCommand returns the command that writes the manual pages. The help doesn't list
// the command, because only makers of packages need it. The program includes the
// command, so pages and program always match.
func newManCommand(w *world, s shared) *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages to a folder",
		Hidden: true,
		Args:   between(1, 1, "hindsql man DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMan(cmd.Context(), w, manOptions{s, cmd.Root(), args[0]})
		},
		ValidArgsFunction: folderCompletion,
	}
}

func folderCompletion(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// runMan writes a page for each command listed in the help. The pages have the date of
// the build, so two equal builds write equal pages.
func runMan(_ context.Context, w *world, o manOptions) error {
	date, err := buildDate(w)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return err
	}
	for _, c := range man.Documented(o.root) {
		path := filepath.Join(o.dir, man.Name(c)+".1")
		if err := writePublic(path, manPage(w, c, date)); err != nil {
			return err
		}
	}
	return nil
}

// writePublic writes a file that everybody can read, because man runs as another user.
// Other files of hindsql are readable only by the user.
func writePublic(path, text string) error {
	if err := atomicfile.Write(path, []byte(text)); err != nil {
		return err
	}
	return os.Chmod(path, 0o644)
}

// buildDate returns $SOURCE_DATE_EPOCH, or the modification time of the program's file,
// which packages set to the time of the commit.
func buildDate(w *world) (time.Time, error) {
	if text := w.getenv("SOURCE_DATE_EPOCH"); text != "" {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return time.Time{}, usagef("SOURCE_DATE_EPOCH is %q, not a number of seconds", text)
		}
		return time.Unix(seconds, 0).UTC(), nil
	}
	program, err := os.Executable()
	if err != nil {
		return time.Time{}, err
	}
	file, err := os.Stat(program)
	if err != nil {
		return time.Time{}, err
	}
	return file.ModTime().UTC(), nil
}
