import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { type GridRow, testGrid } from "../../../fixtures/sim/board-grid.js";
import { DEFAULT, USER } from "../../../fixtures/sim/board-world.js";

/** Columns: triage todo ready running blocked scheduled done archived. Status writes as board part 14.5 has them. */
const WRITES: Readonly<Record<string, string>> = {
  triage: "ok >triage >triage >triage >triage >triage >triage E",
  todo: ">ready ok >todo >todo >todo >todo >ready E",
  ready: ">ready >ready ok >ready >ready >ready >ready >ready",
  running: "I I I I I I I I",
  blocked: "E >blocked >blocked >blocked ok E E E",
  scheduled: "E >scheduled >scheduled >scheduled >scheduled >scheduled E E",
  done: "E E >done >done >done E ok E",
  archived: ">archived >archived >archived >archived >archived >archived >archived E",
  nonsense: "I I I I I I I I",
};

const rows: readonly GridRow[] = [
  {
    verb: "edit",
    cells: "ok ok ok ok ok ok ok E",
    run: ({ board }, id, by) => board.edit(DEFAULT, id, { title: "t2" }, by),
  },
  {
    verb: "edit the assignee",
    cells: "ok ok ok R ok ok ok E",
    run: ({ board }, id, by) => board.edit(DEFAULT, id, { assignee: "bob" }, by),
  },
  {
    verb: "edit the verdict",
    cells: "E E E E E E ok E",
    run: ({ board }, id, by) => board.edit(DEFAULT, id, { verdict: "rejected" }, by),
  },
  {
    verb: "reassign",
    cells: "ok ok ok R ok ok ok E",
    run: ({ board }, id, by) => board.reassign(DEFAULT, id, { assignee: "bob" }, by),
  },
  {
    verb: "reassign and reclaim",
    cells: "ok ok ok >ready ok ok ok E",
    run: ({ board }, id, by) => board.reassign(DEFAULT, id, { assignee: "bob", reclaim: true }, by),
  },
  { verb: "delete", cells: "E E E E E E E gone", run: ({ board }, id, by) => board.remove(DEFAULT, id, {}, by) },
  {
    verb: "delete whatever its status",
    cells: "gone gone gone gone gone gone gone gone",
    run: ({ board }, id, by) => board.remove(DEFAULT, id, { any: true }, by),
  },
  {
    verb: "release held children",
    cells: "ok ok ok ok ok ok ok ok",
    run: ({ board }, id, by) => board.promoteChildren(DEFAULT, id, {}, by),
  },
  {
    verb: "attach",
    cells: "ok ok ok ok ok ok ok ok",
    run: ({ board }, id, by, { file }) => board.attach(DEFAULT, id, [{ path: file }], by),
  },
  {
    verb: "detach",
    cells: "ok ok ok ok ok ok ok ok",
    before: ({ board }, id, { file }) => board.attach(DEFAULT, id, [{ path: file }], USER),
    run: async ({ board }, id, by) => {
      const [only] = await board.attachments(DEFAULT, id);
      return board.detach(DEFAULT, only?.id ?? 0, by, id);
    },
  },
  {
    verb: "lose a parent",
    cells: "ok ok ok ok ok ok ok ok",
    before: async ({ board, store }, id, { parent }) => {
      await board.complete(DEFAULT, parent, {}, USER);
      await (await store()).write("test.link", (tx) =>
        tx.run("INSERT INTO links (parent_id, child_id) VALUES (?, ?)", [parent, id]),
      );
    },
    run: ({ board }, id, by, { parent }) => board.unlink(DEFAULT, parent, id, by),
  },
  ...Object.entries(WRITES).map(
    ([status, cells]): GridRow => ({
      verb: `write ${status}`,
      cells,
      run: ({ board }, id, by) => board.write(DEFAULT, id, { status }, by),
    }),
  ),
];

const dir = mkdtempSync(join(tmpdir(), "grid-"));
writeFileSync(join(dir, "a.txt"), "one");
after(() => rmSync(dir, { recursive: true, force: true }));
testGrid(rows, { file: join(dir, "a.txt") });
