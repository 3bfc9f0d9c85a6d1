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
		words = append(words, name+"="+cronQuote(t.Env[name]))
	}
	for _, word := range t.Command {
		words = append(words, cronQuote(word))
	}
	return cronBegin + "\n*/5 * * * * " + strings.Join(words, " ") + "\n" + cronEnd + "\n"
}

// cronQuote writes a word for the shell that cron calls. cron looks at two
// characters first, whether they are quoted or not: a percent sign ends the
// command, unless a backslash is before it, and some crons take two backslashes for
// one. So a percent sign is escaped outside of the quotes, where the shell takes a
// backslash away that cron left, and no backslash is followed by another one, or by
// a percent sign's.
func cronQuote(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=/.,:@"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.NewReplacer(`'`, `'\''`, `\`, `\''`, `%`, `'\%'`).Replace(word) + "'"
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
