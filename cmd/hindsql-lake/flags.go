package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql-lake/lake"
	"hindsql/engine/fleet/landing"
)

// places holds the flags for the landing and the tables.
type places struct {
	catalog, warehouse, namespace string
	in                            string
	endpoint, region              string
	properties                    []string
	takeOver                      bool
	getenv                        func(string) string
}

func (p *places) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&p.catalog, "catalog", "", "URL of the Iceberg REST catalog")
	f.StringVar(&p.warehouse, "warehouse", "", "warehouse of the catalog (default its own)")
	f.StringVar(&p.namespace, "namespace", landing.Namespace, "namespace of the views; that of the tables ends in "+landing.Copies)
	f.StringVar(&p.endpoint, "endpoint", "", "URL of the bucket's S3 API (default AWS's)")
	f.StringVar(&p.region, "region", "", "region of the bucket")
	f.StringArrayVar(&p.properties, "property", nil, "NAME=VALUE, a property of Iceberg for the catalog and its files; may be repeated")
	f.BoolVar(&p.takeOver, "take-over", false, "begin although another committer says that it is at work")
	_ = c.MarkFlagRequired("catalog") // fails only for an unknown flag
}

// open opens the lake at the flags' places.
func (p *places) open(ctx context.Context, source string, plain bool) (*lake.Lake, error) {
	properties := map[string]string{}
	for name, variable := range map[string]string{"token": "HINDSQL_LAKE_TOKEN", "credential": "HINDSQL_LAKE_CREDENTIAL"} {
		if v := p.getenv(variable); v != "" {
			properties[name] = v
		}
	}
	for _, s := range p.properties {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, fmt.Errorf("property %q: say NAME=VALUE", s)
		}
		properties[name] = value
	}
	host, _ := os.Hostname() // if empty, the process id is enough
	l, err := lake.Open(ctx, lake.Config{
		Source: source, Catalog: p.catalog, Warehouse: p.warehouse, Namespace: p.namespace, In: p.in, Properties: properties, Plain: plain,
		Landing: landing.Options{Endpoint: p.endpoint, Region: p.region, Getenv: p.getenv, Home: p.getenv("HOME")},
		Owner:   fmt.Sprintf("process %d of %s", os.Getpid(), host),
		Say:     func(s string) { fmt.Fprintln(os.Stderr, s) },
	})
	if err == nil && p.takeOver {
		err = l.TakeOver(ctx)
	}
	return l, err
}
