package tables

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// rowsVersion is raised whenever the same events give different rows.
const rowsVersion = 6

// SchemaHash returns 16 hexadecimal digits for this build's tables, rows and links. A
// store with a different hash was written by another build.
//
// The value is a constant, because every command needs it, and making it took every
// command 4 to 7 ms.
func SchemaHash() string { return schemaHash }

// madeSchemaHash makes the value of schemaHash from the declarations.
func madeSchemaHash() string {
	h := sha256.New()
	fmt.Fprintln(h, rowsVersion, anybodys)
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
