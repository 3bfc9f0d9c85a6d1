package schedule

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"hindsql/internal/pattern"
)

// Job is a report to make on a schedule, or a push of rows to another place on a
// schedule.
type Job struct {
	Name     string    `toml:"-"`                  // of the report: small letters, digits and hyphens
	Schedule string    `toml:"schedule"`           // as [Parse] reads it
	Output   string    `toml:"output,omitempty"`   // folder for the report files; empty: chosen by the caller
	Keep     int       `toml:"keep,omitempty"`     // how many files to keep; 0: all
	Notify   string    `toml:"notify,omitempty"`   // command that gets the report on standard input; empty: none
	Redact   bool      `toml:"redact,omitempty"`   // replace secrets, even if the report's own file doesn't
	MailTo   []string  `toml:"mail_to,omitempty"`  // addresses to which the report is mailed; empty: none
	Sendmail string    `toml:"sendmail,omitempty"` // absolute path of the program that sends the mail
	Retries  int       `toml:"retries,omitzero"`   // number of retries after failures, for one period; 0: 3, negative: none
	Since    time.Time `toml:"since,omitzero"`     // when the job was scheduled; zero: a due job runs at once

	MailSecrets bool `toml:"mail_secrets,omitempty"` // secrets stay in the mail

	Push     string `toml:"push,omitempty"`     // target for this machine's rows; empty for a report
	Endpoint string `toml:"endpoint,omitempty"` // of the target; empty: as push.toml says
	Region   string `toml:"region,omitempty"`   // of the target; empty: as push.toml says
	Texts    string `toml:"texts,omitempty"`    // how texts are pushed; empty: as push.toml says
}

// PushName returns the name of the job that pushes to a target.
func PushName(target string) string {
	sum := sha256.Sum256([]byte(target))
	return "push-" + hex.EncodeToString(sum[:4])
}

var nameForm = pattern.Lazy(`^[a-z0-9]+(?:-[a-z0-9]+)*$`)

// Check returns an error if the job is invalid.
func (j Job) Check() error {
	if !nameForm.MatchString(j.Name) {
		return fmt.Errorf("report %q: a name is made of small letters, digits and single hyphens", j.Name)
	}
	if j.Keep < 0 {
		return fmt.Errorf("report %s: keep is %d; 0 keeps all", j.Name, j.Keep)
	}
	for _, text := range append([]string{j.Output, j.Notify, j.Push, j.Sendmail}, j.MailTo...) {
		if !utf8.ValidString(text) {
			return fmt.Errorf("report %s: %q: has bytes that are no UTF-8, which the file of schedules can't hold", j.Name, text)
		}
	}
	_, err := j.when(time.UTC)
	return err
}

func (j Job) when(zone *time.Location) (*When, error) {
	if j.Schedule == "" {
		return nil, fmt.Errorf("report %s: %w", j.Name, errNoSchedule)
	}
	w, err := Parse(j.Schedule, zone)
	if err != nil {
		return nil, fmt.Errorf("report %s: %w", j.Name, err)
	}
	return w, nil
}

var errNoSchedule = errors.New("no schedule; " + wordsForm)

// attempts returns how often a job may be tried for one period.
func (j Job) attempts() int {
	switch {
	case j.Retries < 0:
		return 1
	case j.Retries == 0:
		return 4
	}
	return 1 + j.Retries
}

// pause returns how long to wait after the nth failure for a period.
func pause(n int) time.Duration {
	const first, longest = 5 * time.Minute, 6 * time.Hour
	p := first
	for range n - 1 {
		p = min(3*p, longest)
	}
	return p
}
