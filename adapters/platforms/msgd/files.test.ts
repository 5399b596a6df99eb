import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { msgdWorld } from "../../../fixtures/worlds/msgd-world.js";
import { eventOf } from "../../../lib/gateway/inbox/batches.js";
import { receiveMedia } from "../../../lib/gateway/media/receive-media.js";

/** What the model is told of the files of a message. */
async function told(t: TestContext, name: string, bytes: Buffer, block: Record<string, unknown> = {}) {
  const cache = mkdtempSync(join(tmpdir(), "msgd-cache-"));
  t.after(() => rmSync(cache, { recursive: true, force: true }));
  const { server, reaches, received, platform, clock } = await msgdWorld(t, { block });
  await reaches("connected");
  server.state.files.set(name, bytes);
  const attachment = { id: "5", filename: name, size: bytes.length, url: `${server.url}/attachments/${name}` };
  server.say({ content: "look", attachments: [attachment] });
  const event = eventOf((await received(1))[0] ?? { payload: null });
  assert.ok(event);
  const deps = { mark: "in_", cache, clock, ids: countingIds(9), platform: async () => platform };
  const { lines } = await receiveMedia(deps, event, new AbortController().signal);
  return { text: event.text, lines };
}

test("GW-63 the model sees the words of a note", async (t) => {
  const { lines } = await told(t, "notes.md", Buffer.from("# Notes\n".repeat(256)));
  assert.deepEqual(lines, [`[Content of notes.md]:\n${"# Notes\n".repeat(256)}`]);
});

test("GW-64 a file of 33 MiB is not fetched, and the model is told; without a limit it is fetched", async (t) => {
  const big = Buffer.alloc(33 << 20);
  const without = await told(t, "big.zip", big);
  assert.deepEqual([without.text, without.lines], ["look\n[file big.zip skipped: size]", []]);
  const { lines } = await told(t, "big.zip", big, { max_attachment_bytes: 0 });
  const path = /: (.*)\]$/.exec(lines[0] ?? "")?.[1] ?? "";
  assert.equal(readFileSync(path).length, 33 << 20);
});

test("a file of any type is fetched where that is allowed", async (t) => {
  const { lines } = await told(t, "a.exe", Buffer.from("MZ"), { allow_any_attachment: true });
  assert.match(lines[0] ?? "", /^\[The user sent the file a\.exe: .*\.exe\]$/);
});
