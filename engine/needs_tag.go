//go:build !duckdb_arrow

package engine

// duckdb-go leaves its Arrow interface out of a build without the tag.
var _ = build_with_make_or_with_go_build_tags_duckdb_arrow
