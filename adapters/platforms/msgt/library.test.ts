import assert from "node:assert/strict";
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { startMsgt } from "../../../fixtures/servers/msgt/server.js";
import { msgtWorld, TOKEN } from "../../../fixtures/worlds/msgt-world.js";
import { readPieces } from "../../../lib/base/fs/files.js";
import { platformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { createNet } from "../../../lib/safety/net/net.js";
import { createApi } from "./api.js";
import { type Library, loadLibrary } from "./library.js";
import { readMsgtSettings } from "./settings.js";

test("GW-06 a missing library is named with its version and how to install it, and no one is asked anything", async (t) => {
  const { reaches, server } = await msgtWorld(t, { load: () => Promise.reject(new Error("Cannot find package")) });
  const { error_code: code, error_message: message } = await reaches("fatal");
  assert.equal(code, "sdk_missing");
  assert.match(message ?? "", /grammy 1\.46\.0, which is not installed: npm install grammy@1\.46\.0$/);
  assert.equal(server.calls.length, 0);
});

test("a setting that cannot be meant is reported before any library is loaded", async (t) => {
  let loads = 0;
  const load = () => {
    loads += 1;
    return loadLibrary();
  };
  const { reaches } = await msgtWorld(t, { env: { MSGT_BOT_TOKEN: "nothing" }, load });
  assert.deepEqual([(await reaches("fatal")).error_code, loads], ["config_invalid", 0]);
});

/** The calls of the adapter without the rest of it. */
async function calling(t: TestContext, library: Library | undefined, base?: string) {
  const server = await startMsgt({ token: TOKEN });
  const net = createNet({ clock: manualClock(), allowPrivate: () => true });
  t.after(async () => {
    await net.close();
    await server.close();
  });
  const url = base ?? server.url;
  const env = { MSGT_BOT_TOKEN: TOKEN, MSGT_API_BASE: url, MSGT_FILE_BASE: url };
  const read = readMsgtSettings(platformSettings("msgt", { env, raw: () => undefined }));
  assert.ok("settings" in read);
  return {
    server,
    api: createApi(read.settings, { net, library: () => library }),
    signal: new AbortController().signal,
  };
}

test("a call before the first connect was certainly not sent", async (t) => {
  const { api, server, signal } = await calling(t, undefined);
  assert.deepEqual(await api.call("getMe", {}, { signal }), {
    ok: false,
    seen: { saw: "unsent", error: "MSGT was not connected yet" },
  });
  assert.equal(server.calls.length, 0);
});

const SEEN: readonly {
  readonly what: string;
  readonly base?: string;
  readonly fate?: { readonly status: number; readonly body: unknown };
  readonly seen: object;
}[] = [
  { what: "nobody listens", base: "http://127.0.0.1:9", seen: { saw: "unsent" } },
  {
    what: "the platform says no",
    fate: { status: 400, body: { ok: false, error_code: 400, description: "Bad Request: no" } },
    seen: { saw: "answer", status: 400, ownFormat: true, error: "Bad Request: no" },
  },
  {
    what: "the platform names a time to wait",
    fate: { status: 429, body: { ok: false, error_code: 429, description: "slowly", parameters: { retry_after: 3 } } },
    seen: { saw: "answer", status: 429, ownFormat: true, error: "slowly", retryAfterMs: 3000 },
  },
  {
    what: "the token is refused",
    fate: { status: 401, body: { ok: false, error_code: 401, description: "Unauthorized" } },
    seen: { saw: "answer", status: 401, ownFormat: true, error: "Unauthorized", credential: true },
  },
  {
    what: "a no says no reason",
    fate: { status: 403, body: { ok: false } },
    seen: { saw: "answer", status: 403, ownFormat: true, error: "the platform answered 403" },
  },
  {
    what: "a yes comes with the status of a failure",
    fate: { status: 500, body: { ok: true, result: {} } },
    seen: { saw: "answer", status: 500, ownFormat: true, error: "the platform answered 500" },
  },
  {
    what: "something else answers in its place",
    fate: { status: 502, body: "<html>" },
    seen: { saw: "answer", status: 502, ownFormat: false, error: "the platform answered 502" },
  },
];

for (const { what, base, fate, seen } of SEEN) {
  test(`what was seen is told apart when ${what}, and the token is in nothing that is told`, async (t) => {
    const { api, server, signal } = await calling(t, await loadLibrary(), base);
    if (fate !== undefined) server.next("sendMessage", { do: "answer", ...fate });
    const answer = await api.call("sendMessage", { chat_id: "1", text: "x" }, { signal });
    assert.equal(answer.ok, false);
    assert.deepEqual(
      { ...(answer.ok ? {} : answer.seen), ...(base === undefined ? {} : { error: undefined }) },
      base === undefined ? seen : { ...seen, error: undefined },
    );
    assert.doesNotMatch(JSON.stringify(answer), /test-token/);
  });
}

test("a call that is stopped ends at once, and may have arrived", async (t) => {
  const { api, server } = await calling(t, await loadLibrary());
  server.next("sendMessage", { do: "hang", after: true });
  const control = new AbortController();
  const call = api.call("sendMessage", { chat_id: "1", text: "x" }, { signal: control.signal });
  await server.until(() => server.of("sendMessage").length === 1);
  control.abort();
  const answer = await call;
  assert.equal(!answer.ok && answer.seen.saw, "cut");
});

test("a file of many megabytes goes out in pieces, and every byte of it arrives", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "msgt-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const bytes = Buffer.alloc(3 << 20, "abcdefghij\r\n--");
  const path = join(dir, "a; b.bin");
  writeFileSync(path, bytes);
  const { api, server, signal } = await calling(t, await loadLibrary());
  const file = { field: "document", name: "a; b.bin", pieces: () => readPieces(path, bytes.length) };
  assert.equal((await api.call("sendDocument", { chat_id: "1" }, { signal, file })).ok, true);
  const [call] = server.of("sendDocument");
  assert.deepEqual([call?.file?.name, call?.file?.bytes.equals(bytes)], ["a; b.bin", true]);
});

test("a file that becomes shorter while it is sent never arrives as a part", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "msgt-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "a.bin");
  writeFileSync(path, Buffer.alloc(1 << 20));
  truncateSync(path, 1000);
  const { api, server, signal } = await calling(t, await loadLibrary());
  const file = { field: "document", name: "a.bin", pieces: () => readPieces(path, 1 << 20) };
  const answer = await api.call("sendDocument", { chat_id: "1" }, { signal, file });
  assert.match(answer.ok ? "" : answer.seen.error, /shorter/);
  assert.deepEqual(server.shown, []);
});
