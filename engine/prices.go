package engine

import (
	"cmp"
	"context"

	"hindsql/internal/sqltext"
	"hindsql/tables"
)

// Prices is a list of model prices, used to estimate costs.
type Prices struct {
	Name string                         // for people, such as "prices of 2026-11"
	Mark string                         // identifies the list; empty if there is no list
	Read func() ([]tables.Price, error) // called if the store has another list
}

// estimatesBy reports whether the store's costs are estimated with list p. A store that
// is missing, or has to be made anew, has no list.
func (s *state) estimatesBy(p Prices) bool { return s.last.prices == p.Mark }

// stock puts the price list into a draft, for its links to estimate costs. A list that
// can't be read is a warning of the loader.
func (k *linker) stock(ctx context.Context) error {
	p := k.l.config.Prices
	if p.Mark == "" {
		return nil
	}
	list, err := p.Read()
	if err != nil {
		k.unread = err
		return nil //nolint:nilerr // the loader warns of it
	}
	return k.replacePrices(ctx, list, p.Mark)
}

// price estimates all costs anew if p isn't the list that the store has, and reads no log.
// A list that can't be read is a warning, and costs stay as they were.
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
	err := cmp.Or(k.replacePrices(ctx, list, mark), k.l.exec(ctx, "CREATE OR REPLACE TEMP TABLE scope AS SELECT source_id FROM sources"))
	for _, step := range tables.Estimates() {
		err = cmp.Or(err, k.join(ctx, step))
	}
	return err
}

// replacePrices replaces the store's list of prices, and its mark.
func (k *linker) replacePrices(ctx context.Context, list []tables.Price, mark string) error {
	for _, statement := range tables.PricesSQL(list) {
		if err := k.l.exec(ctx, statement); err != nil {
			return err
		}
	}
	return k.l.exec(ctx, "UPDATE store_info SET prices = nullif("+sqltext.Literal(mark)+", '')")
}
