"""A client of the Python SDK that does what the lines of its standard input say.

    client.py SERVER MODE

SERVER is a JSON object: {"command", "args", "env", "cwd"} starts one, and {"url",
"token"} reaches one. MODE is the SDK's: auto, legacy, or a version. Each line is
{"op", …}, and is answered by a line {"ok"} or {"error": {"code", "message"}}.
"""

import asyncio
import json
import sys

import anyio
import httpx2
import jsonschema
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


def plain(model):
    """A result as JSON has it."""
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def whole(listing, field):
    """All pages of a list."""
    items, cursor, pages = [], None, 0
    while True:
        page = await listing(cursor=cursor, cache_mode="bypass")
        items += plain(page)[field]
        pages, cursor = pages + 1, page.next_cursor
        if not cursor:
            return {"items": items, "pages": pages}


async def call(client, schemas, line):
    """A tool's result, with the progress that came before it; a call that was
    given up is {"cancelled": true}."""
    progress = []

    async def on_progress(done, total, message):
        progress.append({"done": done, "total": total, "message": message})

    with anyio.move_on_after(line.get("cancel_after") or float("inf")):
        result = await client.call_tool(
            line["name"], line.get("arguments"), progress_callback=on_progress if line.get("progress") else None
        )
        answer = plain(result)
        if line["name"] not in schemas:
            await do(client, schemas, {"op": "tools"})
        if not answer.get("isError"):
            jsonschema.validate(answer["structuredContent"], schemas[line["name"]])
        return answer | {"progress": progress}
    return {"cancelled": True, "progress": progress}


async def do(client, schemas, line):
    match line["op"]:
        case "hello":
            return {
                "protocol": client.protocol_version,
                "server": plain(client.server_info),
                "instructions": client.instructions,
                "capabilities": plain(client.server_capabilities),
            }
        case "tools":
            listed = await whole(client.list_tools, "tools")
            schemas.update({t["name"]: t["outputSchema"] for t in listed["items"]})
            return listed
        case "resources":
            return await whole(client.list_resources, "resources")
        case "templates":
            return await whole(client.list_resource_templates, "resourceTemplates")
        case "prompts":
            return await whole(client.list_prompts, "prompts")
        case "call":
            return await call(client, schemas, line)
        case "read":
            return plain(await client.read_resource(line["uri"], cache_mode="bypass"))
        case "prompt":
            return plain(await client.get_prompt(line["name"], line.get("arguments")))
    raise ValueError(line["op"])


def reach(server):
    if "url" not in server:
        return StdioServerParameters(**server)
    headers = {"Authorization": "Bearer " + server["token"]}
    return streamable_http_client(server["url"], http_client=httpx2.AsyncClient(headers=headers, timeout=120))


async def main():
    server, mode = json.loads(sys.argv[1]), sys.argv[2]
    async with Client(reach(server), mode=mode, read_timeout_seconds=120) as client:
        schemas = {}
        while text := await anyio.to_thread.run_sync(sys.stdin.readline):
            try:
                answer = {"ok": await do(client, schemas, json.loads(text))}
            except MCPError as e:
                answer = {"error": {"code": e.code, "message": e.message, "data": e.data}}
            except Exception as e:
                answer = {"error": {"code": 0, "message": f"{type(e).__name__}: {e}"}}
            print(json.dumps(answer), flush=True)


asyncio.run(main())
