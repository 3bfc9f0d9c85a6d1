package lake

import (
	"fmt"

	"hindsql/engine/fleet/landing"
	"hindsql/tables"
)

// Compactions returns the statements by which an engine joins small files of the days
// before yesterday. cat is the engine's name of the catalog.
func Compactions(engine, cat, namespace string) (list []string, err error) {
	for _, t := range tables.Landed() {
		w := known()[t.Name]
		switch engine {
		case "spark":
			list = append(list, sparkCompaction(cat, namespace+landing.Copies+"."+t.Name, w.time))
		case "trino":
			list = append(list, trinoCompaction(cat, namespace+landing.Copies, t.Name, w.time))
		default:
			return nil, fmt.Errorf("engine %q: there are spark, trino", engine)
		}
	}
	return list, nil
}

func sparkCompaction(cat, name, column string) string {
	where := ""
	if column != "" {
		where = fmt.Sprintf(", where => '%s < current_date() - INTERVAL 1 DAY'", column)
	}
	return fmt.Sprintf("CALL %s.system.rewrite_data_files(table => '%s', options => map('min-input-files', '2')%s)", cat, name, where)
}

// trinoCompaction compares with a day that begins in UTC, like the table's partitions,
// whatever the session's time zone: Trino joins only whole partitions.
func trinoCompaction(cat, namespace, name, column string) string {
	where := ""
	if column != "" {
		where = fmt.Sprintf(" WHERE %s < date_trunc('day', current_timestamp AT TIME ZONE 'UTC') - INTERVAL '1' DAY", column)
	}
	return fmt.Sprintf("ALTER TABLE %s.%s.%s EXECUTE optimize(file_size_threshold => '128MB')%s", cat, namespace, name, where)
}
