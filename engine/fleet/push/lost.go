package push

import (
	"context"
	"slices"
	"strings"

	"hindsql/engine/fleet/landing"
)

// findLost removes missing or incomplete files from the base manifest, so the push
// writes them again. A user or a synchronising program may delete files of a folder,
// and pulls would wait for them for ever. A bucket isn't checked, because a machine may
// have no right to list it.
func (p *pushing) findLost(ctx context.Context) error {
	if p.Target.Folder == "" || p.base == nil {
		return nil
	}
	there := map[string]int64{}
	err := p.Target.List(ctx, p.prefix, func(e landing.Entry) error {
		there[strings.TrimPrefix(e.Name, p.prefix+"/")] = e.Bytes
		return nil
	})
	isLost := func(f landing.File) bool { size, ok := there[f.Path]; return !ok || size != f.Bytes }
	if err != nil || !slices.ContainsFunc(p.base.Files, isLost) {
		return err
	}
	base := *p.base
	base.Files = slices.DeleteFunc(slices.Clone(base.Files), isLost)
	p.base = &base
	return nil
}
