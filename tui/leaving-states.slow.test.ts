import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openFixture, SILENT, type WorkspaceFixture } from "../fixtures/tui/workspace.js";

type Fixture = Awaited<ReturnType<typeof openFixture>>;

/** A state of the workspace: what the owner answers, and what leads to it. */
interface Case extends WorkspaceFixture {
  readonly enter?: (screen: Fixture) => Promise<void>;
}

const F1 = "\x1bOP";
const F2 = "\x1bOQ";
const F3 = "\x1bOR";
const F4 = "\x1bOS";
const F5 = "\x1b[15~";
const F8 = "\x1b[19~";
const ENTER = "\r";
const ESC = "\x1b";
const CTRL_C = "\x03";
const CTRL_D = "\x04";
const CTRL_K = "\x0b";
const CTRL_U = "\x15";

/** Press keys one after the other. */
const keys =
  (...pressed: readonly string[]) =>
  async (screen: Fixture): Promise<void> => {
    for (const one of pressed) {
      await screen.type(one);
      await screen.settle(60);
    }
  };
const slash = (line: string) => keys(line, ENTER, ENTER);
const told =
  (...events: readonly (readonly [event: string, data?: Record<string, unknown>])[]) =>
  async (screen: Fixture): Promise<void> => {
    for (const [event, data] of events) screen.tell("session:s", event, data ?? {});
    await screen.settle(60);
  };

const row = (id: string, more: object = {}) => ({
  id,
  kind: "task",
  title: "a job",
  profile: "default",
  state: "running",
  waits: false,
  activity: "",
  started_at: 0,
  ended_at: null,
  tokens: null,
  session: "s_run",
  task: { board: "default", id: "t_1", run: 1 },
  ...more,
});
const RUNS = { runs: [row("r_1"), row("r_2", { state: "done", ended_at: 5 })], at: 0 };
const CARD = {
  id: "t_1",
  title: "a card",
  status: "ready",
  priority: 0,
  assignee: null,
  tenant: null,
  created_at: 0,
  updated_at: 0,
  comments: 0,
  parents: 0,
  children: 0,
  open_parents: 0,
  attachments: 0,
  runs: 0,
  failures: 0,
};
const BOARD = {
  board: "default",
  slug: "default",
  name: "default",
  counts: { ready: 1 },
  cards: [CARD],
  seq: 1,
  at: 0,
};
const TURN = ["turn.started"] as const;
const APPROVAL = [
  "approval.requested",
  {
    request: "q_1",
    kind: "command",
    tool: "terminal",
    command: "rm -rf q",
    cwd: "/work",
    origin: {},
    expires_at: 9e12,
    segments: [{ argv: "rm -rf q", class: "rm-recursive", why: "removes recursively" }],
    reasons: [{ class: "rm-recursive", text: "removes recursively" }],
    options: ["once", "deny"],
    rules: {},
    wider: {},
  },
] as const;
const CLARIFY = [
  "clarify.requested",
  { request: "q_2", question: "Which drink?", choices: ["tea", "coffee"], origin: {} },
] as const;
const runs = { answers: { "runs.list": RUNS } };
const board = { answers: { "board.cards": BOARD } };

/** An owner that never answers these. */
const silent = (...methods: readonly string[]): WorkspaceFixture => ({
  answers: Object.fromEntries(methods.map((method) => [method, SILENT])),
});

const CASES: Readonly<Record<string, Case>> = {
  "a new session": {},
  "before the session is open": silent("session.create"),
  "before the session is read": silent("session.page"),
  "before the screen is attached": silent("session.attach"),
  "an owner that does not say what runs": silent("owner.under_way"),
  "an owner that does not say how the session ended": silent("session.get"),
  "an owner that does not take the end of the session": silent("session.close"),
  "an owner that answers nothing": silent(
    "session.create",
    "display.get",
    "owner.under_way",
    "session.close",
    "runs.list",
  ),
  "an attached client": { owner: false },
  "an attached client of an owner that answers nothing": { ...silent("session.close", "session.get"), owner: false },
  "a lost owner": { owner: false, enter: async (screen) => screen.lost() },
  "a lost owner, in the board": {
    owner: false,
    enter: async (screen) => {
      await keys(F3)(screen);
      screen.lost();
    },
  },
  "text in the composer": { enter: keys("half a message") },
  "many lines in the composer": { enter: keys("one\ntwo\nthree") },
  "a pasted text": { enter: keys(`\x1b[200~${"line\n".repeat(200)}\x1b[201~`) },
  "a paste beyond the limit": { enter: keys(`\x1b[200~${"x".repeat(1_100_000)}\x1b[201~`) },
  "an unfinished paste": { enter: keys("\x1b[200~half") },
  completion: { enter: keys("/mo") },
  "completion of a path": { enter: keys("look at @li") },
  "a turn that thinks": { enter: told(TURN), owner: false },
  "a turn that writes": { enter: told(TURN, ["text.delta", { text: "some words ".repeat(50) }]), owner: false },
  "a turn that runs a tool": {
    enter: told(TURN, ["tool.started", { call_id: "c", name: "terminal", preview: "sleep 9" }]),
    owner: false,
  },
  "a turn that is being interrupted": {
    owner: false,
    enter: async (screen) => {
      await told(TURN)(screen);
      await keys(CTRL_C)(screen);
    },
  },
  "a turn of this owner": {
    enter: told(TURN),
    answers: { "owner.under_way": { turns: ["x"], children: [], processes: [], workers: [] } },
  },
  "workers of this owner": {
    answers: { "owner.under_way": { turns: [], children: [], processes: [], workers: ["t_1"] } },
  },
  "a turn that ended": { enter: told(TURN, ["text.delta", { text: "done" }], ["turn.ended"]) },
  compaction: { enter: told(["compaction.started"]) },
  "an approval": { enter: told(TURN, APPROVAL), owner: false },
  "an approval with the keys": {
    owner: false,
    enter: async (screen) => {
      await told(TURN, APPROVAL)(screen);
      await keys("\x1ba")(screen);
    },
  },
  "an approval read in full": {
    owner: false,
    enter: async (screen) => {
      await told(TURN, APPROVAL)(screen);
      await keys("\x1ba", "v")(screen);
    },
  },
  "a question of the model": { enter: told(TURN, CLARIFY), owner: false },
  "the chat pane": { enter: keys(F2) },
  "a search in the chat": { enter: keys(F2, "/", "word") },
  "the board": { ...board, enter: keys(F3) },
  "the board that does not answer": { ...silent("board.cards"), enter: keys(F3) },
  "the drawer of a task": { ...board, enter: keys(F3, ENTER) },
  "the form of a new task": { ...board, enter: keys(F3, "a") },
  "a field of the form": { ...board, enter: keys(F3, "a", "some title") },
  "a search in the board": { ...board, enter: keys(F3, "/", "x") },
  "a filter of the board": { ...board, enter: keys(F3, "f", "@me") },
  "the boards": { ...board, enter: keys(F3, "B") },
  "a marked card": { ...board, enter: keys(F3, " ") },
  "the runs": { ...runs, enter: keys(F4) },
  "the runs that do not answer": { ...silent("runs.list"), enter: keys(F4) },
  "a run": { ...runs, enter: keys(F4, ENTER) },
  "a run that does not answer": {
    answers: { ...runs.answers, ...silent("session.page").answers },
    enter: keys(F4, ENTER),
  },
  "a run after another one": { ...runs, enter: keys(F4, ENTER, ESC, "j", ENTER) },
  "a run that was left": { ...runs, enter: keys(F4, ENTER, F2, ESC) },
  "the log of a run": { ...runs, enter: keys(F4, "l") },
  "what is known of a run": { ...runs, enter: keys(F4, "I") },
  "the stop dialog of a run": { ...runs, enter: keys(F4, "X") },
  "a filter of the runs": { ...runs, enter: keys(F4, "f", "x") },
  "the logs": { enter: keys(F5) },
  "a search in the logs": { enter: keys(F5, "/", "x") },
  "the sources of the logs": { enter: keys(F5, "s") },
  "a zoomed pane": { enter: keys(F3, F8) },
  help: { enter: keys(F1) },
  "help over the palette": { enter: keys("\x10", F1) },
  "a search in help": { enter: keys(F1, "/", "x") },
  "the palette": { enter: keys("\x10") },
  "a search in the palette": { enter: keys("\x10", "zoom") },
  "the session manager": { enter: keys("\x0f") },
  "a search in the session manager": { enter: keys("\x0f", "/", "x") },
  "the models": { enter: slash("/model") },
  "the themes": { enter: slash("/theme") },
  "the permissions": { enter: slash("/permissions") },
  "the checkpoints": { enter: slash("/checkpoints") },
  "what fills the window": { enter: slash("/context") },
  "the cost": { enter: slash("/cost") },
  "a command that runs": { ...silent("command.run"), enter: slash("/status") },
  "40 columns and 12 rows": { enter: async (screen) => screen.resize(40, 12) },
  "one cell": { enter: async (screen) => screen.resize(1, 1) },
  "a terminal that does not read": {
    enter: async (screen) => {
      screen.seen.writable = 1_000_000;
    },
  },
  "line mode of a screen reader": {
    answers: { "display.get": { values: { "display.screen_reader": true }, themes: [] } },
  },
};

/** Back to an empty composer, as a person goes: Escape out of what is open, the text taken away. */
async function home(screen: Fixture): Promise<void> {
  await screen.type("\x1b[201~"); // a paste whose end was lost
  for (let step = 0; step < 5; step++) {
    await screen.type(ESC);
    await screen.settle(60);
  }
  await screen.type("\x1b0");
  for (let line = 0; line < 4; line++) await screen.type(`${CTRL_U}${CTRL_K}\x7f`);
}

/** Work under way is asked about by an owner; `s` stops it. */
const stopped = async (screen: Fixture): Promise<void> => {
  if (screen.lines().some((line) => line.includes("Work is in progress"))) await screen.type("s");
};

const WAYS: Readonly<Record<string, (screen: Fixture) => Promise<void>>> = {
  "Ctrl+D": async (screen) => {
    await home(screen);
    await screen.type(CTRL_D);
    await screen.settle(40);
    await stopped(screen);
  },
  "/quit": async (screen) => {
    await home(screen);
    await screen.type("/quit");
    await screen.type(" "); // no completion takes the Enter
    await screen.type(ENTER);
    await screen.settle(40);
    await stopped(screen);
  },
  SIGTERM: async (screen) => screen.leaving.abort(),
  SIGHUP: async (screen) => screen.leaving.abort("lost"),
  "closed terminal": async (screen) => {
    screen.lost();
    screen.leaving.abort("lost");
  },
};

test("the table of states is the one that is promised", () => {
  assert.ok(Object.keys(CASES).length >= 60);
});

for (const [name, { enter, ...options }] of Object.entries(CASES))
  for (const [way, leave] of Object.entries(WAYS))
    test(`${name} is left by ${way} within 300 ms, and the terminal is as it was`, (t) =>
      leaves(t, options, enter, leave));

async function leaves(
  t: TestContext,
  options: WorkspaceFixture,
  enter: Case["enter"],
  leave: (screen: Fixture) => Promise<void>,
) {
  const screen = await openFixture(t, options);
  await enter?.(screen);
  await screen.settle(40);
  await leave(screen);
  await screen.settle(260);
  assert.ok(!screen.seen.raw && !screen.alternate(), screen.lines().join("\n"));
  const set = [...screen.seen.bytes.matchAll(/\x1b\[\?(\d+)([hl])/g)];
  const open = new Map(set.map(([, mode, way]) => [mode, way]));
  assert.deepEqual(
    [...open].filter(([mode, way]) => way === (mode === "25" || mode === "7" ? "l" : "h")),
    [],
  );
  let ended = false;
  void screen.left.then(() => {
    ended = true;
  });
  for (const _round of Array.from({ length: 3 })) await screen.settle(500);
  assert.ok(ended, "the process still waits for something");
}
