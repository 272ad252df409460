// gatilho's module for Amp, kept current by `gatilho init`: hands each event over, and acts on the answer.
import { spawn } from "node:child_process"

const COMMAND = "COMMAND"

export default function (amp) {
  const folder = () => {
    try { return amp.helpers.filePathFromURI(amp.system.workspaceRoot) } catch { return process.cwd() }
  }
  // A fault of the hook must not stop the agent: whatever goes wrong, the answer is empty.
  const ask = (hook, event, seconds) => new Promise((answer) => {
    try {
      const workspace = folder()
      const child = spawn("/bin/sh", ["-c", COMMAND], { cwd: workspace, timeout: seconds * 1000 })
      let said = ""
      child.stdout.on("data", (piece) => { said += piece })
      child.stdin.on("error", () => {})
      child.on("error", () => answer({}))
      child.on("close", () => { try { answer(said.trim() ? JSON.parse(said) : {}) } catch { answer({}) } })
      child.stdin.end(JSON.stringify({ hook, workspace, event }))
    } catch { answer({}) }
  })
  const show = async (ctx, text) => { try { if (text) await ctx.ui.notify(text) } catch {} }
  const agrees = async (ctx, message) => {
    try { return await ctx.ui.confirm({ title: "gatilho", message, confirmButtonText: "Allow" }) } catch { return false }
  }
  const briefings = {}
  amp.on("session.start", async ({ thread }, ctx) => {
    const { context, person } = await ask("session.start", { thread }, 10)
    if (thread && context) briefings[thread.id] = context
    await show(ctx, person)
  })
  amp.on("agent.start", async ({ thread, id, message }, ctx) => {
    const { context, person } = await ask("agent.start", { thread, id, message }, 10)
    await show(ctx, person)
    const texts = [thread && briefings[thread.id], context].filter(Boolean)
    if (thread) delete briefings[thread.id]
    if (texts.length) return { message: { content: texts.join("\n"), display: false } }
  })
  amp.on("tool.call", async ({ thread, toolUseID, tool, input }, ctx) => {
    const answer = await ask("tool.call", { thread, toolUseID, tool, input }, 10)
    const refused = answer.deny ?? (answer.ask && !(await agrees(ctx, answer.ask)) ? answer.ask : "")
    return refused ? { action: "reject-and-continue", message: refused } : { action: "allow" }
  })
  amp.on("tool.result", async ({ thread, toolUseID, tool, input, status, output, error }, ctx) => {
    const { context, person } = await ask("tool.result", { thread, toolUseID, tool, input, status }, 10)
    await show(ctx, person)
    if (!context) return
    const note = "\n" + context
    if (status === "error") return { status, error: (error ?? "") + note }
    if (typeof (output ?? "") === "string") return { status, output: (output ?? "") + note }
    if (Array.isArray(output)) return { status, output: [...output, { type: "text", text: context }] }
    return { status, output: JSON.stringify(output) + note }
  })
  amp.on("agent.end", async ({ thread, id, status }, ctx) => {
    await show(ctx, (await ask("agent.end", { thread, id, status }, 90)).person)
  })
}
