package main

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
