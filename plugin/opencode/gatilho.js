// gatilho's module for OpenCode, kept current by `gatilho init`: hands each event over, and acts on the answer.
import { spawn } from "node:child_process"

const COMMAND = "gatilho hook --host opencode; exit 0"

export const Gatilho = async ({ directory, worktree }) => {
  // A fault of the hook must not stop the agent: whatever goes wrong, the answer is empty.
  const ask = (hook, body, seconds) => new Promise((answer) => {
    try {
      const cwd = worktree && worktree !== "/" ? worktree : directory
      const child = spawn("/bin/sh", ["-c", COMMAND], { cwd, timeout: seconds * 1000 })
      let said = ""
      child.stdout.on("data", (piece) => { said += piece })
      child.stdin.on("error", () => {})
      child.on("error", () => answer({}))
      child.on("close", () => { try { answer(said.trim() ? JSON.parse(said) : {}) } catch { answer({}) } })
      child.stdin.end(JSON.stringify({ hook, directory, ...body }))
    } catch { answer({}) }
  })
  const briefings = {}
  return {
    "chat.message": async (input, output) => {
      const { context } = await ask("chat.message", { input, output }, 10)
      const texts = [briefings[input.sessionID], context].filter(Boolean)
      delete briefings[input.sessionID]
      const written = output.parts.find((part) => part.type === "text")
      if (written && texts.length) written.text += "\n\n" + texts.join("\n")
    },
    "tool.execute.before": async (input, output) => {
      const { deny } = await ask("tool.execute.before", { input, output }, 10)
      if (deny) throw new Error(deny)
    },
    "tool.execute.after": async (input, output) => {
      const { context } = await ask("tool.execute.after", { input, output: {} }, 10)
      if (context) output.output += "\n" + context
    },
    event: async ({ event }) => {
      if (!["session.created", "session.idle", "session.compacted", "session.deleted"].includes(event.type)) return
      const { context } = await ask("event", { event }, event.type === "session.idle" ? 90 : 10)
      if (context) briefings[event.properties.info?.id ?? event.properties.sessionID] = context
    },
  }
}
