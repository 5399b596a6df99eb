import { age } from "../draw/ages.js";
import { spinner } from "../draw/glyphs.js";
import { bold, THEME } from "../draw/theme.js";
import { truncateToWidth } from "../draw/width.js";
import { PANE_DEFINITIONS } from "../index.gen.js";
import { retryCount } from "../model/data.js";
import { PANES } from "../model/panes.gen.js";
import type { State } from "../model/state.js";
import { servingModel } from "../start/serving.js";
import type { Field } from "./field.js";

/** Longest names in the line; what runs is shown in full in its pane. */
const CALL_CELLS = 24;
const DETAIL_CELLS = 40;
const PHASE_CELLS = 14;
/** A model that thinks is silent for some seconds in every turn. */
const SILENCE_MS = 10_000;
const TITLE_CELLS = 40;

const one = (style: number, text: string): Field => ({ spans: [[style, text]] });
const some = (shown: boolean, style: number, text: string): readonly Field[] => (shown ? [one(style, text)] : []);

/** Every field that has something to say, in the order of workspace part 8. */
export const fieldsOf = (state: State): readonly Field[] => [
  phase(state),
  ...turnTime(state),
  ...context(state),
  ...queue(state),
  ...question(state),
  ...tokens(state),
  ...cost(state),
  ...PANES.flatMap((pane) => PANE_DEFINITIONS[pane].status?.(state) ?? []),
  ...goal(state),
  ...model(state),
  ...voiceField(state),
  ...flags(state),
  ...place(state),
];

/** It has a fixed width while it changes, so that nothing beside it moves. */
function phase(state: State): Field {
  const { session, connection, lostAt, now } = state;
  if (connection === "lost") return one(bold(THEME.error), `disconnected ${age(now - (lostAt ?? now))}`);
  const doing = doingNow(state);
  if (doing === undefined) return one(THEME.status, "idle");
  const stands = session.turnSince !== undefined && state.questions.open.length > 0;
  const sign = stands ? "?" : spinner(state);
  return one(stands || doing.warns ? THEME.warn : THEME.accent, `${sign} ${doing.text}`.padEnd(PHASE_CELLS));
}

function doingNow(state: State): { readonly text: string; readonly warns?: boolean } | undefined {
  const { session, questions, status, now } = state;
  if (session.turnSince === undefined) return session.phase === "compacting" ? { text: "compacting" } : undefined;
  if (session.phase === "interrupting") return { text: "interrupting", warns: true };
  const [asked] = questions.open;
  if (asked !== undefined) return { text: asked.kind === "approval" ? "approval" : "question" };
  if (status.retry !== undefined) return { text: retryText(status.retry, now), warns: true };
  const [call, ...more] = status.calls;
  const silence = silenceText(state);
  if (call === undefined) return { text: `${truncateToWidth(session.phase, DETAIL_CELLS)}${silence}` };
  const others = more.length === 0 ? "" : ` +${more.length}`;
  return { text: `${truncateToWidth(call.name, CALL_CELLS)}${others} ${age(now - call.since).padStart(4)}${silence}` };
}

/** Silence of a program is not a failure, however long (extensions part, 8.9): its length is shown. */
function silenceText({ session, now }: State): string {
  const ms = now - session.heardAt;
  return session.program === "" || ms < SILENCE_MS ? "" : ` (last event ${age(ms)} ago)`;
}

function retryText({ attempt, of, until, cause }: NonNullable<State["status"]["retry"]>, now: number): string {
  const wait = until > now ? ` in ${Math.ceil((until - now) / 1000)} s` : "";
  return `${retryCount(attempt, of)}${wait}${cause === "" ? "" : `: ${truncateToWidth(cause, CALL_CELLS)}`}`;
}

/** It stands still while the user is asked. */
function turnTime({ session, status, now }: State): readonly Field[] {
  if (session.turnSince === undefined) return [];
  const ms = (status.waitsSince ?? now) - session.turnSince - status.waited;
  return [one(THEME.status, clock(ms).padStart(5))];
}

/** Coloured by how near compaction is. */
function context({ status }: State): readonly Field[] {
  const { prompt, window, trigger } = status.context;
  if (window === 0 || prompt === 0) return [];
  const near = prompt / (trigger === 0 ? window : trigger);
  const style = near < 0.7 ? THEME.status : near < 0.85 ? THEME.warn : near < 1 ? THEME.error : THEME.badge;
  const percent = `${String(Math.round((prompt / window) * 100)).padStart(2)}%`;
  const at = trigger === 0 ? "" : ` (compact ${Math.round((trigger / window) * 100)}%)`;
  return [
    {
      spans: [
        [style, `${rounded(prompt)}/${rounded(window)} ${percent}`],
        [THEME.dim, at],
      ],
      brief: [[style, percent]],
    },
  ];
}

function queue({ queue: { local, waiting, paused } }: State): readonly Field[] {
  const count = local.length + waiting.length;
  if (count === 0) return [];
  return [one(paused ? THEME.warn : THEME.status, paused ? `queue ${count} paused` : `queue ${count}`)];
}

function question({ questions: { open, elsewhere } }: State): readonly Field[] {
  const own = open.length === 0 ? "" : `${open.length} ${open.length === 1 ? "question" : "questions"}`;
  const others = elsewhere.length === 0 ? "" : `${own === "" ? "" : " +"}${elsewhere.length} elsewhere`;
  const text = `${own}${others}`;
  return text === "" ? [] : [one(THEME.badge, `! ${text}`)];
}

function tokens({ status: { used } }: State): readonly Field[] {
  if (used.input + used.output === 0) return [];
  const cached = used.cached === 0 ? "" : ` (${Math.round((used.cached / Math.max(1, used.input)) * 100)}% cached)`;
  return [
    {
      spans: [
        [THEME.status, `↑${short(used.input)}`],
        [THEME.dim, cached],
        [THEME.status, ` ↓${short(used.output)}`],
      ],
    },
  ];
}

function cost({ status, display }: State): readonly Field[] {
  if (!display.showCost || status.cost === undefined || status.free === true) return [];
  if (status.cost === null) return some(status.free === false, THEME.status, "$?");
  return [one(THEME.status, status.cost > 0 && status.cost < 0.01 ? "<$0.01" : `$${status.cost.toFixed(2)}`)];
}

function goal({ status }: State): readonly Field[] {
  if (status.goal === undefined || status.goal.status === "done") return [];
  const { turns, most } = status.goal;
  return [
    status.goal.status === "paused" ? one(THEME.warn, "goal paused") : one(THEME.status, `goal ${turns}/${most}`),
  ];
}

function model(state: State): readonly Field[] {
  const { status } = state;
  const [first = "", ...rest] = servingModel(state).split(" ");
  const offline = first === "offline";
  const name = offline ? "offline" : ((rest.at(-1) ?? first).split("/").at(-1) ?? "");
  if (name === "") return [];
  const how = offline ? "" : `${status.effort === "" ? "" : ` ${status.effort}`}${status.fast ? " fast" : ""}`;
  return [one(status.fallback ? THEME.warn : THEME.status, `${name}${how}${status.fallback ? " (fallback)" : ""}`)];
}

/** That nothing is asked about any more must not be overlooked. */
const flags = ({ session, owner, status, display }: State): readonly Field[] => [
  ...(session.yolo ? [{ spans: [[THEME.badge, "YOLO"]], kept: true } satisfies Field] : []),
  ...some(!owner, THEME.status, "attached"),
  ...some(status.ephemeral, THEME.status, "ephemeral"),
  ...some(display.mouse, THEME.status, "mouse"),
];

function place({ status, session }: State): readonly Field[] {
  const where = [status.branch, status.directory].filter((part) => part !== "").join(" ");
  return [
    ...some(where !== "", THEME.dim, where),
    ...some(session.title !== "", THEME.dim, truncateToWidth(session.title, TITLE_CELLS)),
  ];
}

/** Tokens: `940`, `1.1k`, `14.2k`, `128k`, `1.3M`. */
export function short(count: number): string {
  if (count < 1000) return String(count);
  if (count < 99_950) return `${(count / 1000).toFixed(1)}k`;
  return count < 999_500 ? `${Math.round(count / 1000)}k` : `${(count / 1e6).toFixed(1)}M`;
}

const rounded = (count: number): string =>
  count < 1000 ? String(count) : count < 999_500 ? `${Math.round(count / 1000)}k` : short(count);

const METER_CELLS = 8;

/** Voice in the status line: what it does, or that it is on. */
function voiceField({ voice, display }: State): readonly Field[] {
  const { mode } = display.voice;
  switch (voice.doing) {
    case "recording": {
      const full = Math.min(METER_CELLS, Math.ceil(voice.level * METER_CELLS));
      const meter = `[${"#".repeat(full)}${" ".repeat(METER_CELLS - full)}]`;
      return [{ spans: [[THEME.error, `rec ${clock(voice.ms)} ${meter}`]], kept: true }];
    }
    case "transcribing":
    case "speaking":
      return [{ spans: [[THEME.accent, voice.doing]], kept: true }];
    default:
      return mode === "off" ? [] : [{ spans: [[THEME.status, mode === "tts" ? "voice tts" : "voice"]] }];
  }
}

/** `0:41`, `1:02:03`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const two = (value: number) => String(value).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
