package main

import (
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"hindsql/readers/files"
)

// manCommand writes manual pages. It is hidden, because packages bring the pages
// along, and is in the program so that the pages are always those of the
// program at hand.
func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "man DIR",
		Short:             "Write the manual pages to a folder",
		Hidden:            true,
		Args:              between(1, 1, "hindsql man DIR"),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.writeMan(cmd.Root(), args[0]) },
		ValidArgsFunction: folderCompletion,
	}
}

func folderCompletion(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// writeMan writes a page for each command that help lists. The pages have the
// date of the build, so that the same build gives the same pages.
func (a *app) writeMan(root *cobra.Command, dir string) error {
	date, err := a.buildDate()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, c := range documented(root) {
		path := filepath.Join(dir, pageName(c)+".1")
		if err := writePublic(path, a.manPage(c, date)); err != nil {
			return err
		}
	}
	return nil
}

// writePublic writes a file that everybody may read: man runs as another user,
// and what hindsql writes is otherwise its user's alone.
func writePublic(path, text string) error {
	if err := files.Write(path, []byte(text)); err != nil {
		return err
	}
	return os.Chmod(path, 0o644)
}

// documented is a command, and all below it that help lists.
func documented(c *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			list = append(list, documented(sub)...)
		}
	}
	return list
}

// buildDate is $SOURCE_DATE_EPOCH, else the time of the program's file, which a
// package gives the time of the commit.
func (a *app) buildDate() (time.Time, error) {
	if text := a.getenv("SOURCE_DATE_EPOCH"); text != "" {
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
