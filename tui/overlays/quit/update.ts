import { pushNote } from "../../chat/push.js";
import { sanitizeLine } from "../../draw/sanitize.js";
import { type Reducer, type State, showMessage, type Updated } from "../../model/state.js";
import type { ConfirmOverlay } from "../confirm/state.js";

const ASKER = "quit";
const ASKED = "quit.under_way";
const STOPPED = "quit.stopped";
const NAMES = 3;
const ANSWER_MS = 250; // an owner that is busy holds no one back

/** A text that is the command to leave. */
export const quits = (text: string): boolean => /^\s*\/(quit|exit)\s*$/.test(text);

/** Leave the screen. As the owner with work under way only after the user has decided about it. */
export function requestQuit(state: State): Updated {
  if (!state.owner || state.connection === "lost") return [state, [{ do: "leave", how: "stop" }]];
  return [state, [{ do: "call", method: "owner.under_way", params: {}, to: ASKED, reads: true, withinMs: ANSWER_MS }]];
}

/** The quit dialog: what goes on, and what happens to it. */
export const quitReducer: Reducer = (state, message) => {
  if (message.type === "called" && message.to === ASKED)
    return message.ok ? asked(state, message.result) : failed(state, message.message);
  if (message.type === "called" && message.to === STOPPED)
    return stopped(state, message.ok ? message.result : message.message);
  if (message.type === "confirmed" && message.asker === ASKER) return chosen(state, message.choice);
  return undefined;
};

/** A user who wants to leave is not held by an owner that cannot answer. */
const failed = (state: State, why: string): Updated => [
  showMessage(state, `failed to list running work: ${why}`, true),
  [{ do: "leave", how: "stop" }],
];

interface Work {
  readonly turns: readonly string[];
  readonly children: readonly string[];
  readonly processes: readonly string[];
  readonly workers: readonly string[];
}

function asked(state: State, result: unknown): Updated {
  const work = workOf(result);
  if (Object.values(work).every((names) => names.length === 0)) return [state, [{ do: "leave", how: "stop" }]];
  if (state.inline?.aloud === true) return askedAloud(state, work);
  return [{ ...state, overlay: dialog(work) }, []];
}

const ALOUD_MS = 10_000;

/** No dialog can be drawn: what runs is printed, and a second /quit means it. */
function askedAloud(state: State, work: Work): Updated {
  if (state.quitArmed !== undefined && state.quitArmed > state.now) return [state, [{ do: "leave", how: "stop" }]];
  const told = dialog(work).lines.slice(0, Object.values(work).filter((names) => names.length > 0).length);
  const text = ["Work is in progress:", ...told, "Type /quit again to stop it and quit."].join("\n");
  return [{ ...state, quitArmed: state.now + ALOUD_MS, chat: pushNote(state.chat, text) }, []];
}

function workOf(result: unknown): Work {
  const given = typeof result === "object" && result !== null ? (result as Readonly<Record<string, unknown>>) : {}; // an object that is not null
  const names = (key: string) => {
    const list = given[key];
    return Array.isArray(list) ? list.map((one: unknown) => sanitizeLine(String(one))) : [];
  };
  return {
    turns: names("turns"),
    children: names("children"),
    processes: names("processes"),
    workers: names("workers"),
  };
}

function dialog(work: Work): ConfirmOverlay {
  const cut = work.turns.length + work.children.length + work.processes.length;
  const workers = work.workers.length;
  const adopted = workers === 0 ? "" : ` The next owner adopts ${counted(workers, "board worker")}.`;
  return {
    kind: "confirm",
    asker: ASKER,
    title: "Work is in progress",
    lines: [
      ...line(work.turns, "turn"),
      ...line(work.children, "child", "children"),
      ...line(work.processes, "background process", "background processes"),
      ...line(work.workers, "board worker"),
      "",
      "d detaches; run agent in any terminal to return.",
      cut === 0 ? `s quits.${adopted}` : `s stops turns, children and background processes, and quits.${adopted}`,
      ...(workers === 0 ? [] : ["S stops the board workers too; their tasks are ready again."]),
    ],
    choices: [
      { name: "detach", label: "detach", key: "d" },
      { name: "stop", label: "stop and quit", key: "s" },
      ...(workers === 0 ? [] : [{ name: "stopAll", label: "stop workers too", key: "S" }]),
    ],
    at: 0,
    subject: {},
  };
}

const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

function line(names: readonly string[], one: string, many?: string): string[] {
  if (names.length === 0) return [];
  const more = names.length > NAMES ? `, and ${names.length - NAMES} more` : "";
  return [`${counted(names.length, one, many)}: ${names.slice(0, NAMES).join(", ")}${more}`];
}

function chosen(state: State, choice: string): Updated {
  if (choice === "detach") return [state, [{ do: "leave", how: "detach" }]];
  if (choice === "stop") return [state, [{ do: "leave", how: "stop" }]];
  return [
    showMessage(state, "stopping the board workers…"),
    [{ do: "call", method: "owner.stop_workers", params: {}, to: STOPPED }],
  ];
}

/** What could not be stopped is said, and nothing is left before the user has seen it. */
function stopped(state: State, result: unknown): Updated {
  if (typeof result === "string") return [showMessage(state, `failed to stop the workers: ${result}`, true), []];
  const { kept } = result as { kept?: readonly { task: string; why: string }[] }; // the owner's answer
  const [first] = kept ?? [];
  if (first !== undefined)
    return [showMessage(state, `${sanitizeLine(first.task)} is still running: ${sanitizeLine(first.why)}`, true), []];
  return [state, [{ do: "leave", how: "stop" }]];
}
