package export

// addUsage adds a message whose tokens belong to no response. The message becomes no
// step, but its tokens are in the totals.
func (m *steps) addUsage(message *objectRow) {
	m.measure(&step{IsCopiedContext: message.is("is_copy", "true")}, message.row)
	m.t.Extra.list("usage", message.text)
}

// measure notes a message's tokens in the step, and adds them to the totals. It leaves
// out tokens of a copied message: the older session has them.
func (m *steps) measure(s *step, message row) {
	if s.IsCopiedContext {
		return
	}
	read := message.number("cache_read_tokens")
	x := &metrics{PromptTokens: sum(message.number("input_tokens"), read, message.number("cache_write_tokens")), CompletionTokens: message.number("output_tokens"), CachedTokens: read}
	x.Extra.add(message, "cache_write_tokens", "cache_write_1h_tokens", "reasoning_tokens", "cost_estimated_usd", "recorded_output_tokens")
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

// sum adds the numbers that aren't nil. It returns nil if all are nil.
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
