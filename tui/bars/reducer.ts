import { sanitizeLine } from "../draw/sanitize.js";
import { type Data, number, text } from "../model/data.js";
import type { Effect, Message } from "../model/messages.js";
import type { Reducer, State } from "../model/state.js";
import { NO_STATUS, type StatusState } from "./state.js";

/** What the status line shows. Stands behind the room of questions: a turn that waits for the user takes no time. */
export const statusReducer: Reducer = (state, message) => {
  const status = { ...state.status, ...changed(state, message) };
  return [{ ...state, status: waiting(state, status) }, asks(state, message)];
};

function changed(state: State, message: Message): Partial<StatusState> {
  const { status } = state;
  switch (message.type) {
    case "session":
      // The room of the session stands before: what it showed until now is not known here.
      return message.fresh === true ? { ...NO_STATUS, off: status.off } : {};
    case "view":
      return viewed(status, record(message.view["session"]));
    case "chat":
      return event(state, message.event, message.data);
    case "next":
      return shownOrNot(status, message.next.screen?.statusbar);
    case "called":
      return message.ok ? answered(status, message.to, record(message.result)) : {};
    default:
      return {};
  }
}

const shownOrNot = ({ off }: StatusState, wanted: "on" | "off" | "toggle" | undefined): Partial<StatusState> =>
  wanted === undefined ? {} : { off: wanted === "toggle" ? !off : wanted === "off" };

function event({ status, now }: State, name: string, data: Data): Partial<StatusState> {
  switch (name) {
    case "turn.started":
      return { calls: [], retry: undefined, waited: 0, waitsSince: undefined, used: NO_STATUS.used, fallback: false };
    case "turn.ended":
      return { calls: [], retry: undefined, ...ended(status, data) };
    case "tool.started":
      return {
        retry: undefined,
        calls: [...status.calls, { id: text(data, "call_id"), name: nameOf(data), since: now }],
      };
    case "tool.ended":
      return { calls: status.calls.filter((one) => one.id !== text(data, "call_id")) };
    case "approval.requested":
      return {
        calls: status.calls.map((one) =>
          one.id === text(data, "call_id") ? { ...one, asks: text(data, "request") } : one,
        ),
      };
    case "approval.resolved":
      return {
        calls: status.calls.map((one) =>
          one.asks === text(data, "request") ? { ...one, asks: undefined, since: now } : one,
        ),
      };
    case "retry":
      return { retry: retried(now, data) };
    case "text.delta":
    case "reasoning.delta":
      return status.retry === undefined ? {} : { retry: undefined };
    case "usage":
      return used(status, data);
    case "fallback":
      return { fallback: true };
    case "goal.changed":
      return { goal: goalOf(data) };
    case "compaction.started":
      return { context: { ...status.context, window: number(data, "window"), trigger: number(data, "trigger") } };
    default:
      return {};
  }
}

/** A command is shown by its line, everything else by its name. */
function nameOf(data: Data): string {
  const name = text(data, "name");
  return sanitizeLine(name === "terminal" ? text(data, "preview") || name : name);
}

const retried = (now: number, data: Data): StatusState["retry"] => ({
  attempt: number(data, "attempt"),
  of: number(data, "of"),
  until: now + number(data, "wait_ms"),
  cause: sanitizeLine(text(data, "cause")),
});

function ended(status: StatusState, data: Data): Partial<StatusState> {
  const window = number(data, "context_window");
  const prompt = number(data, "last_prompt_tokens");
  const same = window === 0 || window === status.context.window;
  return {
    context: same ? { ...status.context, ...(prompt === 0 ? {} : { prompt }) } : { prompt, window, trigger: 0 },
    free: isFree(text(data, "provider"), text(data, "base_url")),
  };
}

/** The stand-in, and servers of this machine or its network. */
function isFree(provider: string, url: string): boolean {
  const host = /^[a-z]+:\/\/(\[[^\]]+\]|[^:/]+)/i.exec(url)?.[1] ?? "";
  return (
    provider === "offline" ||
    /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[::1\]|\[f[cd])|\.(local|lan|internal)$/i.test(host)
  );
}

function used(status: StatusState, data: Data): Partial<StatusState> {
  const cached = number(data, "cache_read_tokens");
  const { used: before } = status;
  const cost = record(data["session"])["estimated_cost_usd"];
  return {
    retry: undefined,
    used: {
      input: before.input + number(data, "input_tokens") + cached + number(data, "cache_write_tokens"),
      cached: before.cached + cached,
      output: before.output + number(data, "output_tokens"),
    },
    context: { ...status.context, prompt: number(data, "last_prompt_tokens") },
    cost: typeof cost === "number" ? cost : null,
  };
}

/** The conversation as its record has it when this screen begins to look. */
function viewed(status: StatusState, session: Data): Partial<StatusState> {
  const cost = session["estimated_cost_usd"];
  const asked = number(session, "api_call_count") > 0;
  return {
    ephemeral: session["ephemeral"] === true,
    cost: typeof cost === "number" ? cost : asked ? null : status.cost,
    context: { ...status.context, prompt: number(session, "last_prompt_tokens") || status.context.prompt },
  };
}

function answered(status: StatusState, to: string, result: Data): Partial<StatusState> {
  if (to === "status.context")
    return { context: { ...status.context, window: number(result, "window"), trigger: number(result, "trigger") } };
  if (to !== "status.session") return {};
  return {
    effort: sanitizeLine(text(result, "effort")),
    fast: result["fast"] === true,
    ephemeral: result["ephemeral"] === true,
    directory: sanitizeLine(text(result, "directory")),
    branch: sanitizeLine(text(result, "branch")),
    goal: goalOf(record(result["goal"])),
  };
}

function goalOf(goal: Data): StatusState["goal"] {
  const status = text(goal, "status");
  return status === "" ? undefined : { status, turns: number(goal, "turns_used"), most: number(goal, "max_turns") };
}

/** The turn's time stands still while the user is asked. */
function waiting({ session, questions, now }: State, status: StatusState): StatusState {
  const waits = session.turnSince !== undefined && questions.open.length > 0;
  if (waits === (status.waitsSince !== undefined)) return status;
  const { waitsSince } = status;
  return {
    ...status,
    waited: status.waited + (waitsSince === undefined ? 0 : now - waitsSince),
    waitsSince: waits ? now : undefined,
  };
}

/** What no event tells is asked for when it may have changed. */
function asks({ session, status }: State, message: Message): readonly Effect[] {
  if (session.id === undefined) return [];
  const asked = { do: "call", params: { session_id: session.id }, reads: true } as const;
  const place: Effect = { ...asked, method: "session.status", to: "status.session" };
  const size: Effect = { ...asked, method: "session.context", to: "status.context" };
  if (message.type === "view")
    return number(record(message.view["session"]), "last_prompt_tokens") > 0 ? [place, size] : [place];
  if (message.type === "command" && !message.failed) return [place];
  if (message.type !== "chat" || message.event !== "turn.ended") return [];
  return status.context.trigger === 0 || number(message.data, "context_window") !== status.context.window
    ? [place, size]
    : [place];
}

const record = (value: unknown): Data => (typeof value === "object" && value !== null ? { ...value } : {});
