import assert from "node:assert/strict";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kanban } from "../../../fixtures/sim/board-cli.js";
import { setupBoard, USER } from "../../../fixtures/sim/board-world.js";

/** Which board a call uses: what is set, and the board or the refusal. `board-a` is the store of `a`. */
const RESOLVED: readonly {
  what: string;
  env?: Record<string, string>;
  flag?: string;
  current?: string;
  configured?: string;
  session?: string;
  writes?: boolean;
  board?: string;
  refused?: string;
  warned?: RegExp;
}[] = [
  { what: "nothing is set", board: "default" },
  { what: "the flag wins over pins", flag: "a", env: { AGENT_KANBAN_BOARD: "b" }, board: "a" },
  { what: "the flag is trimmed and lower-cased", flag: " A ", board: "a" },
  {
    what: "the pin wins over session, configuration and current",
    env: { AGENT_KANBAN_BOARD: "a" },
    session: "b",
    configured: "b",
    current: "b",
    board: "a",
  },
  {
    what: "the pin by slug wins over that by path",
    env: { AGENT_KANBAN_BOARD: "b", AGENT_KANBAN_DB: "board-a" },
    board: "b",
  },
  { what: "a store's path pins its board", env: { AGENT_KANBAN_DB: "board-a" }, board: "a" },
  { what: "a link to a store pins its board", env: { AGENT_KANBAN_DB: "link-to-a" }, board: "a" },
  { what: "a malformed pin is an error", env: { AGENT_KANBAN_BOARD: "no/no" }, refused: "E_BAD_BOARD" },
  {
    what: "a pin without board is passed over by who reads",
    env: { AGENT_KANBAN_BOARD: "nope" },
    board: "default",
    warned: /nope/,
  },
  {
    what: "a pin without board refuses who writes",
    env: { AGENT_KANBAN_BOARD: "nope" },
    writes: true,
    refused: "E_BOARD_NOT_FOUND",
  },
  {
    what: "a path without board is passed over by who reads",
    env: { AGENT_KANBAN_DB: "/etc/passwd" },
    board: "default",
    warned: /passwd/,
  },
  {
    what: "a path without board refuses who writes",
    env: { AGENT_KANBAN_DB: "/etc/passwd" },
    writes: true,
    refused: "E_BOARD_NOT_FOUND",
  },
  { what: "an empty pin is none", env: { AGENT_KANBAN_BOARD: "" }, current: "a", board: "a" },
  { what: "the session wins over configuration and current", session: "a", configured: "b", current: "b", board: "a" },
  { what: "the configuration wins over the current board", configured: "a", current: "b", board: "a" },
  { what: "a configured board that is not there is passed over", configured: "nope", current: "b", board: "b" },
  { what: "the current board", current: "b", board: "b" },
  {
    what: "a current board that is gone is said once",
    current: "nope",
    board: "default",
    warned: /'nope' no longer exists/,
  },
  { what: "a current file that holds no slug", current: "no/no", board: "default", warned: /no longer exists/ },
];

for (const row of RESOLVED) {
  test(`board of a call: ${row.what}`, async (t) => {
    const world = setupBoard(t, { real: true });
    for (const slug of ["a", "b"]) await world.board.createBoard({ slug }, USER);
    const storeOfA = join(world.root, "kanban", "boards", "a", "kanban.db");
    symlinkSync(storeOfA, join(world.root, "link"));
    if (row.current !== undefined) writeFileSync(join(world.root, "kanban", "current"), `${row.current}\n`);
    if (row.configured !== undefined) world.settings.set("kanban.default_board", row.configured);
    const paths: Record<string, string> = { "board-a": storeOfA, "link-to-a": join(world.root, "link") };
    const env = Object.fromEntries(Object.entries(row.env ?? {}).map(([name, value]) => [name, paths[value] ?? value]));
    const asked = world.board.resolve({ flag: row.flag, env, session: row.session, writes: row.writes ?? false });
    if (row.refused !== undefined) return void (await assert.rejects(asked, { code: row.refused }));
    const { board, warnings } = await asked;
    assert.equal(board, row.board);
    assert.equal(warnings.length, row.warned === undefined ? 0 : 1);
    if (row.warned !== undefined) assert.match(warnings[0] ?? "", row.warned);
  });
}

test("a worker is bound to its board: it may name it, and no other", async (t) => {
  const world = setupBoard(t, { real: true });
  for (const slug of ["a", "b"]) await world.board.createBoard({ slug }, USER);
  const env = { AGENT_KANBAN_CLAIM: "/nowhere.claim", AGENT_KANBAN_BOARD: "a" };
  const code = async (...words: string[]) =>
    (await kanban(world, [...words, "show", "t_00000001", "--json"], { env })).json<{ error: { code: string } }>().error
      .code;
  assert.deepEqual(
    [await code("--board", "b"), await code("--board", "A"), await code()],
    ["E_NOT_OWNER", "E_NOT_FOUND", "E_NOT_FOUND"],
  );
});
