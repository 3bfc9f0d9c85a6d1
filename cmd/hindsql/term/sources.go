package term

import "context"

// Loaded counts the loaded logs.
type Loaded struct {
	Files, Gone int64 // loaded files, and how many of them no longer exist
	Bytes       int64 // of the files
	Messages    int64
	Problems    int64
}

// Loaded counts the loaded logs.
func (v *View) Loaded(ctx context.Context) (n Loaded, err error) {
	const totals = `SELECT count(*), count(gone_at), coalesce(sum(size), 0)::BIGINT,
		coalesce(sum(messages), 0)::BIGINT, coalesce(sum(problems), 0)::BIGINT FROM sources`
	into := []*int64{&n.Files, &n.Gone, &n.Bytes, &n.Messages, &n.Problems}
	set, err := v.Session.Collect(ctx, totals, nil)
	if err != nil {
		return n, err
	}
	for i, value := range set.Rows[0] {
		*into[i], _ = value.(int64)
	}
	return n, nil
}
