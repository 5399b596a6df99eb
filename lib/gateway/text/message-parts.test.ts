import assert from "node:assert/strict";
import { test } from "node:test";
import type { SendPayload } from "../../contracts/gateway/outbox.js";
import { capsOf } from "../../contracts/gateway/platform-traits.js";
import { toParcelSends } from "../delivery/message-pieces.js";
import { bubblesOf } from "./bubbles.js";
import { appendLine, toMessageParts } from "./message-parts.js";

const MSGL = capsOf("msgl");

const target = (platform: "msgl" | "msgt") => ({ platform, account: "b", chatId: "1", threadId: null, replyTo: null });
const long = Array.from({ length: 7 }, (_none, at) => `${at} ${"x".repeat(4400)}`).join("\n\n");
const file = (name: string) => ({ path: `/tmp/${name}`, name, mime: "image/png", kind: "image" as const });

test("a message that no one asked for leaves MSGL five bubbles a call, without numbers, and nothing of it is left out", () => {
  const rows = toParcelSends(target("msgl"), { kind: "cron", text: long, format: "markdown", key: "k" });
  assert.deepEqual(
    rows.map(({ payload, via, sourceKey }) => [bubblesOf(payload, MSGL).length, via, sourceKey]),
    [
      [5, undefined, "k:0"],
      [2, undefined, "k:1"],
    ],
  );
  assert.equal(rows.flatMap(({ payload }) => bubblesOf(payload, MSGL)).join("\n\n"), long);
});

test("files that no one asked for are one line on MSGL, and messages of their own elsewhere", () => {
  const parcel = { kind: "cron", text: "done", format: "markdown", key: "k", files: [file("a"), file("b")] } as const;
  assert.deepEqual(
    toParcelSends(target("msgl"), parcel).map(({ payload }) => [payload.text, payload.file]),
    [["done\n\n📎 2 attachments", undefined]],
  );
  assert.deepEqual(
    toParcelSends(target("msgl"), { ...parcel, text: "", files: [file("a")] }).map(({ payload }) => payload.text),
    ["📎 1 attachment"],
  );
  assert.deepEqual(
    toParcelSends(target("msgt"), parcel).map(({ payload }) => [payload.text, payload.file?.name]),
    [
      ["done", undefined],
      ["", "a"],
      ["", "b"],
    ],
  );
});

const answer = (text: string): SendPayload => {
  const [first] = toMessageParts("msgl", text, { format: "markdown", asked: true });
  assert.ok(first);
  return first.payload;
};

test("a line before or behind a long answer of MSGL is a bubble of the same call as long as that has room", () => {
  const two = answer(`${"a".repeat(4498)}\n\nend`);
  assert.deepEqual(
    bubblesOf(appendLine("msgl", two, "note", "before") ?? two, MSGL).map((one) => one.slice(0, 4)),
    ["note", "aaaa", "end"],
  );
  assert.deepEqual(bubblesOf(appendLine("msgl", two, "note", "behind") ?? two, MSGL).at(-1), "end\n\nnote");
  assert.equal(appendLine("msgl", answer(long), "note".repeat(40), "before"), undefined);
  assert.deepEqual(
    bubblesOf(appendLine("msgl", { text: "", format: "plain", silent: false }, "note", "before") ?? two, MSGL),
    ["note"],
  );
});

test("elsewhere such a line is in the same message, or it does not fit", () => {
  const short: SendPayload = { text: "one", format: "markdown", silent: false };
  assert.deepEqual(appendLine("msgx", short, "note", "behind"), { ...short, text: "one\n\nnote" });
  assert.equal(appendLine("msgx", { ...short, text: "x".repeat(1998) }, "note", "before"), undefined);
});
