package tables

import "fmt"

func recordKindsView() string {
	order := func(column string) string { return fmt.Sprintf(versionOrder, column) }
	return fmt.Sprintf(`SELECT agent, kind, bool_and(known) AS known, sum(lines)::BIGINT AS lines,
  arg_min(first_version, %s) AS first_version, arg_max(last_version, %s) AS last_version,
  min(first_seen) AS first_seen, max(last_seen) AS last_seen
FROM {schema}.file_kinds GROUP BY ALL`, order("first_version"), order("last_version"))
}
