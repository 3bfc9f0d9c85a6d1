package engine

import (
	"cmp"
	"context"

	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Prices is a list of model prices, used to estimate costs.
type Prices struct {
	Mark string                         // identifies the list; empty if there is no list
	Read func() ([]tables.Price, error) // called if the store has another list
}

// estimatesBy reports whether the store's costs are estimated with list p. A store that
// is missing, or has to be made anew, has no list.
func (s *state) estimatesBy(p Prices) bool { return s.last.prices == p.Mark }

// price estimates all costs anew if p isn't the list that the store has. A list that
// can't be read is a warning, and costs stay as they were.
func (f *file) price(ctx context.Context, p Prices, had string) (warning, err error) {
	if p.Mark == had {
		return nil, nil
	}
	var list []tables.Price
	if p.Mark != "" {
		if list, warning = p.Read(); warning != nil {
			return warning, nil
		}
	}
	l, err := openLoader(ctx, f.in.at.Path, f.in.settings.get())
	if err != nil {
		return nil, err
	}
	defer l.close()
	return nil, f.write(ctx, l, laterTurn, func() error { return l.links.price(ctx, list, p.Mark) })
}

func (k *linker) price(ctx context.Context, list []tables.Price, mark string) error {
	for _, statement := range tables.PricesSQL(list) {
		if err := k.l.exec(ctx, statement); err != nil {
			return err
		}
	}
	return cmp.Or(
		k.l.exec(ctx, "CREATE OR REPLACE TEMP TABLE scope AS SELECT source_id FROM sources"),
		k.join(ctx, tables.Estimates()),
		k.l.exec(ctx, "UPDATE store_info SET prices = nullif("+sqltext.Literal(mark)+", '')"))
}
