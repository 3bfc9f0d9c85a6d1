package main

// output is the number of output tokens of an answer, and cached the number of cached
// input tokens, in all APIs.
const (
	output = 50
	cached = 200
)

// chatAPI is OpenAI's chat completions.
var chatAPI = api{request: chatRequest, whole: chatWhole, stream: chatStream}

func chatRequest(body object) *request {
	r := &request{stream: body["stream"] == true}
	for _, m := range list(body["messages"]) {
		switch role := text(m["role"]); role {
		case "user", "assistant":
			r.add(role, contents(m["content"]))
		case "tool":
			r.add("result", "")
		}
	}
	for _, t := range list(body["tools"]) {
		f, _ := t["function"].(object)
		r.tools = append(r.tools, text(f["name"]))
	}
	return r
}

func chatUsage(r *reply) object {
	return object{"prompt_tokens": r.input() + cached, "completion_tokens": output, "total_tokens": r.input() + cached + output,
		"prompt_tokens_details": object{"cached_tokens": cached}}
}

func chatCalls(r *reply) []object {
	return []object{{"index": 0, "id": r.call.id, "type": "function",
		"function": object{"name": r.call.tool, "arguments": r.call.arguments()}}}
}

func (r *reply) finish(calls, ends string) string {
	if r.call != nil {
		return calls
	}
	return ends
}

func chatWhole(r *reply) object {
	message := object{"role": "assistant", "content": r.Text}
	if r.call != nil {
		message["tool_calls"] = chatCalls(r)
	}
	return object{"id": r.id, "object": "chat.completion", "created": r.made.Unix(), "model": "mock", "usage": chatUsage(r),
		"choices": []object{{"index": 0, "message": message, "finish_reason": r.finish("tool_calls", "stop")}}}
}

func chatStream(r *reply, send func(string, any)) {
	chunk := func(choices []object, usage any) {
		send("", object{"id": r.id, "object": "chat.completion.chunk", "created": r.made.Unix(), "model": "mock", "choices": choices, "usage": usage})
	}
	delta := func(d object, finish any) {
		chunk([]object{{"index": 0, "delta": d, "finish_reason": finish}}, nil)
	}
	delta(object{"role": "assistant", "content": ""}, nil)
	for word := range r.words {
		delta(object{"content": word}, nil)
	}
	if r.call != nil {
		delta(object{"tool_calls": chatCalls(r)}, nil)
	}
	delta(object{}, r.finish("tool_calls", "stop"))
	chunk([]object{}, chatUsage(r))
	send("", "[DONE]")
}

// responsesAPI is OpenAI's responses.
var responsesAPI = api{request: responsesRequest, whole: responsesWhole, stream: responsesStream}

func responsesRequest(body object) *request {
	r := &request{stream: body["stream"] == true}
	if s, ok := body["input"].(string); ok {
		r.add("user", s)
	}
	for _, item := range list(body["input"]) {
		switch kind := text(item["type"]); {
		case kind == "function_call" || kind == "custom_tool_call" || kind == "local_shell_call":
			r.add("assistant", "")
		case kind == "function_call_output" || kind == "custom_tool_call_output":
			r.add("result", "")
		case item["role"] == "user":
			r.add("user", contents(item["content"]))
		case item["role"] == "assistant":
			r.add("assistant", contents(item["content"]))
		}
	}
	for _, t := range list(body["tools"]) {
		r.tools = append(r.tools, text(t["name"]))
	}
	return r
}

func responsesItems(r *reply) []object {
	var items []object
	if r.Text != "" {
		items = append(items, object{"type": "message", "id": "msg_" + r.id, "role": "assistant", "status": "completed",
			"content": []object{{"type": "output_text", "text": r.Text, "annotations": []object{}}}})
	}
	if r.call != nil {
		items = append(items, object{"type": "function_call", "id": "fc_" + r.call.id, "call_id": r.call.id, "status": "completed",
			"name": r.call.tool, "arguments": r.call.arguments()})
	}
	return items
}

func responsesWhole(r *reply) object {
	usage := object{"input_tokens": r.input() + cached, "input_tokens_details": object{"cached_tokens": cached},
		"output_tokens": output, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": r.input() + cached + output}
	return object{"id": "resp_" + r.id, "object": "response", "created_at": r.made.Unix(), "model": "mock", "status": "completed",
		"output": responsesItems(r), "usage": usage}
}

func responsesStream(r *reply, send func(string, any)) {
	event := func(kind string, o object) {
		o["type"] = kind
		send(kind, o)
	}
	begun := responsesWhole(r)
	begun["status"], begun["output"], begun["usage"] = "in_progress", []object{}, nil
	event("response.created", object{"response": begun})
	for i, item := range responsesItems(r) {
		id := item["id"]
		if item["type"] == "message" {
			event("response.output_item.added", object{"output_index": i, "item": object{"type": "message", "id": id, "role": "assistant", "status": "in_progress", "content": []object{}}})
			event("response.content_part.added", object{"item_id": id, "output_index": i, "content_index": 0, "part": object{"type": "output_text", "text": "", "annotations": []object{}}})
			for word := range r.words {
				event("response.output_text.delta", object{"item_id": id, "output_index": i, "content_index": 0, "delta": word})
			}
			event("response.output_text.done", object{"item_id": id, "output_index": i, "content_index": 0, "text": r.Text})
		} else {
			event("response.output_item.added", object{"output_index": i, "item": object{"type": "function_call", "id": id, "call_id": r.call.id, "name": r.call.tool, "arguments": "", "status": "in_progress"}})
			event("response.function_call_arguments.delta", object{"item_id": id, "output_index": i, "delta": item["arguments"]})
			event("response.function_call_arguments.done", object{"item_id": id, "output_index": i, "arguments": item["arguments"]})
		}
		event("response.output_item.done", object{"output_index": i, "item": item})
	}
	event("response.completed", object{"response": responsesWhole(r)})
}

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

// geminiAPI is Google's generateContent and streamGenerateContent.
var geminiAPI = api{request: geminiRequest, whole: geminiWhole, stream: geminiStream}

func geminiRequest(body object) *request {
	r := &request{}
	for _, c := range list(body["contents"]) {
		who := text(c["role"])
		if who == "model" {
			who = "assistant"
		}
		for _, part := range list(c["parts"]) {
			if part["functionResponse"] != nil {
				r.add("result", "")
			}
		}
		if words := contents(c["parts"]); words != "" || who == "assistant" {
			r.add(who, words)
		}
	}
	for _, t := range list(body["tools"]) {
		for _, f := range list(t["functionDeclarations"]) {
			r.tools = append(r.tools, text(f["name"]))
		}
	}
	config, _ := body["generationConfig"].(object)
	r.json = config["responseMimeType"] == "application/json"
	return r
}

// geminiPart returns a response with one part. The last part of an answer tells the
// end and the tokens.
func geminiPart(r *reply, part object, last bool) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": []object{part}}}
	response := object{"candidates": []object{candidate}, "modelVersion": "mock", "responseId": r.id}
	if last {
		candidate["finishReason"] = "STOP"
		response["usageMetadata"] = object{"promptTokenCount": r.input() + cached, "candidatesTokenCount": output,
			"cachedContentTokenCount": cached, "totalTokenCount": r.input() + cached + output}
	}
	return response
}

func geminiCall(r *reply) object {
	return object{"functionCall": object{"id": r.call.id, "name": r.call.tool, "args": r.call.input}}
}

func geminiWhole(r *reply) object {
	whole := geminiPart(r, object{"text": r.Text}, true)
	if r.call != nil {
		content := whole["candidates"].([]object)[0]["content"].(object)
		content["parts"] = append(content["parts"].([]object), geminiCall(r))
	}
	return whole
}

func geminiStream(r *reply, send func(string, any)) {
	for word := range r.words {
		send("", geminiPart(r, object{"text": word}, false))
	}
	if r.call != nil {
		send("", geminiPart(r, geminiCall(r), true))
		return
	}
	send("", geminiPart(r, object{"text": ""}, true))
}
