package export

// addUsage adds tokens that no answer names: they are no step, and count.
func (m *steps) addUsage(message *objectRow) {
	m.measure(&step{IsCopiedContext: message.is("is_copy", "true")}, message.row)
	m.t.Extra.list("usage", message.text)
}

// measure adds a message's tokens. Of a copy they were spent in the older session.
func (m *steps) measure(s *step, message row) {
	if s.IsCopiedContext {
		return
	}
	read := message.number("cache_read_tokens")
	x := &metrics{PromptTokens: sum(message.number("input_tokens"), read, message.number("cache_write_tokens")), CompletionTokens: message.number("output_tokens"), CachedTokens: read}
	x.Extra.add(message, "cache_write_tokens", "reasoning_tokens", "cost_estimated_usd", "recorded_output_tokens")
	if message.is("tokens_reliable", "false") {
		x.Extra.add(message, "tokens_reliable")
	}
	if x.PromptTokens == nil && x.CompletionTokens == nil && x.Extra == nil {
		return
	}
	s.Metrics = x
	f := &m.t.FinalMetrics
	f.TotalPromptTokens = sum(f.TotalPromptTokens, x.PromptTokens)
	f.TotalCompletionTokens = sum(f.TotalCompletionTokens, x.CompletionTokens)
	f.TotalCachedTokens = sum(f.TotalCachedTokens, x.CachedTokens)
}

// sum adds numbers, nil left out; nil if all are.
func sum(numbers ...*int64) (total *int64) {
	for _, n := range numbers {
		if n != nil {
			if total == nil {
				total = new(int64)
			}
			*total += *n
		}
	}
	return total
}
