package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

const (
	sbomName     = "hindsql.spdx.json"
	licencesName = "THIRD-PARTY-LICENSES.txt"
)

// fields are the fields of an SPDX 2.3 document, or of a part of one.
type fields map[string]any

// sbom lists the software in the program, with licences.
func (r *release) sbom(parts []part) ([]byte, error) {
	const document, program = "SPDXRef-DOCUMENT", "SPDXRef-Package-0"
	sum := fmt.Sprintf("%x", sha256.Sum256(r.program))
	relations := []fields{{"spdxElementId": document, "relationshipType": "DESCRIBES", "relatedSpdxElement": program}}
	var packages []fields
	for i, p := range parts {
		id := fmt.Sprintf("SPDXRef-Package-%d", i)
		about := fields{"SPDXID": id, "name": p.name, "versionInfo": p.version, "downloadLocation": "NOASSERTION", "filesAnalyzed": false,
			"licenseConcluded": "NOASSERTION", "licenseDeclared": p.licence, "copyrightText": "NOASSERTION"}
		if p.sum != "" {
			about["comment"] = "go.sum " + p.sum
		}
		if p.purl != "" {
			about["externalRefs"] = []fields{{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": p.purl}}
		}
		if i == 0 {
			about["checksums"] = []fields{{"algorithm": "SHA256", "checksumValue": sum}}
		} else {
			relations = append(relations, fields{"spdxElementId": program, "relationshipType": "CONTAINS", "relatedSpdxElement": id})
		}
		packages = append(packages, about)
	}
	text, err := json.MarshalIndent(fields{
		"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": document, "name": r.folder(),
		"documentNamespace": "https://spdx.org/spdxdocs/hindsql-" + sum, // unique for each program
		"creationInfo":      fields{"created": r.date.Format(time.RFC3339), "creators": []string{"Tool: hindsql-pack"}},
		"packages":          packages, "relationships": relations,
	}, "", "  ")
	return append(text, '\n'), err
}

// licences returns the licence texts of all parts, which must be distributed with the
// program.
func licences(parts []part) []byte {
	var text bytes.Buffer
	text.WriteString("hindsql is under the MIT licence, which is beside this file. Linked into it are the parts below.\n" +
		"DuckDB's library has in it what https://github.com/duckdb/duckdb/tree/main/third_party lists, each part under its own licence.\n")
	for _, p := range parts[1:] {
		fmt.Fprintf(&text, "\n%s\n%s %s\n%s\n\n%s", strings.Repeat("=", 80), p.name, p.version, p.licence, strings.Join(p.texts, "\n"))
	}
	return text.Bytes()
}
