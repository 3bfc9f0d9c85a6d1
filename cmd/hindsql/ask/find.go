package ask

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"hindsql/internal/atomicfile"
	"hindsql/internal/git"
	"hindsql/internal/printable"
	"hindsql/internal/result"
	"hindsql/internal/suggest"
	"hindsql/internal/words"
	"hindsql/queries"
	"hindsql/queries/conversation"
	"hindsql/tables"
)

// Last is the reference to the session with the user's latest input.
const Last = "last"

// Folders are all paths of the working trees of the user's repository; outside of a
// repository, of the current folder. A folder reached through symbolic links has
// several paths.
type Folders []string

// Found is the session found for a reference.
type Found struct {
	*conversation.Session
	Message int64  // index of the referenced message; -1 for none
	Notice  Notice // says which session "last" is; zero for any other reference
}

// Find returns the session of a reference: an id, see [conversation.Find], an id with a
// message's index (id:N), or last. last prefers sessions in the folders here. agent
// restricts the search to one agent; empty means any. If not exactly one session has
// the id, the error is a [*conversation.Unclear].
func (s *Session) Find(ctx context.Context, reference, agent string, here Folders) (f Found, err error) {
	id, message := conversation.Split(reference)
	f.Message = message
	if id != Last {
		f.Session, err = conversation.Find(ctx, s.Collect, agent, id)
		return f, err
	}
	var isHere bool
	f.Session, isHere, err = conversation.Latest(ctx, s.Collect, here)
	if err != nil {
		return f, err
	}
	where := ""
	if !isHere && f.Project != "" {
		where = ", in " + atomicfile.Short(s.source.home, f.Project)
	}
	f.Notice = Notice{Kind: Which, Subject: fmt.Sprintf("last is %s: %s, %s%s", s.ShortIDs(ctx)(f.ID), Moment(f.EndedAt), printable.Text(f.About), where)}
	return f, nil
}

// Moment formats a time for people.
func Moment(at time.Time) string {
	if at.IsZero() {
		return "at an unknown time"
	}
	return words.Moment(at)
}

// IsUnclear returns the error, and true, if err says that no session has an id, or more
// than one.
func IsUnclear(err error) (*conversation.Unclear, bool) {
	return errors.AsType[*conversation.Unclear](err)
}

// ShortIDs returns a function that shortens session ids as far as the ids stay
// different. The first call of the function reads all ids. It opens another session for
// that, because a statement may be running in this session.
func (s *Session) ShortIDs(ctx context.Context) func(id string) string {
	read := sync.OnceValue(func() *conversation.Ids {
		other, err := s.source.Session(ctx)
		if err != nil {
			return &conversation.Ids{} // ids stay whole
		}
		defer other.Close()
		ids, err := conversation.ReadIds(ctx, other.Collect)
		if err != nil {
			return &conversation.Ids{}
		}
		return ids
	})
	return func(id string) string { return read().Short(id) }
}

// SessionIDs returns at most limit sessions that match the typed start of an id, the
// latest first. ids has an id to type for each, and about a line that describes the
// session.
func (s *Session) SessionIDs(ctx context.Context, typed string, limit int) (ids, about []string, err error) {
	list, err := conversation.Recent(ctx, s.Collect, typed, limit)
	if err != nil {
		return nil, nil, err
	}
	all, err := conversation.ReadIds(ctx, s.Collect)
	if err != nil {
		return nil, nil, err
	}
	for _, one := range list {
		short := all.Short(one.ID)
		if !strings.HasPrefix(short, typed) {
			short = one.ID
		}
		ids = append(ids, short)
		about = append(about, printable.Text(Moment(one.EndedAt)+" "+one.Agent+" "+one.About))
	}
	return ids, about, nil
}

// Around returns all paths of the repository that contains a folder. Outside of a
// repository it returns all paths of the folder; none for the home folder.
func Around(home, folder string) Folders {
	if folders := RepositoryOf(home, folder); len(folders) > 0 {
		return folders
	}
	return pathsOf(home, folder)
}

// RepositoryOf returns all paths of all working trees of a folder's repository,
// including deleted trees still known to git; none outside of a repository. The home
// folder and its parents are left out, because a repository there would contain every
// project.
func RepositoryOf(home, folder string) (folders Folders) {
	names := pathsOf(home, folder)
	for _, name := range names {
		repository, _ := git.Of(name)
		for _, tree := range repository.Trees {
			for _, f := range pathsOf(home, tree) {
				if !slices.Contains(folders, f) {
					folders = append(folders, f)
				}
			}
		}
	}
	if !slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return isWithin(f, name) })
	}) {
		return nil // the repository is the home folder's; only its other worktrees would be left
	}
	return folders
}

// pathsOf returns all paths of a folder; none for the home folder and its parents.
func pathsOf(home, folder string) []string {
	if folder == "" {
		return nil
	}
	return slices.DeleteFunc(spellings(folder), func(f string) bool { return isWithin(f, home) || isWithin(f, realPath(home)) })
}

// spellings returns the different paths of a folder: as written, with symbolic links
// resolved, and with the case of letters on disk. Logs may have any of these paths.
func spellings(path string) (names []string) {
	for _, name := range []string{path, realPath(path), atomicfile.Real(path)} {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// isWithin reports whether a path is the folder or below it. The root of a disk holds
// every path.
func isWithin(folder, path string) bool {
	if folder == filepath.Dir(folder) {
		return true
	}
	rel, err := filepath.Rel(folder, path)
	return err == nil && path != "" && filepath.IsLocal(rel)
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// Under returns all paths of a folder that the user chose as the scope. If the folder
// is a repository's main working tree or a bare repository, Under adds the linked
// working trees.
func Under(home, path string) Folders {
	folders := Folders(spellings(path))
	for _, f := range folders {
		if repository, ok := git.NewReader().At(f); ok && repository.Main == f {
			for _, tree := range RepositoryOf(home, f) {
				if !slices.Contains(folders, tree) {
					folders = append(folders, tree)
				}
			}
		}
	}
	return folders
}

// Queries lists the saved queries. If files of the user aren't valid queries, it
// returns an error about the files, and also the valid queries.
func (s *Source) Queries() ([]*queries.Query, error) {
	if s.queries == nil {
		return nil, nil
	}
	return s.queries()
}

// Saved finds a saved query by its name, ignoring case. The error is that of [Named].
func (s *Source) Saved(name string) (*queries.Query, error) {
	list, err := s.Queries()
	return Named(list, err, name)
}

// Named finds a query in a list by its name, ignoring case. broken is the error about
// the user's files: if a file of that name isn't a query, the error is the file's. If
// there is no such file, the error is a [*NoQuery].
func Named(list []*queries.Query, broken error, name string) (*queries.Query, error) {
	if err := queries.BrokenFile(broken, name); err != nil {
		return nil, err
	}
	if q := queries.Named(list, name); q != nil {
		return q, nil
	}
	return nil, &NoQuery{Name: name, Known: slices.Sorted(slices.Values(queries.Names(list)))}
}

// NoQuery is the error of an unknown query name.
type NoQuery struct {
	Name  string
	Known []string // the existing names
}

// Error suggests similar names.
func (n *NoQuery) Error() string { return n.text("") }

// text returns the error's text. lists is the command that lists the queries; empty if
// the face has none.
func (n *NoQuery) text(lists string) string {
	text := fmt.Sprintf("no query %q", n.Name)
	switch alike := suggest.To(n.Name, n.Known); {
	case lists != "":
		text += suggest.Ask(n.Name, n.Known, lists+" lists them")
	case len(alike) > 0:
		text += "; did you mean " + words.List(alike, "or") + "?"
	}
	return text
}

// List returns saved queries as table queries, by subject.
func List(home string, all []*queries.Query) result.Set {
	set := result.Set{Columns: result.Columns("name VARCHAR", "title VARCHAR", "subject VARCHAR", "origin VARCHAR")}
	for _, group := range queries.Groups(all) {
		for _, q := range group.Queries {
			var origin any
			if q.Path != "" {
				origin = Origin(home, q.Path, q.Overrides)
			}
			set.Rows = append(set.Rows, []any{q.Name, q.Title, group.Title, origin})
		}
	}
	return set
}

// Origin returns the origin of a query or a report in words: the path of its file, or
// "built in" without a path. overrides says that the file replaces a built-in query.
func Origin(home, path string, overrides bool) string {
	switch {
	case overrides:
		return atomicfile.Short(home, path) + ", in place of the built-in"
	case path != "":
		return atomicfile.Short(home, path)
	}
	return "built in"
}

// Own is the folder of the user's saved queries.
type Own struct {
	Folder   string   // empty if no home folder is known
	Commands []string // names of commands, which no query may have
}

// File returns the path of the query with a given name. The error says why a query
// can't have that name.
func (o Own) File(name string) (string, error) {
	switch {
	case o.Folder == "":
		return "", errors.New("no home folder is known; name one with XDG_CONFIG_HOME")
	case !queries.IsName(name):
		return "", fmt.Errorf("%q: a name is made of small letters and digits, with hyphens between", name)
	case slices.Contains(o.Commands, name):
		return "", fmt.Errorf("%s is a command; choose another name", name)
	case slices.Contains(tables.ShownNames(), name):
		return "", fmt.Errorf("%s is a table; choose another name", name)
	}
	return filepath.Join(o.Folder, name+".sql"), nil
}

// Create does the same as [Own.Save], but replaces no file.
func (o Own) Create(name, text string) (string, error) {
	path, err := o.File(name)
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fmt.Errorf("%s is a query of yours; choose another name", name)
	}
	return o.Save(name, text)
}

// Save writes a query's file, and replaces an existing one. It returns the file's path.
// The error is that of [Own.File], or begins with the line that isn't valid.
func (o Own) Save(name, text string) (string, error) {
	path, err := o.File(name)
	if err != nil {
		return "", err
	}
	if _, err := queries.Parse(name, text); err != nil {
		return "", fmt.Errorf("%s.sql:%w", name, err)
	}
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return "", err
	}
	return path, atomicfile.Write(path, []byte(text))
}
