// A client of the TypeScript SDK that does what the lines of its standard input say.
//
//	node client.mjs SERVER MODE
//
// SERVER and the lines are those of client.py. MODE is auto or legacy for the SDK's
// second line, and first for its first.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const server = JSON.parse(process.argv[2]);
const mode = process.argv[3];
const first = mode === 'first';

// The packages lie in the folder that this runs in, not beside this file.
const require = createRequire(pathToFileURL(process.cwd() + '/'));
const load = name => import(pathToFileURL(require.resolve(name)));
const name = first ? '@modelcontextprotocol/sdk/client/' : '@modelcontextprotocol/client';
const { Client, StreamableHTTPClientTransport: HTTP } = first
	? { ...(await load(name + 'index.js')), ...(await load(name + 'streamableHttp.js')) }
	: await load(name);
const { StdioClientTransport: Stdio } = await load(first ? name + 'stdio.js' : name + '/stdio');

const options = first ? {} : { versionNegotiation: { mode } };
const client = new Client({ name: 'hindsql-e2e', version: '1' }, options);
const transport = server.url
	? new HTTP(new URL(server.url), { requestInit: { headers: { Authorization: 'Bearer ' + server.token } } })
	: new Stdio({ ...server, env: { ...process.env, ...server.env }, stderr: 'inherit' });
let negotiated = '';
if (first) { // this line of the SDK tells the transport only
	const tell = transport.setProtocolVersion?.bind(transport);
	transport.setProtocolVersion = version => { negotiated = version; tell?.(version); };
}
await client.connect(transport);

// whole is all pages of a list.
async function whole(list, field) {
	let items = [], pages = 0, cursor;
	do {
		const page = await list(cursor === undefined ? undefined : { cursor });
		items = items.concat(page[field]);
		pages++;
		cursor = page.nextCursor;
	} while (cursor);
	return { items, pages };
}

async function call(line) {
	const progress = [];
	const giveUp = new AbortController();
	const request = { signal: giveUp.signal, timeout: 120_000 };
	if (line.progress) {
		request.onprogress = p => progress.push({ done: p.progress, total: p.total ?? null, message: p.message ?? null });
	}
	if (line.cancel_after) {
		setTimeout(() => giveUp.abort('given up'), line.cancel_after * 1000);
	}
	try {
		const params = { name: line.name, arguments: line.arguments ?? {} };
		const result = await (first ? client.callTool(params, undefined, request) : client.callTool(params, request));
		return { ...result, progress };
	} catch (e) {
		if (!giveUp.signal.aborted) throw e;
		return { cancelled: true, progress };
	}
}

const ops = {
	hello: async () => ({
		protocol: first ? negotiated : client.getNegotiatedProtocolVersion(),
		server: client.getServerVersion(),
		instructions: client.getInstructions(),
		capabilities: client.getServerCapabilities(),
	}),
	tools: () => whole(p => client.listTools(p), 'tools'),
	resources: () => whole(p => client.listResources(p), 'resources'),
	templates: () => whole(p => client.listResourceTemplates(p), 'resourceTemplates'),
	prompts: () => whole(p => client.listPrompts(p), 'prompts'),
	call,
	read: line => client.readResource({ uri: line.uri }),
	prompt: line => client.getPrompt({ name: line.name, arguments: line.arguments ?? {} }),
};

for await (const text of createInterface({ input: process.stdin })) {
	let answer;
	try {
		const line = JSON.parse(text);
		answer = { ok: await ops[line.op](line) };
	} catch (e) {
		answer = { error: { code: e.code ?? 0, message: e.message, data: e.data ?? null } };
	}
	console.log(JSON.stringify(answer));
}
await client.close();
process.exit(0);
