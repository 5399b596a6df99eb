import assert from "node:assert/strict";
import { test } from "node:test";
import { mapConfig, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import type { NewSession, SessionRecord } from "../../contracts/chat/chat.js";
import { boardForSession } from "./board-for-session.js";

test("a conversation keeps the board that it began with, whatever is chosen elsewhere meanwhile", async (t) => {
  const { board } = setupBoard(t, { real: true });
  for (const slug of ["a", "b"]) await board.createBoard({ slug }, USER);
  await board.switchBoard("a");
  const session = { id: "s", profile: "default" } as unknown as SessionRecord; // the board looks at nothing else
  const wanted = { source: "workspace", env: {}, cwd: "/" } as unknown as NewSession; // the same
  const { port } = boardForSession(board, session, wanted, mapConfig(new Map()));
  await new Promise((resolve) => setImmediate(resolve));
  await board.resolve({ env: {}, writes: false });
  await board.switchBoard("b");
  await port?.call("create", { title: "one", assignee: "default" });
  assert.deepEqual([(await board.board("a" as never)).total, (await board.board("b" as never)).total], [1, 0]);
});
