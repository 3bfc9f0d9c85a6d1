package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hindsql/cmd/hindsql-lake/lake"
	"hindsql/engine/fleet/landing"
)

func commitCommand(getenv func(string) string) *cobra.Command {
	p, plain := &places{getenv: getenv}, false
	c := &cobra.Command{
		Use:   "commit SOURCE",
		Short: "Have the tables hold what machines' manifests name",
		Long: `Have the tables hold what machines' manifests name: files that are new go in, those
that no manifest names any more go out, and each table changes in one snapshot. A
commit of nothing new takes a moment.

Columns that a newer hindsql pushes are added; files without them read as null. Rows
of a machine with a tombstone (hindsql push --forget) go from the tables, from all
older snapshots and from the landing, and its manifests are refused until it
consents anew.

A machine whose manifest can't be read, whose texts aren't redacted, or whose columns
don't fit is named, and the lake keeps what it has of it; all others go in.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			l, err := p.open(c.Context(), args[0], plain)
			if err != nil {
				return err
			}
			r, err := l.Commit(c.Context())
			if r != nil {
				report(c.OutOrStdout(), r)
			}
			return err
		},
	}
	p.add(c)
	c.Flags().StringVar(&p.in, "in", "lake", "the catalog, as Trino names it: its views have to say so")
	c.Flags().BoolVar(&plain, "plain", false, "take files whose texts aren't redacted, too")
	return c
}

// report prints the result of a commit, with a line for each changed table.
func report(w io.Writer, r *lake.Result) {
	for _, c := range r.Changes {
		fmt.Fprintf(w, "%s: %d files with %d rows added, %d files dropped\n", c.Table, c.Added, c.Rows, c.Dropped)
		if c.Days > 0 {
			fmt.Fprintf(w, "%s: compaction of %d days undone; compact them again\n", c.Table, c.Days)
		}
	}
	if len(r.Views) > 0 {
		fmt.Fprintf(w, "%d views written\n", len(r.Views))
	}
	if len(r.Changes)+len(r.Views) == 0 {
		fmt.Fprintln(w, "nothing new")
	}
	fmt.Fprintf(w, "%d machines, %d kept as they were, %d forgotten\n", r.Machines, r.Kept, len(r.Forgotten))
}

func expireCommand(getenv func(string) string) *cobra.Command {
	p, keep := &places{getenv: getenv}, lake.Keep
	c := &cobra.Command{
		Use:   "expire SOURCE",
		Short: "Drop old snapshots, and delete files that nobody names",
		Long: `Drop snapshots older than --keep, but for the current one, and delete the files that
no snapshot is made of and no manifest names, a day after: superseded files of the
landing, and those in the tables' own folders. Of a machine whose manifest can't be
read nothing is deleted.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			l, err := p.open(c.Context(), args[0], false)
			if err != nil {
				return err
			}
			e, err := l.Expire(c.Context(), keep)
			if e != nil {
				fmt.Fprintf(c.OutOrStdout(), "%d snapshots dropped, %d files of %d bytes deleted\n", e.Snapshots, e.Files, e.Bytes)
			}
			return err
		},
	}
	p.add(c)
	c.Flags().DurationVar(&keep, "keep", keep.Round(time.Hour), "how long snapshots stay")
	return c
}

func viewsCommand() *cobra.Command {
	var engine, cat, namespace, into string
	c := &cobra.Command{
		Use:   "views --dialect ENGINE",
		Short: "Print the statements that make the views of an engine",
		Long: `Print the statements that make the views of an engine, where the catalog has no views
or the engine doesn't read them: ` + fmt.Sprint(lake.Dialects()) + `.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := lake.Statements(engine, cat, namespace, into)
			return statements(c.OutOrStdout(), list, err)
		},
	}
	f := c.Flags()
	f.StringVar(&engine, "dialect", "", "the engine")
	f.StringVar(&cat, "in", "", "the catalog of the tables, as the engine names it (default its current one)")
	f.StringVar(&namespace, "namespace", landing.Namespace, "as that of commit")
	f.StringVar(&into, "into", landing.Namespace, "schema in which the views are made")
	_ = c.MarkFlagRequired("dialect")
	return c
}

func compactCommand() *cobra.Command {
	var engine, cat, namespace string
	c := &cobra.Command{
		Use:   "compact --dialect ENGINE",
		Short: "Print the statements by which spark or trino join small files",
		Long: `Print the statements by which spark or trino join small files of the days before
yesterday. The engine writes files with rows of many machines; those of the landing
stay, because manifests name them. Where a machine's day changes later, or a machine
is forgotten, the next commit drops the joined files of that day, and takes the
landing's in their place: no row is read, and that day is to be compacted again.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := lake.Compactions(engine, cat, namespace)
			return statements(c.OutOrStdout(), list, err)
		},
	}
	f := c.Flags()
	f.StringVar(&engine, "dialect", "", "spark or trino")
	f.StringVar(&cat, "in", "lake", "the catalog, as the engine names it")
	f.StringVar(&namespace, "namespace", landing.Namespace, "as that of commit")
	_ = c.MarkFlagRequired("dialect")
	return c
}

// statements prints a list of statements, each with a semicolon.
func statements(w io.Writer, list []string, err error) error {
	for _, s := range list {
		fmt.Fprintln(w, s+";")
	}
	return err
}

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
		Print:   func(s string) { fmt.Fprintln(os.Stderr, s) },
	})
	if err == nil && p.takeOver {
		err = l.EndLease(ctx)
	}
	return l, err
}
