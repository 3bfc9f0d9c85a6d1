package schedule

import (
	"errors"
	"fmt"
	"strings"
)

// The lines before and after hindsql's line in a crontab. They mark what hindsql may
// replace.
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

// cronQuote quotes a word of the command for a line in a crontab. cron itself changes
// two characters before it passes the line to a shell, even inside quotes: an unescaped
// percent sign ends the command, and some crons read two backslashes as one. So
// cronQuote ends the quotes before a percent sign and writes it as \%. If cron leaves
// the backslash, the shell removes it. cronQuote never writes two backslashes in a row,
// nor a backslash directly before \%.
func cronQuote(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=/.,:@"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.NewReplacer(`'`, `'\''`, `\`, `\''`, `%`, `'\%'`).Replace(word) + "'"
}

// InCrontab returns the crontab with hindsql's lines at its end. They replace hindsql's
// lines of an earlier install.
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

// WithoutTimer returns the crontab without hindsql's lines, and reports whether it had
// any. All other lines stay unchanged. If somebody edited hindsql's lines, it returns
// an error.
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
