package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"modernc.org/sqlite"
)

// Make builds a database from SQL statements and returns the bytes of its file. The
// sample stores databases as SQL text. The same text gives the same bytes.
func Make(statements []byte) ([]byte, error) {
	c, err := sqlite.NewConnector(":memory:")
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(c)
	defer db.Close()
	one, err := db.Conn(context.Background())
	if err != nil {
		return nil, err
	}
	defer one.Close()
	if _, err := one.ExecContext(context.Background(), string(statements)); err != nil {
		return nil, err
	}
	var data []byte
	err = one.Raw(func(raw any) (err error) {
		s, ok := raw.(interface{ Serialize() ([]byte, error) })
		if !ok {
			return errors.New("the driver gives no bytes")
		}
		data, err = s.Serialize()
		return err
	})
	return data, err
}
