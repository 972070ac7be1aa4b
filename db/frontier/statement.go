package frontier

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
)

// row is a row of an answer: of the connection that writes, or of database/sql.
type row interface {
	Scan(dest ...any) error
}

// preparer is the driver's connection.
type preparer interface {
	PrepareContext(ctx context.Context, query string) (driver.Stmt, error)
}

// statement is a prepared statement of the connection that writes. It is used as the driver has it, for database/sql takes longer than
// SQLite does for a row that is at hand. It belongs to the writer's goroutine, and is used for one thing at a time.
type statement struct {
	driver.Stmt
	args   []driver.NamedValue // of the latest use
	values []driver.Value      // of the latest row
}

// bind makes arguments ready.
func (s *statement) bind(args []any) error {
	s.args = s.args[:0]
	for i, arg := range args {
		value, err := valueOf(arg)
		if err != nil {
			return err
		}
		s.args = append(s.args, driver.NamedValue{Ordinal: i + 1, Value: value})
	}
	return nil
}

func valueOf(arg any) (driver.Value, error) {
	switch v := arg.(type) {
	case int64, string, bool, []byte:
		return v, nil
	case int:
		return int64(v), nil
	case driver.Valuer: // sql.NullInt64 and the like
		return v.Value()
	}
	return nil, fmt.Errorf("argument of type %T: expected a number or a text", arg)
}

// exec runs the statement and returns how many rows it changed.
func (s *statement) exec(args []any) (int64, error) {
	if err := s.bind(args); err != nil {
		return 0, err
	}
	result, err := s.Stmt.(driver.StmtExecContext).ExecContext(context.Background(), s.args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// query runs the statement and calls take for each row, which is good until it returns.
func (s *statement) query(take func(row) error, args []any) (err error) {
	if err := s.bind(args); err != nil {
		return err
	}
	rows, err := s.Stmt.(driver.StmtQueryContext).QueryContext(context.Background(), s.args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	if n := len(rows.Columns()); len(s.values) != n {
		s.values = make([]driver.Value, n)
	}
	for {
		switch err := rows.Next(s.values); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := take(s); err != nil {
			return err
		}
	}
}

// Scan reads the latest row into pointers, one for each column.
func (s *statement) Scan(dest ...any) error {
	if len(dest) != len(s.values) {
		return fmt.Errorf("%d values for %d columns", len(dest), len(s.values))
	}
	for i, value := range s.values {
		if err := scan(dest[i], value); err != nil {
			return fmt.Errorf("column %d: %w", i+1, err)
		}
	}
	return nil
}

func scan(dest any, value driver.Value) error {
	number, isNumber := value.(int64)
	text, isText := value.(string)
	switch d := dest.(type) {
	case *bool:
		if b, isBool := value.(bool); isBool { // of a column that is declared as one
			*d = b
			return nil
		}
	case *int64:
		if *d = number; isNumber {
			return nil
		}
	case *int:
		if *d = int(number); isNumber {
			return nil
		}
	case *string:
		if *d = text; isText {
			return nil
		}
	case *[]byte:
		if blob, isBlob := value.([]byte); isBlob {
			*d = slices.Clone(blob)
			return nil
		}
	case *sql.NullInt64:
		if *d = (sql.NullInt64{Int64: number, Valid: isNumber}); isNumber || value == nil {
			return nil
		}
	case *sql.NullString:
		if *d = (sql.NullString{String: text, Valid: isText}); isText || value == nil {
			return nil
		}
	}
	return fmt.Errorf("is a %T, not for a %T", value, dest)
}
