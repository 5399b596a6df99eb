import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../fixtures/e2e/eventually.js";
import { ownerStatus } from "../fixtures/e2e/owner-status.js";
import { openScreens, type Screen, type Screens } from "../fixtures/e2e/screens.js";
import { noTmux } from "../fixtures/e2e/tmux.js";
import { type World, world } from "../fixtures/e2e/world.js";
import { LEAVING_MODEL, LEAVING_STATES, type LeavingState } from "../fixtures/tui/leaving-states.js";

/** `LEAVING=all make e2e only="leaving table"`: every state by every way; otherwise each state by one of them, in turn. */
const all = process.env["LEAVING"] === "all";
const skip = noTmux() ?? false;
/** Screens that are open at the same time. */
const BESIDE = 16;

/** As terminals with the kitty keyboard send it: nothing that follows makes another key of it. */
const ESC = "\x1b[27u";
const ESCAPES = 5;
const CTRL_D = "\x04";
const WAYS: Readonly<Record<string, (screen: Screen) => Promise<void>>> = {
  "Ctrl+D": async (screen) => {
    await home(screen);
    await screen.send(CTRL_D);
  },
  "/quit": async (screen) => {
    await home(screen);
    await screen.send("/quit ");
    await screen.send("\r");
  },
  SIGTERM: async (screen) => void process.kill(await screen.pid(), "SIGTERM"),
  SIGHUP: async (screen) => void process.kill(await screen.pid(), "SIGHUP"),
  "closed terminal": async (screen) => screen.close(),
};

const TYPED = new Set(["Ctrl+D", "/quit"]);

/** Out of what is open, and an empty composer, as a person does it. */
async function home(screen: Screen): Promise<void> {
  await screen.send("\x1b[201~"); // a paste whose end was lost
  for (let step = 0; step < ESCAPES; step++) await screen.send(ESC);
  await screen.send("\x1b0");
  for (let line = 0; line < 4; line++) await screen.send("\x15\x0b\x7f");
}

test("each state of the workspace on a real terminal is left at once while its owner does not answer, and the terminal is as it was", {
  skip,
}, async (t) => {
  const made = await place(t);
  const screens = await openScreens(t, environment(made), made.work);
  const { pid: owner } = await ownerStatus(made);
  t.after(() => (alive(owner) ? process.kill(owner, "SIGCONT") : undefined));
  const cases = LEAVING_STATES.flatMap(waysOf);
  const counts = new Map<string, number>();
  for (let from = 0; from < cases.length; from += BESIDE) {
    const now = await Promise.all(
      cases.slice(from, from + BESIDE).map(async (one) => ({ ...one, screen: await reach(screens, one) })),
    );
    // Anyone who waited for the owner would wait for ever.
    process.kill(owner, "SIGSTOP");
    await Promise.all(now.map(leaves));
    process.kill(owner, "SIGCONT");
    for (const { way } of now) counts.set(way, (counts.get(way) ?? 0) + 1);
  }
  assert.ok(LEAVING_STATES.length >= 60);
  t.diagnostic(`${LEAVING_STATES.length} states: ${[...counts].map(([way, count]) => `${way} ${count}`).join(", ")}`);
});

/** The ways by which a state is left in this run. */
function waysOf(state: LeavingState, place: number): readonly Case[] {
  const ways = Object.keys(WAYS).filter((way) => state.lent !== true || !TYPED.has(way));
  const now = all ? ways : [ways[place % ways.length] ?? ""];
  return now.map((way) => ({ state, way, label: `${state.name}, ${way}` }));
}

interface Case {
  readonly state: LeavingState;
  readonly way: string;
  readonly label: string;
}

/** A screen in that state. */
async function reach(screens: Screens, { state, label }: Case): Promise<Screen> {
  const screen = await screens.open(`"$NODE" "$AGENT" ${state.args ?? ""}`);
  try {
    await screen.until((text) => text.includes(state.args === undefined ? "Ask anything" : "Enter: send"));
    for (const step of state.steps) {
      if (typeof step === "string") await screen.send(step);
      else if (step instanceof RegExp) await screen.until((text) => step.test(text));
      else await screen.resize(...step);
    }
  } catch (error) {
    throw new Error(`${label}: ${error instanceof Error ? error.message : String(error)}`);
  }
  return screen;
}

async function leaves({ screen, way, label }: Case & { readonly screen: Screen }): Promise<void> {
  const pid = await screen.pid();
  await WAYS[way]?.(screen);
  if (way === "closed terminal") return await eventually(() => !alive(pid));
  try {
    await screen.ended();
  } catch (error) {
    throw new Error(`${label}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const { alternate, cursor, mouse, keypad } = await screen.modes();
  assert.deepEqual(
    { alternate, cursor, mouse, keypad },
    { alternate: false, cursor: true, mouse: false, keypad: false },
    label,
  );
  const [before, after] = screen.settings();
  assert.equal(after, before, label);
  await screen.close();
}

/** A home with an owner, some cards, and a run that does not end. */
async function place(t: TestContext): Promise<World> {
  const made = await world(t, { model: { script: LEAVING_MODEL }, name: "any", config: "approvals:\n  caged: ask\n" });
  writeFileSync(join(made.work, "editor.sh"), "#!/bin/sh\necho 'the editor has the terminal'\nexec sleep 600\n", {
    mode: 0o700,
  });
  await made.owner();
  await made.json("kanban", "create", "a card", "--triage");
  await made.json("kanban", "create", "a job", "--assignee", "default");
  await made.event((event) => event.event === "claimed");
  return made;
}

const environment = (made: World) => ({
  ...made.env,
  TERM: "xterm-256color",
  LANG: "C.UTF-8",
  NODE: process.execPath,
  AGENT: made.program,
  EDITOR: join(made.work, "editor.sh"),
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // the answer is what was asked
  }
}
