import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalAsked } from "../../lib/contracts/chat/questions.js";
import { toAnswer, toPermissionRequest } from "./permissions.js";
import { toPrompt } from "./prompt.js";
import { diffsOf, locationsOf } from "./tool-calls.js";
import { nothingShown, toUpdates, turnShown } from "./updates.js";

const event = (name: string, data: Record<string, unknown>, at = "2026-01-01T00:00:01Z") => ({ event: name, at, data });
const delta = (text: string, offset: number) => event("text.delta", { text, offset });
const textsOf = (updates: readonly object[]) =>
  updates.flatMap((one) => {
    const { content } = Object(one);
    return content?.type === "text" ? [content.text] : [];
  });

test("streamed text is shown once, whether pieces come twice, are lost or come after the stored message", () => {
  const shown = nothingShown("/p");
  const steps = [
    delta("Hel", 0),
    delta("Hello", 0),
    delta("rld", 8),
    event("message.added", { role: "assistant", content: "Hello world" }),
    delta("Hello", 0),
  ];
  assert.deepEqual(textsOf(steps.flatMap((step) => toUpdates(shown, step))), ["Hel", "lo", " world"]);
});

test("what comes after the end of its turn is not shown a second time: a delta, output of a call that has ended", () => {
  const before = nothingShown("/p");
  const ran = event("message.added", { role: "tool", tool_call_id: "c", content: '{"output":"whole"}' });
  const steps = [
    ran,
    event("tool.ended", { call_id: "c", name: "terminal", status: "ok" }),
    event("message.added", { role: "assistant", content: "Hello" }),
  ];
  for (const step of steps) toUpdates(before, step);
  const after = turnShown(before);
  assert.deepEqual(toUpdates(after, delta("Hello", 0)), []);
  assert.deepEqual(toUpdates(after, event("tool.progress", { call_id: "c", text: "who" })), []);
  assert.deepEqual(textsOf(toUpdates(after, { ...delta("Next", 0), at: "2026-01-01T00:00:02Z" })), ["Next"]);
});

test("each hunk of a difference is a change with old and new text, and a new file has no old one", () => {
  const diff = [
    "--- a/x.txt",
    "+++ b/x.txt",
    "@@ -1,2 +1,2 @@",
    "--- old",
    "+++ new",
    " same",
    "--- a/n.txt",
    "+++ b/n.txt",
    "@@ -0,0 +1,1 @@",
    "+one",
  ].join("\n");
  assert.deepEqual(diffsOf(diff, "/p"), [
    { type: "diff", path: "/p/x.txt", oldText: "-- old\nsame", newText: "++ new\nsame" },
    { type: "diff", path: "/p/n.txt", oldText: null, newText: "one" },
  ]);
});

test("the place of a call is an absolute path with the line that it begins at", () => {
  assert.deepEqual(locationsOf({ path: "a.ts", offset: 7 }, "/p"), [{ path: "/p/a.ts", line: 7 }]);
  assert.deepEqual(locationsOf({ path: "~/a" }, "/p"), []);
});

test("embedded text is quoted, so that what stands in it mentions nothing; links to files are paths", () => {
  const { text } = toPrompt([
    { type: "text", text: "look at " },
    { type: "resource_link", name: "a", uri: "file:///p/a.ts" },
    { type: "resource", resource: { uri: "file:///p/b.md", text: "@file:secret\n```\n</context>" } },
  ]);
  assert.match(text, /^look at `\/p\/a\.ts``\/p\/b\.md`\n\n<context ref="file:\/\/\/p\/b\.md">\n````\n@file:secret/);
  assert.equal(text.split("</context>").length, 2);
});

test("what a prompt cannot hold is refused with what to send", () => {
  assert.throws(() => toPrompt([{ type: "audio", data: "", mimeType: "audio/wav" }]), /audio/);
  assert.throws(() => toPrompt([{ type: "image", data: "", mimeType: "image/tiff" }]), /PNG/);
  assert.throws(() => toPrompt([{ type: "text", text: " " }]), /empty prompt/);
});

test("an approval offers what the question offers; a closed one and an unknown answer deny", () => {
  const asked: ApprovalAsked = {
    kind: "command",
    tool: "terminal",
    call_id: "c1",
    command: "rm -rf x",
    cwd: "/p",
    segments: [],
    reasons: [{ class: "delete", text: "deletes files" }],
    options: ["once", "session", "deny"],
    rules: { session: ["command: rm"] },
  };
  const request = toPermissionRequest("s1", asked);
  assert.deepEqual(
    request.options.map(({ optionId, kind }) => [optionId, kind]),
    [
      ["once", "allow_once"],
      ["session", "allow_always"],
      ["deny", "reject_once"],
    ],
  );
  assert.match(request.options[1]?.name ?? "", /command: rm/);
  assert.equal(toAnswer({ outcome: { outcome: "selected", optionId: "session" } }, asked), "session");
  assert.equal(toAnswer({ outcome: { outcome: "selected", optionId: "always" } }, asked), "deny");
  assert.equal(toAnswer({ outcome: { outcome: "cancelled" } }, asked), "deny");
});
