import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { kanban, type Printed } from "../../fixtures/sim/board-cli.js";
import { setupBoard } from "../../fixtures/sim/board-world.js";
import type { CommandEntry } from "./entry.js";
import { COMMANDS } from "./index.gen.js";

const ENTRIES = COMMANDS.filter((entry) => entry.path.startsWith("kanban "));
/** Verbs that take their board as an argument. */
const OF_BOARDS = /^kanban (boards|daemon)/;

const wordsOf = (entry: CommandEntry) => entry.path.split(" ").slice(1);
const isGiven = (entry: CommandEntry, place: string) =>
  entry.flags.find((flag) => flag.name === place.replace("...", ""))?.required === true;
const needsNothing = (entry: CommandEntry) => !(entry.positionals ?? []).some((place) => isGiven(entry, place));

/** A followed view ends at once: its caller has gone. */
async function setup(t: TestContext, entry: CommandEntry) {
  const world = setupBoard(t);
  const signal = AbortSignal.abort("SIGINT");
  return (...more: string[]) => kanban(world, [...wordsOf(entry), ...more], { signal });
}

/** What every failure looks like for people. */
function isTold({ out, err, code }: Printed): void {
  assert.ok(code === 1 || code === 2, `exit ${code}`);
  assert.equal(out, "");
  assert.match(err, /^(kanban: [^\n]+\n)+$/);
  assert.doesNotMatch(err, /\bat .*:\d+:\d+|undefined|\[object/);
}

/** What every failure looks like for machines: one value that says code, message and hint. */
function isJson({ out, code }: Printed, wanted?: { readonly exit: number; readonly code: string }): void {
  const { error } = JSON.parse(out);
  assert.match(String(error.code), /^E_(?!INTERNAL)[A-Z_]+$/);
  assert.ok(typeof error.message === "string" && error.message !== "");
  assert.ok(wanted === undefined || (error.code === wanted.code && code === wanted.exit), `${code} ${out}`);
}

const NAMED =
  "init create list show assign link unlink claim comment complete block unblock schedule archive tail dispatch context gc watch stats log heartbeat runs assignees specify decompose";

test("every action that is promised is there, by its name", (t) => {
  proves(t, "cli.kanban.subcommands");
  const paths = ENTRIES.flatMap(({ path, aliases = [] }) => [path, ...aliases]);
  for (const name of NAMED.split(" ")) assert.ok(paths.includes(`kanban ${name}`), name);
  for (const family of ["notify", "boards"])
    assert.ok(
      paths.some((path) => path.startsWith(`kanban ${family} `)),
      family,
    );
});

test("every action of the board is looked at here", () => {
  assert.ok(ENTRIES.length > 40, String(ENTRIES.length));
});

for (const entry of ENTRIES) {
  const name = wordsOf(entry).join(" ");

  test(`${name}: a flag that does not exist is reported with exit 2, and changes nothing`, async (t) => {
    const run = await setup(t, entry);
    const told = await run("--no-such-flag");
    isTold(told);
    assert.deepEqual([told.code, /no-such-flag/.test(told.err)], [2, true]);
    isJson(await run("--no-such-flag", "--json"), { exit: 2, code: "E_USAGE" });
    isJson(await run("--json", "--no-such-flag=1"), { exit: 2, code: "E_USAGE" });
  });

  test(`${name}: -h shows its help with exit 0`, async (t) => {
    const run = await setup(t, entry);
    for (const flag of ["-h", "--help"]) {
      const { out, err, code } = await run(flag);
      assert.deepEqual([code, err], [0, ""]);
      assert.match(out, new RegExp(`agent kanban ${name.replace(/^boards /, "(boards )?")}`));
    }
  });

  test(`${name}: without arguments it answers, or says what is missing with exit 2`, async (t) => {
    const run = await setup(t, entry);
    const told = await run();
    const json = await run("--json");
    if (told.code !== 0) isTold(told);
    if (!needsNothing(entry)) assert.deepEqual([told.code, json.code], [2, 2]);
    if (json.code !== 0) isJson(json);
    else if (entry.follow !== true) assert.doesNotThrow(() => JSON.parse(json.out), json.out);
    assert.doesNotMatch(json.err, /\bat .*:\d+:\d+/);
  });

  if (!OF_BOARDS.test(entry.path)) {
    test(`${name}: a malformed board is reported with exit 2, one that is not there with exit 1`, async (t) => {
      const run = await setup(t, entry);
      const places = (entry.positionals ?? []).filter((place) => isGiven(entry, place)).map(() => "t_00000000");
      isJson(await run(...places, "--board", "BAD!", "--json"));
      isTold(await run(...places, "--board", "nowhere"));
    });
  }
}
