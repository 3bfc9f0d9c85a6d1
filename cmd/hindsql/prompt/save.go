package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"hindsql/internal/atomicfile"
	"hindsql/internal/words"
	"hindsql/queries"
)

// saveQuery asks the user for the header of a saved query, and writes the query's file.
func saveQuery(ctx context.Context, p *Prompt, name string) error {
	switch {
	case name == "":
		return usage(".save")
	case p.runner.last == "":
		return errors.New(".save: no statement was run yet")
	case p.Folder == "":
		return errors.New(".save: no home folder is known; name one with XDG_CONFIG_HOME")
	case !queries.IsName(name):
		return fmt.Errorf(".save: %q: a name is made of small letters and digits, with hyphens between", name)
	}
	path := filepath.Join(p.Folder, name+".sql")
	q, err := askQuery(ctx, p, name, path)
	if errors.Is(err, ErrInterrupted) {
		return errors.New(".save: nothing was saved")
	} else if err != nil {
		return err
	}
	text := queries.Text(q)
	if _, err := queries.Parse(name, text); err != nil {
		return fmt.Errorf(".save: %s:%w", name, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := atomicfile.Write(path, []byte(text)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.Out, "saved as %s; .run %s\n", atomicfile.Short(p.View.Home, path), name)
	return err
}

func askQuery(ctx context.Context, p *Prompt, name, path string) (*queries.Query, error) {
	names, err := p.View.Session.Engine().Parameters(ctx, p.runner.last)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err == nil {
		if answer, err := p.reader.ask(atomicfile.Short(p.View.Home, path)+" is there; replace it?", "no"); err != nil || !strings.HasPrefix(strings.ToLower(answer), "y") {
			return nil, cmp.Or(err, ErrInterrupted)
		}
	}
	q := &queries.Query{Name: name, SQL: p.runner.last}
	if q.Title, err = p.reader.ask("title", strings.ReplaceAll(name, "-", " ")); err != nil {
		return nil, err
	}
	if q.Prose, err = p.reader.ask("what it shows", words.Sentence(q.Title)); err != nil {
		return nil, err
	}
	for _, name := range names {
		param, err := askParam(p.reader, name)
		if err != nil {
			return nil, err
		}
		q.Params = append(q.Params, param)
	}
	return q, nil
}

func askParam(r *reader, name string) (param queries.Param, err error) {
	param.Name = name
	for _, question := range []struct {
		what, answer string
		into         *string
	}{{"type", "VARCHAR", &param.Type}, {"default, as SQL", "NULL", &param.Default}, {"what it is for", name, &param.Doc}} {
		if *question.into, err = r.ask("$"+name+": "+question.what, question.answer); err != nil {
			return param, err
		}
	}
	return param, nil
}
