//go:build !duckdb_arrow

package duck

// duckdb-go has no Arrow interface without the build tag.
var _ = build_with_make_or_with_go_build_tags_duckdb_arrow
