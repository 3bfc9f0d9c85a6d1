package schedule

import (
	"errors"
	"fmt"
	"strings"
)

// The lines before and after hindsql's line in a crontab.
const (
	cronBegin = "# hindsql report: begin. " + Mark
	cronEnd   = "# hindsql report: end."
)

// CronLines returns hindsql's crontab line between its begin and end lines.
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

// cronQuote quotes a word for the shell that cron calls. cron handles two characters
// first, quoted or not: a percent sign ends the command unless a backslash precedes it,
// and some crons read two backslashes as one. So percent signs are escaped outside the
// quotes, where the shell removes a backslash left by cron. No backslash is directly
// followed by another backslash or by the escape of a percent sign.
func cronQuote(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=/.,:@"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.NewReplacer(`'`, `'\''`, `\`, `\''`, `%`, `'\%'`).Replace(word) + "'"
}

// InCrontab returns the crontab with the timer's lines at the end. Earlier timer lines
// are replaced.
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

// WithoutTimer returns the crontab without a timer's lines, and reports whether it had
// any. All other lines stay unchanged.
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
