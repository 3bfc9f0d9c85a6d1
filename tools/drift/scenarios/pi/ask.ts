// Asks before each command, as extensions of users do: once, for this session, no, or
// no with a reason.
export default function (pi) {
  const granted = new Set();
  pi.on("tool_call", async (event, ctx) => {
    if (event.toolName !== "bash" || granted.has(event.input.command)) return;
    const choice = await ctx.ui.select("Run " + event.input.command + "?", ["Once", "This session", "No", "No, and say why"]);
    if (choice === "Once") return;
    if (choice === "This session") {
      granted.add(event.input.command);
      return;
    }
    if (choice !== "No, and say why") return { block: true, reason: "Blocked by user" };
    return { block: true, reason: "Denied by user: " + (await ctx.ui.input("Why not?")) };
  });
}
