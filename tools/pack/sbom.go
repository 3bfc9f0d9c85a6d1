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

// spdx is an SPDX 2.3 document, with only the fields used here.
type spdx struct {
	Version       string        `json:"spdxVersion"`
	DataLicense   string        `json:"dataLicense"`
	ID            string        `json:"SPDXID"`
	Name          string        `json:"name"`
	Namespace     string        `json:"documentNamespace"`
	Creation      creation      `json:"creationInfo"`
	Packages      []spdxPackage `json:"packages"`
	Relationships []relation    `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	ID        string      `json:"SPDXID"`
	Name      string      `json:"name"`
	Version   string      `json:"versionInfo"`
	Location  string      `json:"downloadLocation"`
	Analyzed  bool        `json:"filesAnalyzed"`
	Concluded string      `json:"licenseConcluded"`
	Declared  string      `json:"licenseDeclared"`
	Copyright string      `json:"copyrightText"`
	Comment   string      `json:"comment,omitempty"`
	Checksums []checksum  `json:"checksums,omitempty"`
	Refs      []reference `json:"externalRefs,omitempty"`
}

type checksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type reference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relation struct {
	From string `json:"spdxElementId"`
	Kind string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

// sbom lists the software in the program, with licences.
func (r *release) sbom(parts []part) ([]byte, error) {
	sum := fmt.Sprintf("%x", sha256.Sum256(r.program))
	doc := spdx{
		Version: "SPDX-2.3", DataLicense: "CC0-1.0", ID: "SPDXRef-DOCUMENT",
		Name:      "hindsql-" + r.version + "-" + r.os + "-" + r.arch,
		Namespace: "https://spdx.org/spdxdocs/hindsql-" + sum, // unique for each program
		Creation:  creation{r.date.Format(time.RFC3339), []string{"Tool: hindsql-pack"}},
	}
	const program = "SPDXRef-Package-0"
	doc.Relationships = []relation{{doc.ID, "DESCRIBES", program}}
	for i, p := range parts {
		about := spdxPackage{
			ID: fmt.Sprintf("SPDXRef-Package-%d", i), Name: p.name, Version: p.version, Location: "NOASSERTION",
			Concluded: "NOASSERTION", Declared: p.licence, Copyright: "NOASSERTION",
		}
		if p.sum != "" {
			about.Comment = "go.sum " + p.sum
		}
		if p.purl != "" {
			about.Refs = []reference{{"PACKAGE-MANAGER", "purl", p.purl}}
		}
		if i == 0 {
			about.Checksums = []checksum{{"SHA256", sum}}
		} else {
			doc.Relationships = append(doc.Relationships, relation{program, "CONTAINS", about.ID})
		}
		doc.Packages = append(doc.Packages, about)
	}
	text, err := json.MarshalIndent(doc, "", "  ")
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
