import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import type { EditorFiles, EditorText, EditorWritten } from "../../contracts/acp/editor-files.js";
import type { AnyTool } from "../core/define.js";
import patch from "./patch.js";
import readFile from "./read-file.js";
import writeFile from "./write-file.js";

interface Given {
  readonly read?: (path: string) => EditorText | undefined;
  readonly write?: (path: string, text: string) => EditorWritten | undefined;
  readonly writes?: boolean;
}

/** A conversation whose editor holds texts of files of the project. */
function edited(t: TestContext, given: Given = {}) {
  const diffs: (string | undefined)[] = [];
  const made = bench(t, {
    permit: async ({ diff }) => {
      diffs.push(await diff?.());
      return { allowed: true, by: "no risk" };
    },
  });
  const held = new Map<string, string>();
  const asked: string[] = [];
  const editor: EditorFiles = {
    reads: (path) => path.startsWith(made.project),
    writes: (path) => given.writes !== false && path.startsWith(made.project),
    read: async (path) => {
      asked.push(`read ${path}`);
      const text = held.get(path);
      return given.read?.(path) ?? (text === undefined ? { how: "missing" } : { how: "text", text });
    },
    write: async (path, text) => {
      asked.push(`write ${path}`);
      const answer = given.write?.(path, text);
      if (answer !== undefined) return answer;
      held.set(path, text);
      return { how: "written" };
    },
  };
  const context = { ports: { ...made.context.ports, editor } };
  const json = async (tool: AnyTool, args: Readonly<Record<string, unknown>>) =>
    JSON.parse((await made.run(tool, args, context)).text) as Record<string, unknown>;
  const place = (name: string) => join(made.project, name);
  const file = (name: string, disk: string, text?: string) => {
    writeFileSync(place(name), disk);
    if (text !== undefined) held.set(place(name), text);
  };
  const textOf = (name: string) => held.get(place(name));
  const diskOf = (name: string) => readFileSync(place(name), "utf8");
  return { ...made, json, diffs, held, asked, place, file, textOf, diskOf };
}

test("text that is not saved is read, whole and by lines, and is shown again once it changes", async (t) => {
  const { json, file, held, place } = edited(t);
  file("a.txt", "saved\n", "one\ntwo\nthree\n");
  assert.equal((await json(readFile, { path: "a.txt" }))["content"], "1|one\n2|two\n3|three");
  assert.equal((await json(readFile, { path: "a.txt", offset: 2, limit: 1 }))["content"], "2|two");
  assert.equal((await json(readFile, { path: "a.txt" }))["status"], "unchanged");
  held.set(place("a.txt"), "one\n2\n");
  assert.equal((await json(readFile, { path: "a.txt" }))["content"], "1|one\n2|2");
});

test("a file that was never saved is read, and a write of it is no new file", async (t) => {
  const { json, held, place, textOf } = edited(t);
  held.set(place("new.txt"), "draft\n");
  assert.equal((await json(readFile, { path: "new.txt" }))["content"], "1|draft");
  const written = await json(writeFile, { path: "new.txt", content: "text\n" });
  assert.equal(written["created"], false);
  assert.match(String(written["diff"]), /-draft\n\+text/);
  assert.equal(textOf("new.txt"), "text\n");
});

test("a write goes through the editor and not to disk, and says that it is not saved", async (t) => {
  const { json, file, textOf, diskOf, place } = edited(t);
  file("a.txt", "old\n", "old\n");
  await json(readFile, { path: "a.txt" });
  const written = await json(writeFile, { path: "a.txt", content: "new\n" });
  assert.match(String(written["_warning"]), /has not saved the file/);
  assert.deepEqual([textOf("a.txt"), diskOf("a.txt")], ["new\n", "old\n"]);
  const made = await json(writeFile, { path: "sub/b.txt", content: "b\n" });
  assert.deepEqual([made["created"], made["dirs_created"], textOf("sub/b.txt")], [true, true, "b\n"]);
  assert.equal(existsSync(place("sub/b.txt")), false);
});

test("a change of unsaved text since the last read is reported, and one's own writes are not", async (t) => {
  const { json, file, held, place } = edited(t, {
    write: (path, text) => {
      writeFileSync(path, text);
      return undefined;
    },
  });
  file("a.txt", "one\n", "one\n");
  await json(readFile, { path: "a.txt" });
  assert.equal((await json(writeFile, { path: "a.txt", content: "two\n" }))["_warning"], undefined);
  assert.equal((await json(writeFile, { path: "a.txt", content: "three\n" }))["_warning"], undefined);
  held.set(place("a.txt"), "typed\n");
  const stale = await json(writeFile, { path: "a.txt", content: "four\n" });
  assert.match(String(stale["_warning"]), /modified since you last read it/);
});

test("patches apply to unsaved text, in both modes, and keep the line ends of the editor", async (t) => {
  const { json, file, textOf, diskOf } = edited(t);
  file("a.txt", "one\n", "\ufeffone\r\nunsaved\r\n");
  const one = await json(patch, { path: "a.txt", old_string: "unsaved", new_string: "patched" });
  assert.equal(one["success"], true);
  assert.equal(textOf("a.txt"), "\ufeffone\r\npatched\r\n");
  file("b.txt", "b\n", "b\nunsaved\n");
  const text =
    "*** Begin Patch\n*** Update File: b.txt\n@@\n b\n-unsaved\n+patched\n*** Add File: c.txt\n+c\n*** End Patch";
  const many = await json(patch, { mode: "patch", patch: text });
  assert.equal(many["success"], true, JSON.stringify(many));
  assert.deepEqual([textOf("b.txt"), textOf("c.txt")], ["b\npatched\n", "c\n"]);
  assert.deepEqual([diskOf("a.txt"), diskOf("b.txt")], ["one\n", "b\n"]);
});

test("a text that moves takes what is not saved along", async (t) => {
  const { json, file, textOf, place } = edited(t);
  file("a.txt", "one\n", "one\nunsaved\n");
  const moved = await json(patch, {
    mode: "patch",
    patch: "*** Begin Patch\n*** Move File: a.txt -> b.txt\n*** End Patch",
  });
  assert.equal(moved["success"], true, JSON.stringify(moved));
  assert.equal(textOf("b.txt"), "one\nunsaved\n");
  assert.equal(existsSync(place("a.txt")), false);
});

test("an editor that refuses leaves everything as it was, and the error says what to do", async (t) => {
  const { json, file, diskOf, textOf } = edited(t, {
    write: () => ({ how: "failed", why: "the editor refused: read-only" }),
  });
  file("a.txt", "one\n", "one\n");
  const refused = await json(writeFile, { path: "a.txt", content: "two\n" });
  assert.match(String(refused["error"]), /the editor refused: read-only\. Nothing was changed; ask the user/);
  assert.deepEqual([diskOf("a.txt"), textOf("a.txt")], ["one\n", "one\n"]);
});

test("an editor that cannot be read is an error, and a file that is nowhere is one that is missing", async (t) => {
  const { json, file } = edited(t, { read: () => ({ how: "failed", why: "the editor did not answer within 30 s" }) });
  file("a.txt", "one\n");
  assert.match(String((await json(readFile, { path: "a.txt" }))["error"]), /did not answer.*Repeat the call/);
  assert.match(String((await json(writeFile, { path: "a.txt", content: "x" }))["error"]), /did not answer/);
  assert.match(String((await json(readFile, { path: "none.txt" }))["error"]), /File not found/);
});

const UNKNOWN = "the editor has disconnected";
for (const [state, disk, says] of [
  [
    "nothing",
    "one\n",
    /is unknown whether .* was written: the editor has disconnected\. The file on disk is unchanged/,
  ],
  ["half", "tw", /has neither the old nor the new text; read it/],
] as const)
  test(`an editor that disappears in the middle of a write and has written ${state} leaves an error that says so`, async (t) => {
    const { json, file } = edited(t, {
      write: (path) => {
        writeFileSync(path, disk);
        return { how: "unknown", why: UNKNOWN };
      },
    });
    file("a.txt", "one\n", "one\n");
    assert.match(String((await json(writeFile, { path: "a.txt", content: "two\n" }))["error"]), says);
  });

test("an editor that disappears after it has saved has written", async (t) => {
  const { json, file, diskOf } = edited(t, {
    write: (path, text) => {
      writeFileSync(path, text);
      return { how: "unknown", why: UNKNOWN };
    },
  });
  file("a.txt", "one\n", "one\n");
  const written = await json(writeFile, { path: "a.txt", content: "two\n" });
  assert.match(String(written["_warning"]), /the file on disk has the new text/);
  assert.equal(diskOf("a.txt"), "two\n");
});

test("an editor that has gone before the text was sent leaves the write to the disk, unless its text was not saved", async (t) => {
  const { json, file, diskOf } = edited(t, { write: () => ({ how: "gone" }) });
  file("a.txt", "one\n", "one\n");
  assert.equal((await json(writeFile, { path: "a.txt", content: "two\n" }))["error"], undefined);
  assert.equal(diskOf("a.txt"), "two\n");
  file("b.txt", "one\n", "one\nunsaved\n");
  const lost = await json(patch, { path: "b.txt", old_string: "unsaved", new_string: "patched" });
  assert.match(String(lost["error"]), /was not saved, and the editor has closed\. Nothing was changed/);
  assert.equal(diskOf("b.txt"), "one\n");
});

test("an editor that only reads gets no conflict: its unsaved text is not replaced on disk", async (t) => {
  const { json, file, diskOf } = edited(t, { writes: false });
  file("a.txt", "one\n", "typed\n");
  assert.match(String((await json(writeFile, { path: "a.txt", content: "two\n" }))["error"]), /Ask the user to save/);
  assert.equal(diskOf("a.txt"), "one\n");
  file("b.txt", "one\n", "one\n");
  await json(writeFile, { path: "b.txt", content: "two\n" });
  assert.equal(diskOf("b.txt"), "two\n");
});

test("a patch of several files that the editor breaks off puts the first ones back, unsaved text and all", async (t) => {
  const { json, file, textOf } = edited(t, {
    write: (path) => (path.endsWith("b.txt") ? { how: "failed", why: "the editor refused: no" } : undefined),
  });
  file("a.txt", "a\n", "a\nunsaved\n");
  file("b.txt", "b\n", "b\n");
  const text = "*** Begin Patch\n*** Update File: a.txt\n@@\n-a\n+A\n*** Update File: b.txt\n@@\n-b\n+B\n*** End Patch";
  const failed = await json(patch, { mode: "patch", patch: text });
  assert.match(String(failed["error"]), /All changes of this patch were undone/);
  assert.deepEqual([textOf("a.txt"), textOf("b.txt")], ["a\nunsaved\n", "b\n"]);
});

test("pictures, binary files and files outside the project are not the editor's", async (t) => {
  const { json, asked, root, file } = edited(t);
  writeFileSync(join(root, "user", "out.txt"), "out\n");
  file("a.bin", "a\0b");
  assert.equal((await json(readFile, { path: join(root, "user", "out.txt") }))["content"], "1|out");
  assert.match(String((await json(readFile, { path: "a.bin" }))["error"]), /Binary file/);
  assert.deepEqual(asked, []);
});

test("a path that the guard refuses is never asked of the editor, and the question shows what the editor has", async (t) => {
  const { json, asked, diffs, context, file } = edited(t);
  const secret = join(context.home.dir, ".env");
  writeFileSync(secret, "KEY=1\n");
  assert.notEqual((await json(readFile, { path: secret }))["error"], undefined);
  assert.notEqual((await json(writeFile, { path: secret, content: "x" }))["error"], undefined);
  assert.deepEqual(asked, []);
  file("a.txt", "disk\n", "typed\n");
  await json(writeFile, { path: "a.txt", content: "new\n" });
  assert.match(diffs.join(""), /-typed\n\+new/);
});
