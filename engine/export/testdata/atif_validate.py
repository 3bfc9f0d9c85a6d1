"""Validates trajectories by the package atif. Arguments: folders with
*.trajectory.json, or files of one trajectory a line. Prints how many there are,
and fails where one is refused, leads to a file that isn't there, or has sums that
aren't those of its steps."""

import json
import pathlib
import sys

from atif import Trajectory


def texts(arguments):
    for argument in map(pathlib.Path, arguments):
        if argument.is_dir():
            for file in sorted(argument.rglob("*.trajectory.json")):
                yield file, file.read_text()
        else:
            for number, line in enumerate(argument.open(), 1):
                yield f"{argument}:{number}", line


def check(name, text):
    # As Python's json reads it, and as pydantic's own parser does, which is stricter.
    t = Trajectory.model_validate(json.loads(text))
    Trajectory.model_validate_json(text)
    assert t.schema_version == "ATIF-v1.7", t.schema_version
    assert t.steps, "no step"
    calls = [c.tool_call_id for s in t.steps for c in s.tool_calls or []]
    assert len(calls) == len(set(calls)), "a call's id twice"
    for total, part in (("total_prompt_tokens", "prompt_tokens"), ("total_completion_tokens", "completion_tokens"), ("total_cached_tokens", "cached_tokens")):
        parts = sum(getattr(s.metrics, part) or 0 for s in t.steps if s.metrics)
        assert (getattr(t.final_metrics, total) or 0) == parts, total
    assert all(s.metrics.prompt_tokens is None or (s.metrics.cached_tokens or 0) <= s.metrics.prompt_tokens for s in t.steps if s.metrics)
    for s in t.steps:
        for r in s.observation.results if s.observation else []:
            for ref in r.subagent_trajectory_ref or []:
                if isinstance(name, pathlib.Path):
                    assert (name.parent / ref.trajectory_path).is_file(), ref
    return t


def main():
    count = steps = calls = refused = refs = 0
    for name, text in texts(sys.argv[1:]):
        try:
            t = check(name, text)
        except Exception as e:
            refused += 1
            print(f"{name}: {str(e)[:400]}", file=sys.stderr)
            continue
        count += 1
        steps += len(t.steps)
        calls += sum(len(s.tool_calls or []) for s in t.steps)
        refs += sum(len(r.subagent_trajectory_ref or []) for s in t.steps if s.observation for r in s.observation.results)
    print(json.dumps({"trajectories": count, "refused": refused, "steps": steps, "calls": calls, "subagents": refs}))
    sys.exit(refused > 0 or count == 0)


main()
