package tables

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// rowsVersion is raised whenever the same events give different rows.
const rowsVersion = 6

// MadeSchemaHash makes the value of schemaHash from the declarations.
func MadeSchemaHash() string {
	h := sha256.New()
	fmt.Fprintln(h, rowsVersion, commonWorktrees)
	for _, t := range All() {
		fmt.Fprintf(h, "%s %q\n", t.Name, t.View)
		for _, c := range t.Columns {
			fmt.Fprintf(h, "%s %s\n", c.Name, c.Type)
		}
	}
	for _, l := range Links() {
		fmt.Fprintf(h, "%s %s\n", l.Needs, l.Parts)
	}
	for _, v := range Views() {
		fmt.Fprintf(h, "%s %s\n", v.Name, v.View)
	}
	for _, m := range Macros() {
		fmt.Fprintf(h, "%s\n", m.StoredDDL("main", Schema))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
