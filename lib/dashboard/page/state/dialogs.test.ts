import assert from "node:assert/strict";
import { test } from "node:test";
import { createDialogs, type OpenDialog } from "./dialogs.js";
import { createStore } from "./store.js";

test("a question stands open until it is answered or called off, and others above it do not disturb it", async () => {
  const open = createStore<readonly OpenDialog[]>([]);
  const dialogs = createDialogs(open);
  const summary = dialogs.ask({
    title: "Complete",
    confirm: "Complete",
    fields: [{ name: "summary", label: "Summary", kind: "text" }],
  });
  const sure = dialogs.confirm({ title: "Sure?", confirm: "Yes" });
  assert.deepEqual(
    open.get().map(({ question }) => question.title),
    ["Complete", "Sure?"],
  );
  open.get()[1]?.answer(undefined);
  assert.equal(await sure, false);
  open.get()[0]?.answer({ summary: "done" });
  assert.deepEqual(await summary, { summary: "done" });
  assert.deepEqual(open.get(), []);
});
