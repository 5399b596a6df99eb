import assert from "node:assert/strict";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { countingIds } from "../../fixtures/ports/ids.js";
import { loopback } from "../../fixtures/servers/shared/loopback.js";
import { systemClock } from "../base/time/clock.js";
import type { MediumKind } from "../contracts/media/media.js";
import { createNet } from "../safety/net/net.js";
import { createMediaCache } from "./cache.js";
import { removeOldMedia } from "./sweep.js";

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const MP4 = Buffer.concat([Buffer.from("\0\0\0\x20ftypisom\0\0\0\0", "latin1"), Buffer.alloc(200, 7)]);

type Serve = (request: IncomingMessage, response: ServerResponse, asked: number) => void;

/** `allowPrivate`: the host of the test is on this machine, which the guard refuses otherwise. Pauses between attempts take no time. */
async function world(t: TestContext, serve: Serve, { allowPrivate = true } = {}) {
  const cache = mkdtempSync(join(tmpdir(), "media-"));
  const asked: string[] = [];
  const pauses: number[] = [];
  const server = await loopback(async (request, response) => {
    asked.push(request.url ?? "");
    serve(request, response, asked.length);
  });
  const net = createNet({ clock: systemClock, allowPrivate: () => allowPrivate });
  const clock = {
    ...systemClock,
    now: () => Date.parse("2026-03-04T05:06:07Z"),
    sleep: async (ms: number) => {
      pauses.push(ms);
    },
  };
  const media = createMediaCache({ home: { cache }, clock, ids: countingIds(), net });
  t.after(async () => {
    await net.close();
    await server.close();
    rmSync(cache, { recursive: true });
  });
  const get = (kind: MediumKind, path = "/x", signal = new AbortController().signal) =>
    media.fetch({ kind, prefix: "video", url: path.startsWith("http") ? path : `${server.url}${path}` }, signal);
  const left = (kind: MediumKind) => (existsSync(join(cache, kind)) ? readdirSync(join(cache, kind)) : []);
  return { cache, asked, pauses, media, get, left, url: server.url };
}

const nothing: Serve = (_request, response) => void response.end();
const warningOf = (got: { ok: boolean }) => ("warning" in got ? String(got.warning) : "");

test("a saved medium has the ending that its bytes say, a name with its time, and is private", async (t) => {
  const { cache, media } = await world(t, nothing);
  const path = await media.save("screenshots", "Shot/../in_", PNG);
  assert.equal(dirname(path), join(cache, "screenshots"));
  assert.match(basename(path), /^shot-in-_20260304_050607_[0-9a-f]{8}\.png$/);
  assert.deepEqual(readFileSync(path), PNG);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.notEqual(await media.save("screenshots", "shot", PNG), await media.save("screenshots", "shot", PNG));
});

test("bytes of another kind, and more than a kind may have, are not saved", async (t) => {
  const { media, cache } = await world(t, nothing);
  await assert.rejects(media.save("videos", "video", PNG), {
    code: "E_INVALID",
    message: /not a video of a known type/,
  });
  await assert.rejects(media.save("images", "image", Buffer.from("%PDF-1.7")), { code: "E_INVALID" });
  const large = Buffer.concat([PNG, Buffer.alloc(32 << 20)]);
  await assert.rejects(media.save("images", "image", large), { code: "E_TOO_LARGE", message: /32 MiB/ });
  assert.deepEqual(readdirSync(cache), []);
});

test("sound in a container of videos is saved as M4A", async (t) => {
  const { media } = await world(t, nothing);
  assert.match(await media.save("audio", "speech", MP4), /\.m4a$/);
});

test("a download lies complete under its name, and nothing else is left", async (t) => {
  const { get, left } = await world(t, (_request, response) => {
    response.write(MP4.subarray(0, 5));
    response.end(MP4.subarray(5));
  });
  const got = await get("videos");
  assert(got.ok);
  assert.deepEqual(readFileSync(got.path), MP4);
  assert.deepEqual([got.bytes, got.mime], [MP4.length, "video/mp4"]);
  assert.deepEqual(left("videos"), [basename(got.path)]);
});

test("a download that fails is tried three times", async (t) => {
  const { get, asked, pauses } = await world(t, (_request, response, count) => {
    if (count < 3) response.writeHead(503).end();
    else response.end(PNG);
  });
  assert.equal((await get("images")).ok, true);
  assert.deepEqual([asked.length, pauses], [3, [1_000, 2_000]]);
});

test("after the third attempt the warning says what the last one met", async (t) => {
  const { get, asked, left } = await world(t, (_request, response) => {
    response.writeHead(200, { "content-length": "100000" });
    response.write(PNG, () => response.destroy());
  });
  assert.match(warningOf(await get("images")), /^the download failed: /);
  assert.deepEqual([asked.length, left("images")], [3, []]);
});

test("three redirects are followed, a fourth is not", async (t) => {
  const serve: Serve = (request, response) => {
    const left = Number((request.url ?? "/0").slice(1));
    if (left === 0) response.end(PNG);
    else response.writeHead(302, { location: `/${left - 1}` }).end();
  };
  const { get } = await world(t, serve);
  assert.equal((await get("images", "/3")).ok, true);
  assert.match(warningOf(await get("images", "/4")), /more than 3 redirects/);
});

test("a private address is refused by the guard, once, and nothing is asked", async (t) => {
  const { get, asked, pauses } = await world(t, nothing, { allowPrivate: false });
  assert.match(warningOf(await get("images")), /the download failed: .*(private|loopback|blocked)/i);
  assert.deepEqual([asked, pauses], [[], []]);
});

test("a page instead of a video is not kept, and not asked for again", async (t) => {
  const { get, asked, left } = await world(t, (_request, response) => {
    response.writeHead(200, { "content-type": "video/mp4" }).end("<!doctype html>".repeat(100));
  });
  assert.match(warningOf(await get("videos")), /not a video of a known type/);
  assert.deepEqual([asked.length, left("videos")], [1, []]);
});

test("more bytes than the kind may have end the download, told or not", async (t) => {
  const { get, asked, left } = await world(t, (request, response) => {
    if (request.url === "/told") response.writeHead(200, { "content-length": String(33 << 20) });
    response.write(PNG);
    if (request.url === "/more") response.end(Buffer.alloc(32 << 20));
  });
  assert.match(warningOf(await get("images", "/told")), /exceeds 32 MiB/);
  assert.match(warningOf(await get("images", "/more")), /exceeds 32 MiB/);
  assert.deepEqual([asked.length, left("images")], [2, []]);
});

test("an interrupt ends a download and leaves nothing", async (t) => {
  const stop = new AbortController();
  const { get, left } = await world(t, (_request, response) => {
    response.write(MP4, () => stop.abort());
  });
  await assert.rejects(get("videos", "/x", stop.signal));
  assert.deepEqual(left("videos"), []);
});

test("files of tools go after the days of the setting; inbound media and files of others stay", async (t) => {
  const { cache, media, left } = await world(t, nothing);
  const clock = manualClock("2026-06-01T00:00:00Z");
  const aged = (path: string, days: number) => {
    const at = new Date(clock.now() - days * 86_400_000);
    utimesSync(path, at, at);
  };
  const old = await media.save("images", "image", PNG);
  const young = await media.save("images", "image", PNG);
  aged(old, 31);
  aged(young, 29);
  for (const name of ["in_0123456789ab.png", "mine.png", ".0123456789ab.part"]) {
    writeFileSync(join(cache, "images", name), PNG);
    aged(join(cache, "images", name), 31);
  }
  assert.equal(await removeOldMedia({ home: { cache }, clock }, 0), 1);
  assert.equal(await removeOldMedia({ home: { cache }, clock }, 30), 1);
  assert.deepEqual(left("images").sort(), ["in_0123456789ab.png", "mine.png", basename(young)].sort());
});
