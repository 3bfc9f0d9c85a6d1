package prompt

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"hindsql/internal/atomicfile"
	"hindsql/internal/words"
	"hindsql/queries"
)

// saveQuery asks the user for the header of a saved query, and writes the query's file.
func saveQuery(_ context.Context, p *Prompt, name string) error {
	switch {
	case name == "":
		return usage(".save")
	case p.runner.last == "":
		return errors.New(".save: no statement was run yet")
	}
	path, err := p.Own.File(name)
	if err != nil {
		return fmt.Errorf(".save: %w", err)
	}
	q, err := askQuery(p, name, path)
	if errors.Is(err, ErrInterrupted) {
		return errors.New(".save: nothing was saved")
	} else if err != nil {
		return err
	}
	if path, err = p.Own.Save(name, queries.Text(q)); err != nil {
		return fmt.Errorf(".save: %w", err)
	}
	_, err = fmt.Fprintf(p.Out, "saved as %s; .run %s\n", atomicfile.Short(p.View.Home, path), name)
	return err
}

func askQuery(p *Prompt, name, path string) (*queries.Query, error) {
	if _, err := os.Stat(path); err == nil {
		if answer, err := p.reader.ask(atomicfile.Short(p.View.Home, path)+" is there; replace it?", "no"); err != nil || !strings.HasPrefix(strings.ToLower(answer), "y") {
			return nil, cmp.Or(err, ErrInterrupted)
		}
	}
	q := queries.Draft(name, p.runner.last)
	var err error
	if q.Title, err = p.reader.ask("title", q.Title); err != nil {
		return nil, err
	}
	if q.Prose, err = p.reader.ask("what it shows", words.Sentence(q.Title)); err != nil {
		return nil, err
	}
	for i := range q.Params {
		if err := askParam(p.reader, &q.Params[i]); err != nil {
			return nil, err
		}
	}
	return q, nil
}

func askParam(r *reader, param *queries.Param) (err error) {
	for _, question := range []struct {
		what, answer string
		into         *string
	}{
		{"type", param.Type, &param.Type}, {"default, as SQL", cmp.Or(param.Default, "NULL"), &param.Default},
		{"what it is for", cmp.Or(param.Doc, param.Name), &param.Doc},
	} {
		if *question.into, err = r.ask("$"+param.Name+": "+question.what, question.answer); err != nil {
			return err
		}
	}
	return nil
}
