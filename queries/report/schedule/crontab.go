package schedule

import (
	"errors"
	"fmt"
	"strings"
)

// The lines around what is hindsql's in a crontab.
const (
	cronBegin = "# hindsql report: begin. " + Mark
	cronEnd   = "# hindsql report: end."
)

// CronLines are the lines of the crontab.
func (t Timer) CronLines() string {
	var words []string
	for _, name := range t.names() {
		words = append(words, name+"="+shellQuote(t.Env[name]))
	}
	for _, word := range t.Command {
		words = append(words, shellQuote(word))
	}
	// cron reads a percent sign as the end of the line.
	line := "*/5 * * * * " + strings.ReplaceAll(strings.Join(words, " "), "%", `\%`)
	return cronBegin + "\n" + line + "\n" + cronEnd + "\n"
}

func shellQuote(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=/.,:@%"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// InCrontab gives a crontab with the timer's lines in it, in place of those
// that it had.
func (t Timer) InCrontab(crontab string) (string, error) {
	rest, _, err := WithoutTimer(crontab)
	if err != nil {
		return "", err
	}
	if rest != "" && !strings.HasSuffix(rest, "\n") {
		rest += "\n"
	}
	return rest + t.CronLines(), nil
}

// WithoutTimer gives a crontab without a timer's lines, and says whether there
// were any. All other lines stay as they are.
func WithoutTimer(crontab string) (rest string, had bool, err error) {
	before, after, had := strings.Cut(crontab, cronBegin+"\n")
	if !had {
		return crontab, false, nil
	}
	lines, after, ended := strings.Cut(after, cronEnd+"\n")
	switch {
	case !ended:
		return "", true, fmt.Errorf("crontab: the line %q is gone; take hindsql's lines out with crontab -e", cronEnd)
	case strings.Count(lines, "\n") != 1 || !strings.Contains(lines, " due"):
		return "", true, errors.New("crontab: somebody wrote between hindsql's lines; take them out with crontab -e")
	}
	return before + after, true, nil
}
