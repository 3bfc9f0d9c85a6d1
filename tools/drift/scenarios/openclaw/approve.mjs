// Answers the gateway's questions as an operator does in the web page: the terminal
// shows none. node approve.mjs PORT TOKEN DECISION, until it is ended.
const [port, token, decision] = process.argv.slice(2);
const socket = new WebSocket("ws://127.0.0.1:" + port);
let serial = 0;
const send = (method, params) => socket.send(JSON.stringify({ type: "req", id: String(++serial), method, params }));
socket.onmessage = (message) => {
  const frame = JSON.parse(message.data);
  if (frame.event === "connect.challenge") {
    send("connect", {
      minProtocol: 4, maxProtocol: 4, role: "operator", scopes: ["operator.read", "operator.write", "operator.approvals", "operator.admin"],
      caps: ["approvals", "exec-approvals"], commands: [], permissions: {}, auth: { token }, locale: "en-US", userAgent: "drift/1",
      client: { id: "gateway-client", version: "1.0.0", platform: process.platform, mode: "backend" },
    });
  }
  if (frame.type === "res") console.log(frame.ok ? "ok" : JSON.stringify(frame.error));
  if (frame.event === "exec.approval.requested") {
    console.log("asked", frame.payload.id);
    setTimeout(() => send("exec.approval.resolve", { id: frame.payload.id, decision }), 1000);
  }
};
