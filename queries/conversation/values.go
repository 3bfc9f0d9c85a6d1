package conversation

import (
	"fmt"
	"time"
)

// text returns a value as text, empty for NULL.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return fmt.Sprint(v)
}

// number returns a whole number, 0 for NULL.
func number(v any) int64 { return numberOr(v, 0) }

func numberOr(v any, other int64) int64 {
	switch v := v.(type) {
	case int64:
		return v
	case int32:
		return int64(v)
	}
	return other
}

func moment(v any) time.Time {
	at, _ := v.(time.Time)
	return at
}

func maybe[T any](v any) *T {
	if v, ok := v.(T); ok {
		return &v
	}
	return nil
}
