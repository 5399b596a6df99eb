import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { PERSON, startMsgl } from "../../../fixtures/servers/msgl/server.js";
import { type MsglWorldOptions, msglWorld } from "../../../fixtures/worlds/msgl-world.js";
import type { SendPayload } from "../../../lib/contracts/gateway/outbox.js";

async function connected(t: TestContext, options: MsglWorldOptions = {}) {
  const world = await msglWorld(t, options);
  const url = await world.listens();
  const { server } = world;
  const asked = async (token = "r1") => {
    await server.deliver(server.text("hi", { token }));
  };
  const words = () => server.shown.map(({ message }) => message["text"]);
  return { ...world, url, asked, words };
}

/** A file in the temporary directory of the system. */
function file(t: TestContext, name: string, bytes: Uint8Array | string): string {
  const dir = mkdtempSync(join(tmpdir(), "msgl-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const path = join(dir, name);
  writeFileSync(path, bytes);
  return path;
}

const withFile = (path: string, kind: "image" | "video" | "audio" | "document", mime = "image/png"): SendPayload => ({
  text: "",
  format: "plain",
  silent: false,
  file: { path, name: path.split("/").at(-1) ?? "", mime, kind },
});

test("GW-80 without a public address a picture becomes a text that names the setting", async (t) => {
  const { gateway, platform, settled, words } = await connected(t);
  const target = {
    platform: "msgl",
    account: platform.account,
    chatId: PERSON,
    threadId: null,
    replyTo: null,
  } as const;
  await gateway.outbox.insert([{ kind: "answer", target, payload: withFile(file(t, "a.png", "x"), "image") }]);
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual(words(), ["📎 a.png (not sent: MSGL_PUBLIC_URL is not set)"]);
});

test("a picture is served under an address that only the platform knows, for half an hour, also after a restart", async (t) => {
  proves(t, "msgl.media.serves");
  const server = await startMsgl({ token: "channel-token", secret: "channel-secret" });
  const options = { server, env: { MSGL_PUBLIC_URL: "http://127.0.0.1:1/pre/" } };
  const first = await connected(t, options);
  const target = {
    platform: "msgl",
    account: first.platform.account,
    chatId: PERSON,
    threadId: null,
    replyTo: null,
  } as const;
  const path = file(t, "a b.png", "0123456789");
  await first.gateway.outbox.insert([{ kind: "answer", target, payload: withFile(path, "image") }]);
  await first.settled();
  const shown = server.shown[0]?.message;
  const address = String(shown?.["originalContentUrl"]);
  assert.match(address, /^http:\/\/127\.0\.0\.1:1\/pre\/msgl\/media\/[\w-]{43}\/a_b\.png$/);
  assert.equal(shown?.["previewImageUrl"], address);
  await first.stop();
  const second = await msglWorld(t, { ...options, disk: first.disk });
  const url = await second.listens();
  const at = (part: string) => part.replace("http://127.0.0.1:1/pre", url);
  const got = await fetch(at(address));
  assert.deepEqual([got.status, got.headers.get("content-type"), await got.text()], [200, "image/png", "0123456789"]);
  const part = await fetch(at(address), { headers: { range: "bytes=2-4" } });
  assert.deepEqual([part.status, part.headers.get("content-range"), await part.text()], [206, "bytes 2-4/10", "234"]);
  const head = await fetch(at(address), { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("content-length"), await head.text()], [200, "10", ""]);
  assert.equal((await fetch(at(address), { headers: { range: "bytes=20-" } })).status, 416);
  assert.equal((await fetch(at(address.replace("a_b", "c")))).status, 404);
  assert.equal((await fetch(at(address.replace(/media\/./, "media/_")))).status, 404);
  assert.equal((await fetch(at(address), { method: "POST" })).status, 405);
  rmSync(path);
  assert.equal((await fetch(at(address))).status, 404);
  second.clock.advance(1_800_000);
  assert.equal((await fetch(at(address))).status, 410);
});

test("a file outside the places that may be shown is not served, nor is one that a link leads to", async (t) => {
  proves(t, "msgl.media.inside");
  const { gateway, platform, settled, server, url } = await connected(t, {
    env: { MSGL_PUBLIC_URL: "http://127.0.0.1:1" },
  });
  const target = {
    platform: "msgl",
    account: platform.account,
    chatId: PERSON,
    threadId: null,
    replyTo: null,
  } as const;
  await gateway.outbox.insert([{ kind: "answer", target, payload: withFile("/etc/hostname", "image") }]);
  await settled();
  const address = String(server.shown[0]?.message["originalContentUrl"]).replace("http://127.0.0.1:1", url);
  assert.equal((await fetch(address)).status, 403);
});

test("of the home only what was made to be sent is served, also when the home lies among temporary files", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "msgl-home-"));
  t.after(() => rmSync(home, { recursive: true }));
  mkdirSync(join(home, "cache", "outgoing"), { recursive: true });
  const paths = [
    join(home, ".env"),
    join(home, "state.db"),
    join(home, "cache", "outgoing", "a.png"),
    join(home, "cache", "link.png"),
  ];
  for (const path of paths.slice(0, 3)) writeFileSync(path, "x");
  symlinkSync(join(home, ".env"), paths[3] ?? "");
  const { gateway, platform, settled, server, url } = await connected(t, {
    home,
    env: { MSGL_PUBLIC_URL: "http://127.0.0.1:1" },
  });
  const target = {
    platform: "msgl",
    account: platform.account,
    chatId: PERSON,
    threadId: null,
    replyTo: null,
  } as const;
  await gateway.outbox.insert(paths.map((path) => ({ kind: "answer", target, payload: withFile(path, "image") })));
  await settled(4);
  const statuses: number[] = [];
  for (const { message } of server.shown) {
    const answer = await fetch(String(message["originalContentUrl"]).replace("http://127.0.0.1:1", url));
    statuses.push(answer.status);
    await answer.arrayBuffer();
  }
  assert.deepEqual(statuses, [403, 403, 200, 403]);
});

test("a sound is sent with its true length, a video with a picture before it, a document as a line", async (t) => {
  const { gateway, platform, settled, server, words, url } = await connected(t, {
    env: { MSGL_PUBLIC_URL: "http://127.0.0.1:1" },
  });
  const target = {
    platform: "msgl",
    account: platform.account,
    chatId: PERSON,
    threadId: null,
    replyTo: null,
  } as const;
  const payloads = [
    withFile(file(t, "a.wav", wav(1500)), "audio", "audio/wav"),
    withFile(file(t, "v.mp4", "video"), "video", "video/mp4"),
    withFile(file(t, "d.pdf", "pdf"), "document", "application/pdf"),
    withFile(file(t, "b.mp3", "no sound"), "audio", "audio/mpeg"),
  ];
  await gateway.outbox.insert(payloads.map((payload) => ({ kind: "answer", target, payload })));
  await settled(4);
  const [sound, video] = server.shown.map(({ message }) => message);
  assert.deepEqual([sound?.["type"], sound?.["duration"]], ["audio", 1500]);
  assert.equal(video?.["type"], "video");
  const preview = await fetch(String(video?.["previewImageUrl"]).replace("http://127.0.0.1:1", url));
  assert.deepEqual([preview.status, preview.headers.get("content-type")], [200, "image/png"]);
  await preview.arrayBuffer();
  assert.deepEqual(words().slice(2), [
    "📎 d.pdf (documents cannot be sent here)",
    "📎 b.mp3 (its length cannot be read)",
  ]);
});

test("what no one asked for comes without files and by push, even when a token could be used", async (t) => {
  const { gateway, platform, asked, settled, server, words } = await connected(t, {
    env: { MSGL_PUBLIC_URL: "http://127.0.0.1:1" },
  });
  await asked();
  const target = {
    platform: "msgl",
    account: platform.account,
    chatId: PERSON,
    threadId: null,
    replyTo: null,
  } as const;
  await gateway.outbox.insert([{ kind: "cron", target, payload: withFile(file(t, "a.png", "x"), "image") }]);
  await settled();
  assert.deepEqual([server.of("reply").length, words()], [0, ["📎 1 attachment"]]);
});

/** Silence of so many milliseconds. */
function wav(ms: number): Buffer {
  const head = Buffer.alloc(44);
  head.write("RIFF", 0, "latin1");
  head.write("WAVEfmt ", 8, "latin1");
  head.writeUInt32LE(8000, 28);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(8 * ms, 40);
  return Buffer.concat([head, Buffer.alloc(8 * ms)]);
}
