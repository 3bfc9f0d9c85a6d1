package engine

import (
	"context"
	"database/sql"
	"net/url"
	"strconv"

	"github.com/duckdb/duckdb-go/v2"
)

// openMemory starts an in-memory DuckDB, and takes a connection. Data too large for
// memory goes to the given folder beside the store: DuckDB's own choice is the working
// directory, and shared. A closed connection's temporary tables and settings end with
// it. DuckDB fetches no extension by itself, so nothing leaves the machine. Users who
// want extensions fetched change the setting. threads is the number of threads, with 0
// for DuckDB's own choice.
func openMemory(ctx context.Context, folder string, threads int) (*sql.DB, *sql.Conn, error) {
	options := url.Values{"temp_directory": {folder}, "autoinstall_known_extensions": {"false"}, "autoload_known_extensions": {"false"}}
	if threads > 0 {
		options.Set("threads", strconv.Itoa(threads))
	}
	connector, err := duckdb.NewConnector("?"+options.Encode(), nil)
	if err != nil {
		return nil, nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxIdleConns(-1)
	conn, err := db.Conn(ctx)
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return db, conn, nil
}

// eachRow calls visit for each row, and closes the rows.
func eachRow(rows *sql.Rows, visit func(scan func(...any) error) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := visit(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// oneColumn returns the values of a query's only column.
func oneColumn[T any](ctx context.Context, conn *sql.Conn, query string, args ...any) (values []T, err error) {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	err = eachRow(rows, func(scan func(...any) error) error {
		var v T
		err := scan(&v)
		values = append(values, v)
		return err
	})
	return values, err
}

// transaction runs work whole or not at all. DuckDB's COMMIT rolls an aborted
// transaction back without an error, so transaction keeps the error of work.
func transaction(ctx context.Context, conn *sql.Conn, work func() error) error {
	return transactionBy(ctx, func(ctx context.Context, statement string) error {
		_, err := conn.ExecContext(ctx, statement)
		return err
	}, work)
}

// transactionBy is transaction for statements that exec runs. A stop has no effect on
// BEGIN, COMMIT and ROLLBACK: nobody would know which of them had run.
func transactionBy(ctx context.Context, exec func(ctx context.Context, statement string) error, work func() error) error {
	whole := context.WithoutCancel(ctx)
	if err := exec(whole, "BEGIN"); err != nil {
		return err
	}
	err := work()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = exec(whole, "ROLLBACK")
		return err
	}
	return exec(whole, "COMMIT")
}
