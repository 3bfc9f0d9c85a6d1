package claudefiles

import (
	"time"

	"hindsql/internal/fastjson"
	"hindsql/readers"
)

// Backups are the files that Claude Code saved before it changed them (readers/claude/FORMAT.md §3.5):
// a snapshot at each prompt, and an update of it before each first change of a file.
type Backups struct {
	turns []backupTurn
	base  map[string]time.Time // the last prompt's files, with the times of their backups
}

// backupTurn is the snapshot of a prompt, and what changed after it.
type backupTurn struct {
	snapshot string // messageId of the prompt's snapshot
	at       time.Time
	changed  []backup
}

// backup is a file that was saved at a time, to be changed.
type backup struct {
	path string
	at   time.Time
}

// Add handles a line of kind file-history-snapshot or file-history-delta.
func (b *Backups) Add(v *fastjson.Value) {
	if name := readers.Text(v, "trackingPath"); name != "" {
		b.addChange(readers.Text(v, "snapshotMessageId"), name, v.Get("backup"))
		return
	}
	s := v.Get("snapshot")
	id, files := readers.Text(s, "messageId"), s.GetObject("trackedFileBackups")
	if !readers.Bool(v, "isSnapshotUpdate") {
		b.turns = append(b.turns, backupTurn{snapshot: id, at: readers.Time(s.Get("timestamp"))})
		b.base = map[string]time.Time{}
	}
	if files == nil {
		return
	}
	files.Visit(func(name []byte, file *fastjson.Value) {
		if readers.Bool(v, "isSnapshotUpdate") {
			b.addChange(id, string(name), file)
		} else {
			b.base[string(name)] = readers.Time(file.Get("backupTime"))
		}
	})
}

// addChange adds a backup made after the last prompt's snapshot.
func (b *Backups) addChange(snapshot, name string, file *fastjson.Value) {
	if len(b.turns) == 0 {
		return
	}
	turn := &b.turns[len(b.turns)-1]
	at := readers.Time(file.Get("backupTime"))
	if before, there := b.base[name]; turn.snapshot != snapshot || there && before.Equal(at) {
		return
	}
	b.base[name] = at
	turn.changed = append(turn.changed, backup{name, at})
}

// ChangedUntil returns the files that changed between the snapshot of a prompt and a moment
// after it; nil if there is no snapshot.
func (b *Backups) ChangedUntil(moment time.Time) []string {
	for i := len(b.turns) - 1; i >= 0 && !moment.IsZero(); i-- {
		turn := &b.turns[i]
		if turn.at.IsZero() || turn.at.After(moment) {
			continue
		}
		files := []string{}
		for _, c := range turn.changed {
			if !c.at.After(moment) {
				files = append(files, c.path)
			}
		}
		return files
	}
	return nil
}
