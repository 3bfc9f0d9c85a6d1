// Command prices reads LiteLLM's list of prices, and prints the models and prices that
// readers can meet. The script renew, beside it, runs the program.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err == nil {
		text, err = reduce(text)
	}
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "prices:", err)
		os.Exit(1)
	}
}

// providers lists LiteLLM's names of the providers whose models logs name, in three ranks:
// makers of models, clouds with prices of their own, and resellers. A provider whose name
// goes on after a hyphen, such as vertex_ai-anthropic_models, is found, too.
var providers = [][]string{
	strings.Fields("anthropic openai vertex_ai moonshot xai dashscope deepseek mistral codestral zai minimax xiaomi_mimo meta cohere_chat amazon_nova tencent"),
	strings.Fields("bedrock bedrock_converse azure azure_ai github_copilot opencode_go qwencloud"),
	strings.Fields("openrouter vercel_ai_gateway groq cerebras fireworks_ai together_ai deepinfra novita cloudflare"),
}

var (
	// priceKey matches the keys that hindsql reads.
	priceKey = regexp.MustCompile(`^((input|output)_cost_per_token|cache_(read|creation)_input_token_cost(_above_1hr)?)(_above_[0-9]+k_tokens)?$`)
	// notMet matches names of no model of an agent: prices of a region or of a commitment,
	// and models of other media.
	notMet = regexp.MustCompile(`commitment|^bedrock/|^azure/(us|eu|global|apac)|realtime|audio|image|tts|embed|transcribe|-live|-search|^ft:`)
	// old matches models that no agent can use well. Only makers' own are kept.
	old = regexp.MustCompile(`(?i)llama|mixtral|gemma|vicuna|starcoder|falcon|\bphi-|\byi-|hermes|qwen-?[12]|dolphin|mythomax|zephyr|wizard|ai21|titan|to-[0-9]+b|b-[0-9.]+b|above-|-default$|stable|dbrx|chronos|mpt-`)
	// beside matches parts of a name that don't tell models apart. 6-priced-models.sql has the
	// rule; here it only finds names to leave out.
	beside = regexp.MustCompile(`^.*/|^((us|eu|apac|jp|au|global|us-gov)\.)?((anthropic|amazon|openai|google|meta|mistral|deepseek|qwen|zai|moonshotai|moonshot|xai)\.)?|(-20[0-9]{6}|-20[0-9]{2}-[0-9]{2}-[0-9]{2})?(-v[0-9]+(:[0-9]+)?)?(@.*|-latest)?$`)
)

// facts holds the prices of a model, by LiteLLM's keys.
type facts map[string]any

// reduce returns the models and keys that hindsql needs, a model a line. A cloud's or
// reseller's entry is left out if a maker has the same model at the same prices, and a
// reseller's if a maker has the model at all.
func reduce(text []byte) ([]byte, error) {
	var all map[string]facts
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	kept := map[string]string{}  // entry by name, as JSON
	known := map[string]string{} // entry of the first rank that has a model, by the model's key
	for rank, names := range providers {
		fresh := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			provider, _ := all[name]["litellm_provider"].(string)
			provider, _, _ = strings.Cut(provider, "-")
			prices, priced := all[name].prices()
			if !priced || !slices.Contains(names, provider) || !all[name].answers() || notMet.MatchString(name) || rank > 0 && old.MatchString(name) {
				continue
			}
			entry, err := json.Marshal(prices)
			if err != nil {
				return nil, err
			}
			key := strings.ReplaceAll(beside.ReplaceAllString(strings.ToLower(name), ""), ".", "-")
			same, isKnown := known[key]
			if isKnown && (rank == len(providers)-1 || same == string(entry)) {
				continue
			}
			kept[name] = string(entry)
			if fresh[key] == "" {
				fresh[key] = string(entry)
			}
		}
		for key, entry := range fresh {
			if known[key] == "" {
				known[key] = entry
			}
		}
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("no model with prices; LiteLLM's list has another form now")
	}
	return joined(kept), nil
}

// answers reports whether the model writes text.
func (f facts) answers() bool {
	mode := f["mode"]
	return mode == nil || mode == "chat" || mode == "responses" || mode == "completion"
}

// prices returns the prices that hindsql reads, and whether there are any.
func (f facts) prices() (p facts, ok bool) {
	p = facts{}
	for key, value := range f {
		if _, isNumber := value.(float64); isNumber && priceKey.MatchString(key) {
			p[key] = value
		}
	}
	tiers, _ := f["tiered_pricing"].([]any)
	var kept []facts
	for _, t := range tiers {
		tier, _ := t.(map[string]any)
		prices, _ := facts(tier).prices()
		prices["range"] = tier["range"]
		kept = append(kept, prices)
	}
	if len(kept) > 0 {
		p["tiered_pricing"] = kept
	}
	_, input := p["input_cost_per_token"]
	_, output := p["output_cost_per_token"]
	return p, input && output || len(kept) > 0
}

// joined returns the JSON of the entries, sorted by name.
func joined(entries map[string]string) []byte {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		quoted, _ := json.Marshal(name)
		lines = append(lines, string(quoted)+":"+entries[name])
	}
	return []byte("{" + strings.Join(lines, ",\n") + "}\n")
}
