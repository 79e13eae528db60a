// Diurna's plugin for opencode: it hands what happens in a session to `diurna hook`, and what that
// answers to the model. `diurna install --remove opencode` takes it away; DIURNA_HOOKS=off silences it.
import { spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

const START = "experimental.chat.system.transform"
const COMPACTING = "experimental.session.compacting"
// tools that change something or read a file: searching asks nobody
const ASKING = new Set(["bash", "edit", "multiedit", "write", "patch", "apply_patch", "todowrite", "read"])

const ask = (event, said) =>
  new Promise((resolve) => {
    const child = spawn("diurna", ["hook", "opencode", event], { cwd: said.cwd, timeout: 5000 })
    let answer = ""
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (part) => (answer += part))
    child.stderr.resume()
    child.on("close", () => {
      try {
        resolve(JSON.parse(answer).additionalContext ?? "")
      } catch {
        resolve("")
      }
    })
    child.stdin.end(JSON.stringify(said))
  })

const isHere = () =>
  (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      return folder && (accessSync(join(folder, "diurna"), constants.X_OK), true)
    } catch {
      return false
    }
  })

export const Diurna = async ({ directory }) => {
  const told = new Map() // one text a session: a prompt that stays the same is cached by the provider
  const compacted = new Set()
  const last = new Map()
  const titles = new Map()
  const said = new Map() // what was said since it was handed over last: no file of opencode's has it
  const children = new Set() // what asks a subagent is an agent
  const note = (session, id, role, parts) => {
    if (!said.has(session)) said.set(session, [])
    said.get(session).push({ info: { id, role, time: { created: Date.now() } }, parts })
  }
  const handed = (session) => {
    const messages = said.get(session) ?? []
    said.delete(session)
    return { tool_input: { messages } }
  }
  const of = (session, more) => ({ cwd: directory, session_id: session, ...more })
  return {
    // a server that can not start is shown as a failure to whoever has no `diurna`
    config: async ({ mcp }) => {
      if (mcp?.diurna && !isHere()) mcp.diurna.enabled = false
    },
    event: async ({ event }) => {
      const session = event.properties?.sessionID
      if (event.type === "session.compacted") {
        told.delete(session)
        compacted.add(session)
      }
      if (event.type === "session.created" && event.properties.info?.parentID)
        children.add(event.properties.info.id)
      const title = event.type === "session.updated" && event.properties.info?.title
      if (title && !title.startsWith("New session - ") && titles.get(session) !== title) {
        titles.set(session, title)
        note(session, "title", "host", [{ type: "text", text: title }])
      }
      if (event.properties?.error?.name === "MessageAbortedError")
        note(session, "aborted", "host", [])
      if (event.type === "session.idle") {
        const more = { last_assistant_message: last.get(session) ?? "", ...handed(session) }
        await ask("session.idle", of(session, more))
      }
    },
    [START]: async (input, output) => {
      const session = input.sessionID
      if (!told.has(session)) {
        const source = compacted.delete(session) ? "compact" : "startup"
        told.set(session, ask(START, of(session, { source })))
      }
      const text = await told.get(session)
      if (text) output.system.push(text)
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const prompt = parts.filter((one) => one.type === "text" && !one.synthetic).map((one) => one.text)
      const role = children.has(sessionID) ? "assistant" : "user"
      note(sessionID, message.id, role, prompt.map((text) => ({ type: "text", text })))
      const text = await ask("chat.message", of(sessionID, { prompt: prompt.join("\n") }))
      const ours = { id: `prt_diurna${Date.now()}`, sessionID, messageID: message.id, synthetic: true }
      if (text) parts.push({ ...ours, type: "text", text })
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      const { exit, answers } = output.metadata ?? {}
      const input = JSON.stringify(args ?? {}).length > 4000 ? { command: args.command?.slice(0, 4000) } : args
      const state = { input, output: String(output.output ?? "").slice(0, 4000), metadata: { exit, answers } }
      note(sessionID, callID, "assistant", [{ type: "tool", tool, state }])
      if (!ASKING.has(tool)) return
      const answer = { output: String(output.output ?? "").slice(0, 20000), ...(exit === undefined ? {} : { exit }) }
      const call = { tool_name: tool, tool_input: args, tool_response: answer, tool_use_id: callID }
      const text = await ask("tool.execute.after", of(sessionID, call))
      if (text) output.output += `\n\n${text}`
    },
    [COMPACTING]: async ({ sessionID }, output) => {
      const text = await ask(COMPACTING, of(sessionID, { trigger: "auto", ...handed(sessionID) }))
      if (text) output.context.push(text)
    },
    "experimental.text.complete": async ({ sessionID, partID }, { text }) => {
      last.set(sessionID, text)
      note(sessionID, partID, "assistant", [{ type: "text", text }])
    },
    // what the agent records by itself belongs to this session
    "shell.env": async ({ sessionID }, output) => {
      if (sessionID) output.env.DIURNA_SESSION = sessionID
    },
  }
}
