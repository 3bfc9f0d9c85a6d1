package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hindsql/cmd/hindsql/term"
	"hindsql/engine/redact"
	"hindsql/internal/words"
)

// showOptions are the flags and arguments of hindsql show.
type showOptions struct {
	commandLine
	term.Conversation
	redact bool
}

func (o *showOptions) addFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&o.Refused, "refused", false, "only the calls that were refused, with what was around them")
	flags.IntVar(&o.Around, "around", -1, "`N` messages before and after the one, or a refused call")
	flags.BoolVar(&o.Full, "full", false, "cut nothing: thinking, inputs and outputs whole")
	flags.StringVar(&o.Agent, "agent", "", "a session of this `AGENT`, where several have the id")
	flags.BoolVar(&o.redact, "redact", true, "replace secrets in a page of HTML, or in a file of Markdown, with [redacted:RULE]; said alone, in every format")
	flags.Lookup("redact").DefValue = "true for HTML and Markdown"
}

func newShowCommand(env *environment, s commandLine) *cobra.Command {
	cmd := newCommand(env, showOptions{commandLine: s}, ofLogs+"no-sync lake"+ofResults, runShow, &cobra.Command{
		Use:   "show ID[:MESSAGE]",
		Short: "Show a session as a page",
		Long: `Shows what was said and done in a session: prompts and answers whole, thinking
short, calls with their input and the end of their output, refused ones with what
they would have done and why you said no.

ID is the beginning of a session's id, as hindsql sessions shows it; of a subagent
its parent's, a slash, and the beginning of its own. ID:MESSAGE shows five messages
before and after that one. last is the session of this repository in which you
typed last, or where there is none, of all.

-o session.html and -o session.md write the conversation as one file to read or
send: without scripts, with long outputs folded or cut, and with secrets replaced
unless --redact=false. In any other format a row is a piece of the session.`,
		Example: `  hindsql show last
  hindsql show 9a3f50d7:4 --around 2
  hindsql show last --refused
  hindsql show 9a3f50d7 -o session.html`,
		Args:              usageOrQuestion("which session? hindsql show ID, or last; hindsql sessions lists them"),
		ValidArgsFunction: completeSessions(env, s.logs),
	})
	completeAgents(env, cmd)
	return cmd
}

func runShow(ctx context.Context, env *environment, o showOptions) error {
	if o.changed("around") && o.Around < 0 {
		return usagef("--around %d: a number of messages, 0 or more", o.Around)
	}
	o.Reference, o.Here = o.args[0], currentFolders(env)
	texts, replaced := redact.New(), false
	if o.redact {
		o.Redact = func(text string, isJSON bool) string {
			replaced = true
			return texts.Redact(text, isJSON)
		}
		o.RedactAll = o.changed("redact")
	}
	return withSession(ctx, env, o.logs, func(ctx context.Context, v *term.View) error {
		err := deliver(env, o.out, func(to *term.Output) error { return v.ShowSession(ctx, to, o.Conversation) })
		if errors.As(err, new(*term.NoSession)) {
			return usageError{err}
		}
		if err == nil && replaced {
			n := int64(0)
			for _, of := range texts.Counts() {
				n += of
			}
			env.notice("%s replaced; --redact=false keeps them, and no rule finds every secret", words.Quantity(n, "secret"))
		}
		return err
	})
}

// completeSessions completes session ids from the loaded rows.
func completeSessions(env *environment, from *logFlags) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		const most = 50
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		list := []string{"last\tthe session in which you typed last"}
		_ = withOpen(cmd.Context(), env, from, func(ctx context.Context, v *term.View) error {
			ids, about, err := v.Session.SessionIDs(ctx, typed, most)
			for i, id := range ids {
				list = append(list, id+"\t"+about[i])
			}
			return err
		})
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}
