// Diurna's plugin for opencode: the brief of this project's memory stands in the system prompt.
// `diurna uninstall opencode` takes it away; DIURNA_HOOKS=off silences it.
import { spawn } from "node:child_process"

const EVENT = "experimental.chat.system.transform"

const ask = (cwd, session) =>
  new Promise((resolve) => {
    const child = spawn("diurna", ["hook", "opencode", EVENT], { cwd, timeout: 5000 })
    let said = ""
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (part) => (said += part))
    child.stderr.resume()
    child.on("close", () => {
      try {
        resolve(JSON.parse(said).additionalContext ?? "")
      } catch {
        resolve("")
      }
    })
    child.stdin.end(JSON.stringify({ cwd, session_id: session }))
  })

export const Diurna = async ({ directory }) => {
  const told = new Map() // one text a session: a prompt that stays the same is cached by the provider
  return {
    event: async ({ event }) => {
      if (event.type === "session.compacted") told.delete(event.properties?.sessionID)
    },
    [EVENT]: async (input, output) => {
      if (!told.has(input.sessionID)) told.set(input.sessionID, ask(directory, input.sessionID))
      const text = await told.get(input.sessionID)
      if (text) output.system.push(text)
    },
  }
}
