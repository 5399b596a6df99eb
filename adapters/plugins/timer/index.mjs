// An example of a plugin: three tools, a slash command, a command of the command line, a hook, settings, a log, data, messages, a dashboard tab.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MOST_TIMERS = 100;
const LONGEST_MINUTES = 30 * 24 * 60;
/** A timer that was due while the program was not running waits so long, so that short commands do not fire it. */
const SOONEST_MS = 5_000;
/** Timers of the engine hold at most 2^31 milliseconds. */
const LONGEST_WAIT_MS = 2_000_000_000;

export function register(ctx) {
  const store = openStore(ctx.home);
  const waiting = new Map();

  const arm = (timer) => {
    const wait = Math.min(Math.max(timer.due - Date.now(), SOONEST_MS), LONGEST_WAIT_MS);
    const handle = setTimeout(() => (timer.due > Date.now() ? arm(timer) : fire(timer)), wait);
    handle.unref();
    waiting.set(timer.id, handle);
  };
  const fire = async (timer) => {
    drop(timer.id);
    try {
      const told = await ctx.injectMessage(`Timer ${timer.id} is over: ${timer.note}`, "system", {
        sessionId: timer.session,
      });
      ctx.log.info(told ? `timer ${timer.id} fired` : `timer ${timer.id} fired; its conversation is gone`);
    } catch (error) {
      ctx.log.warning(`timer ${timer.id} could not be delivered: ${error.message}`);
    }
  };
  const drop = (id) => {
    clearTimeout(waiting.get(id));
    waiting.delete(id);
    return store.remove(id);
  };
  const set = (session, minutes = ctx.config?.default_minutes ?? 10, note = "") => {
    if (!(minutes > 0 && minutes <= LONGEST_MINUTES))
      throw new Error(`minutes must be above 0 and at most ${LONGEST_MINUTES}`);
    if (store.all().length >= MOST_TIMERS) throw new Error(`at most ${MOST_TIMERS} timers; cancel one first`);
    const timer = store.add({ session, due: Date.now() + minutes * 60_000, note: note || "time is up" });
    arm(timer);
    return timer;
  };
  const list = (session) => store.all().filter((timer) => session === undefined || timer.session === session);

  ctx.registerTool({
    name: "timer_set",
    description: "Set a timer. When it is over, this conversation gets a message with the note. It survives a restart.",
    risk: "read",
    schema: {
      type: "object",
      properties: {
        minutes: { type: "number", description: "Minutes from now; fractions are fine." },
        note: { type: "string", description: "What to be reminded of." },
      },
      required: ["minutes"],
    },
    handler: ({ minutes, note }, call) => shown(set(call.sessionId, minutes, note)),
  });
  ctx.registerTool({
    name: "timer_list",
    description: "List the timers of this conversation.",
    risk: "read",
    schema: { type: "object", properties: {} },
    handler: (_args, call) => ({ timers: list(call.sessionId).map(shown) }),
  });
  ctx.registerTool({
    name: "timer_cancel",
    description: "Cancel a timer of this conversation by its id.",
    risk: "read",
    schema: { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
    handler: ({ id }, call) =>
      list(call.sessionId).some((timer) => timer.id === id) && drop(id)
        ? { cancelled: id }
        : { error: `no timer ${id}` },
  });

  ctx.registerCommand({
    name: "timer",
    description: "Set a timer, list them, or cancel one.",
    argsHint: "<minutes> [note] | list | cancel <id>",
    handler: (args, call) => {
      const [first = "list", ...rest] = args.split(/\s+/).filter(Boolean);
      if (first === "list") return lines(list(call.sessionId ?? undefined));
      if (first === "cancel")
        return drop(Number(rest[0])) ? `Cancelled timer ${rest[0]}.` : `There is no timer ${rest[0] ?? ""}.`;
      if (call.sessionId === null) return "Open a conversation first.";
      const timer = set(call.sessionId, Number(first), rest.join(" "));
      return { text: `Timer ${timer.id}: ${when(timer)}.`, data: shown(timer) };
    },
  });
  ctx.registerCliCommand({
    name: "timer",
    description: "List all timers, or cancel one: agent timer [cancel <id>].",
    handler: ({ _: [action, id] }) => {
      if (action === "cancel")
        return drop(Number(id)) ? `Cancelled timer ${id}.` : { text: `There is no timer ${id ?? ""}.`, exit: 1 };
      return { text: lines(list()), data: list().map(shown) };
    },
  });
  ctx.registerHook("on_session_finalize", ({ session_id }) => {
    for (const timer of list(session_id)) drop(timer.id);
  });

  for (const timer of store.all()) arm(timer);
  ctx.log.info(`${store.all().length} timers`);
  // Called when the plugin is disabled or replaced.
  return () => {
    for (const handle of waiting.values()) clearTimeout(handle);
  };
}

const when = ({ due }) => `over at ${new Date(due).toISOString()}`;
const shown = ({ id, due, note }) => ({ id, due: new Date(due).toISOString(), note });
const lines = (timers) =>
  timers.length === 0 ? "No timers." : timers.map((timer) => `${timer.id}  ${when(timer)}  ${timer.note}`).join("\n");

/** Timers in a file of the plugin, written whole and renamed. */
function openStore(dir) {
  const path = join(dir, "timers.json");
  const all = () => {
    try {
      return JSON.parse(readFileSync(path, "utf8"));
    } catch (error) {
      if (error.code === "ENOENT") return [];
      throw error;
    }
  };
  const save = (timers) => {
    mkdirSync(dir, { recursive: true });
    writeFileSync(`${path}.new`, JSON.stringify(timers), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  };
  return {
    all,
    add: (timer) => {
      const timers = all();
      const made = { id: Math.max(0, ...timers.map(({ id }) => id)) + 1, ...timer };
      save([...timers, made]);
      return made;
    },
    remove: (id) => {
      const timers = all();
      const rest = timers.filter((timer) => timer.id !== id);
      if (rest.length < timers.length) save(rest);
      return rest.length < timers.length;
    },
  };
}
