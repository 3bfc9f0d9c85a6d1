package main

// messagesAPI is Anthropic's messages.
var messagesAPI = api{request: messagesRequest, whole: messagesWhole, stream: messagesStream}

func messagesRequest(body object) *request {
	r := &request{stream: body["stream"] == true}
	for _, m := range list(body["messages"]) {
		role := text(m["role"])
		for _, part := range list(m["content"]) {
			if part["type"] == "tool_result" {
				r.add("result", "")
			}
		}
		if words := contents(m["content"]); words != "" || role == "assistant" {
			r.add(role, words)
		}
	}
	for _, t := range list(body["tools"]) {
		r.tools = append(r.tools, text(t["name"]))
	}
	return r
}

func messagesUsage(r *reply) object {
	return object{"input_tokens": r.input(), "output_tokens": output, "cache_read_input_tokens": cached, "cache_creation_input_tokens": 0}
}

func messagesWhole(r *reply) object {
	var blocks []object
	if r.Text != "" {
		blocks = append(blocks, object{"type": "text", "text": r.Text})
	}
	if r.call != nil {
		blocks = append(blocks, object{"type": "tool_use", "id": r.call.id, "name": r.call.tool, "input": r.call.input})
	}
	return object{"id": "msg_" + r.id, "type": "message", "role": "assistant", "model": "mock", "content": blocks,
		"stop_reason": r.finish("tool_use", "end_turn"), "stop_sequence": nil, "usage": messagesUsage(r)}
}

func messagesStream(r *reply, send func(string, any)) {
	event := func(kind string, o object) {
		o["type"] = kind
		send(kind, o)
	}
	begun := messagesWhole(r)
	begun["content"], begun["stop_reason"] = []object{}, nil
	event("message_start", object{"message": begun})
	i := 0
	if r.Text != "" {
		event("content_block_start", object{"index": i, "content_block": object{"type": "text", "text": ""}})
		for word := range r.words {
			event("content_block_delta", object{"index": i, "delta": object{"type": "text_delta", "text": word}})
		}
		event("content_block_stop", object{"index": i})
		i++
	}
	if r.call != nil {
		event("content_block_start", object{"index": i, "content_block": object{"type": "tool_use", "id": r.call.id, "name": r.call.tool, "input": object{}}})
		event("content_block_delta", object{"index": i, "delta": object{"type": "input_json_delta", "partial_json": r.call.arguments()}})
		event("content_block_stop", object{"index": i})
	}
	event("message_delta", object{"delta": object{"stop_reason": r.finish("tool_use", "end_turn"), "stop_sequence": nil}, "usage": messagesUsage(r)})
	event("message_stop", object{})
}
