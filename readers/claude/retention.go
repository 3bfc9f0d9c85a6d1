package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"hindsql/readers"
)

// defaultDays is how long transcripts are kept if no setting says otherwise.
const defaultDays = 30

// retention reads cleanupPeriodDays of the user's settings.
func retention(root string) (readers.Retention, error) {
	r := readers.Retention{Days: defaultDays, Setting: "cleanupPeriodDays", File: filepath.Join(root, "settings.json")}
	text, err := readers.ReadFile(r.File)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	var settings struct {
		Days *float64 `json:"cleanupPeriodDays"`
	}
	if err := json.Unmarshal(text, &settings); err != nil {
		return r, fmt.Errorf("%s: %w", r.File, err)
	}
	if settings.Days != nil {
		r.Days, r.Set = int(*settings.Days), true
	}
	return r, nil
}
