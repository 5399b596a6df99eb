import { allFolded, aspectFolded, codeCopied, copied, folded } from "../chat/actions.js";
import { beginSearch, nextHit as nextInChat } from "../chat/search.js";
import { LOG_VIEW_KEYS, logEnd, logEndable } from "../logs/keys.js";
import { followLog } from "../logs/source.js";
import { type Binding, type State, showMessage, type Updated } from "../model/state.js";
import { comment, toCard } from "./card.js";
import { selectedRun } from "./list.js";
import { nextRun, openListLine, refilter, withList } from "./list-move.js";
import { closeRun, infoOf, openRun } from "./open.js";
import type { Aspect, RunRow } from "./state.js";
import { askStop } from "./stop.js";
import { inTranscript, transcriptMoved } from "./transcript.js";

type Act = (state: State) => Updated;
type Modes = Readonly<Partial<Record<"list" | Aspect, Act>>>;

const nothing: Act = (state) => [showMessage(state, "nothing to do here"), []];

/** What a key does in the list, and in each way to look at a run. */
const by =
  (modes: Modes): Act =>
  (state) =>
    (modes[state.runs.opened?.aspect ?? "list"] ?? nothing)(state);

/** The same key of a log. */
const inLog = (id: string): Act => LOG_VIEW_KEYS.find(([name]) => name === id)?.[3] ?? nothing;

const withRow =
  (act: (state: State, row: RunRow) => Updated): Act =>
  (state) => {
    const row = selectedRun(state);
    return row === undefined ? [showMessage(state, "no run selected"), []] : act(state, row);
  };

const mark = withRow((state, { id }) => {
  const marked = new Set(state.runs.marked);
  if (!marked.delete(id)) marked.add(id);
  return [withList(state, { marked }), []];
});
const markAll: Act = (state) => [withList(state, { marked: new Set(state.runs.shown.map(({ id }) => id)) }), []];
const markNone: Act = (state) => [withList(state, { marked: new Set() }), []];

const copy = withRow((state, { kind, task, title }) => [state, [{ do: "copy", text: `${task ?? kind} ${title}` }]]);
const copyId = withRow((state, { task, session, id }) => {
  const text = task ?? session ?? id;
  return [state, [{ do: "copy", text, what: text }]];
});

/** Asked again: what is looked at. */
const again: Modes = {
  list: (state) => [state, [{ do: "reload" }]],
  log: (state) =>
    state.runs.opened?.log === undefined ? [state, []] : followLog(state, "run", state.runs.opened.log.filter),
  information: (state) => (state.runs.opened === undefined ? [state, []] : [state, [infoOf(state.runs.opened.id)]]),
  transcript: withRow((state, { id, session }) =>
    session === undefined ? [state, []] : [state, [{ do: "run.follow", id, session }]],
  ),
};

const fold = inTranscript(folded);
const output = inTranscript(aspectFolded("output", ({ kind }) => kind === "tool", "no output here"));
const difference = inTranscript(
  aspectFolded("diff", (item) => item.kind === "tool" && item.result?.diff !== undefined, "no difference here"),
);
const atEnd: Act = (state) => [transcriptMoved(state, "last"), []];

type Row = readonly [id: string, keys: readonly string[], label: string, act: Act, hint?: string];

const ROWS: readonly Row[] = [
  ["open", ["enter"], "open", by({ list: openRun(), transcript: fold, log: inLog("record") }), "Enter open"],
  ["transcript", ["t"], "transcript", openRun("transcript"), "t transcript"],
  ["log", ["l"], "log", openRun("log"), "l log"],
  ["information", ["I"], "information", openRun("information"), "I info"],
  ["stop", ["X"], "stop (asks)", askStop, "X stop"],
  ["comment", ["c"], "comment on the task", comment],
  ["card", ["b"], "go to the card", toCard, "b card"],
  ["all", ["v"], "active only or all", (state) => [refilter(state, { ended: !state.runs.ended }), []], "v all"],
  ["follow", ["F"], "follow on or off", by({ log: inLog("follow"), transcript: atEnd })],
  ["mark", ["space", " "], "mark for a bulk action; fold", by({ list: mark, transcript: fold })],
  ["markAll", ["*"], "mark all shown", by({ list: markAll })],
  ["markNone", ["-"], "mark none", by({ list: markNone })],
  [
    "search",
    ["/"],
    "search",
    by({ list: (state) => openListLine(state, "search"), log: inLog("search"), transcript: inTranscript(beginSearch) }),
  ],
  [
    "next",
    ["n"],
    "next match",
    by({ list: (state) => nextRun(state, 1), log: inLog("next"), transcript: inTranscript(nextInChat(-1)) }),
  ],
  [
    "prev",
    ["N"],
    "previous match",
    by({ list: (state) => nextRun(state, -1), log: inLog("prev"), transcript: inTranscript(nextInChat(1)) }),
  ],
  ["filter", ["f"], "filter", by({ list: (state) => openListLine(state, "filter"), log: inLog("filter") })],
  ["copy", ["y"], "copy", by({ list: copy, information: copy, log: inLog("copy"), transcript: inTranscript(copied) })],
  [
    "copyId",
    ["Y"],
    "copy the id, the record, the code",
    by({ list: copyId, log: inLog("copyFields"), transcript: inTranscript(codeCopied) }),
  ],
  ["wrap", ["w"], "wrap the lines of the log", by({ log: inLog("wrap") })],
  ["fold", ["e"], "fold or unfold the whole transcript", by({ transcript: inTranscript(allFolded) })],
  ["output", ["o"], "full output in the transcript", by({ transcript: output })],
  ["diff", ["d"], "diff in the transcript", by({ transcript: difference })],
  ["refresh", ["r"], "refresh", by(again)],
];

/** What Escape ends, the nearest first; with nothing of it the focus goes to the composer. */
const endable = ({ runs }: State): boolean =>
  runs.opened !== undefined || runs.search !== "" || runs.filter !== "" || runs.marked.size > 0;

const end: Act = (state) => {
  const { runs } = state;
  if (runs.opened?.aspect === "log" && logEndable(state)) return logEnd(state);
  if (runs.opened?.aspect === "transcript" && runs.opened.chat?.search !== undefined) {
    const { opened } = runs;
    return [withList(state, { opened: { ...opened, chat: { ...runs.opened.chat, search: undefined } } }), []];
  }
  if (runs.opened !== undefined) return closeRun(state);
  if (runs.search !== "") return [withList(state, { search: "" }), []];
  if (runs.filter !== "") return [refilter(state, { filter: "" }), []];
  return markNone(state);
};

/** Keys of the pane of runs (workspace part, 3.2). */
export const RUNS_KEYS: readonly Binding[] = [
  ...ROWS.map(
    ([id, keys, label, act, hint]): Binding => ({
      id: `runs.${id}`,
      context: "runs",
      keys,
      label,
      act,
      ...(hint === undefined ? {} : { hint }),
    }),
  ),
  {
    id: "runs.end",
    context: "runs",
    keys: ["escape"],
    label: "back, clear",
    hint: "Esc back",
    when: endable,
    act: end,
  },
];
