import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { MP4 } from "../../../fixtures/servers/media/media.js";
import { type MediaWorld, mediaWorld } from "../../../fixtures/worlds/media-world.js";
import type { MediaEnvelope } from "../../contracts/media/media.js";

const FAL = { FAL_KEY: "fal-secret" };
const VIA = { queue: { env: FAL }, direct: { vendor: "oauth" } } as const;

/** A failure of this code, after which nothing was asked of anyone but `asked` times. */
function failed(world: MediaWorld, got: MediaEnvelope, code: string, submitted = 0): string {
  assert.equal(got["code"], code, JSON.stringify(got));
  assert.deepEqual([got.success, got["video"], got["error_type"]], [false, null, code]);
  assert.equal(world.server.submitted().length, submitted);
  return String(got["error"]);
}

test("C43 an image-only family without an image, an image with references, and eight references are refused before any request", async (t) => {
  proves(t, "video.missing-image", "video.references-refused", "limit.video-references", "video.reference-images");
  const queue = await mediaWorld(t, VIA.queue);
  failed(queue, await queue.video({ model: "happy-horse" }), "missing_image_url");
  const direct = await mediaWorld(t, VIA.direct);
  const references = Array.from({ length: 8 }, (_, index) => `https://a.test/${index}.png`);
  failed(direct, await direct.video({ model: "grok-imagine-video-1.5-preview" }), "missing_image_url");
  const both = { imageUrl: "https://a.test/i.png", referenceImageUrls: references.slice(0, 1) };
  failed(direct, await direct.video(both), "conflicting_inputs");
  assert.match(
    failed(direct, await direct.video({ referenceImageUrls: references }), "too_many_references"),
    /at most 7/,
  );
  assert.deepEqual([queue.server.asked, direct.server.asked, direct.said], [[], [], []]);
  assert.equal((await direct.video({ referenceImageUrls: references.slice(1) })).success, true);
});

test("MD2 nothing is sent for a blank prompt, an unknown backend, or without a credential", async (t) => {
  proves(t, "video.prompt", "config.video-gen");
  const world = await mediaWorld(t, VIA.queue);
  failed(world, await world.video({ prompt: "  \n" }), "missing_prompt");
  const unknown = await mediaWorld(t, { ...VIA.queue, config: { "video_gen.provider": "acme" } });
  assert.match(failed(unknown, await unknown.video({}), "provider_not_registered"), /known: direct, queue/);
  const keyless = await mediaWorld(t, { config: { "video_gen.provider": "fal" } });
  assert.match(failed(keyless, await keyless.video({}), "auth_required"), /FAL_KEY/);
  const none = await mediaWorld(t);
  assert.match(failed(none, await none.video({}), "no_provider_configured"), /FAL_KEY.*|SEARCH_VENDOR_API_KEY/);
  const both = await mediaWorld(t, { ...VIA.queue, vendor: "oauth" });
  assert.match(failed(both, await both.video({}), "no_provider_configured"), /video_gen.provider/);
  const revoked = await mediaWorld(t, { vendor: "revoked" });
  assert.match(failed(revoked, await revoked.video({}), "auth_required"), /agent auth add search-vendor/);
});

test("the queue makes a video from text: a file of the cache, with what was asked and what was changed", async (t) => {
  proves(t, "video.envelope", "video.cache", "video.audio", "video.seed", "tool.video-generate");
  const world = await mediaWorld(t, { ...VIA.queue, config: { "video_gen.prices": { "pixverse-v6": 0.05 } } });
  world.server.next(/\/status$/, { value: { status: "IN_QUEUE", queue_position: 2 } });
  const got = await world.video({ duration: 20, aspectRatio: "1:1", audio: true, seed: 3, negativePrompt: "dogs" });
  const path = String(got["video"]);
  assert.match(path, /\/videos\/video_\d{8}_\d{6}_[0-9a-f]{8}\.mp4$/);
  assert.equal(dirname(path), join(world.cache, "videos"));
  assert.deepEqual(readFileSync(path), MP4);
  const { video: _video, source_url, extras: _extras, ...rest } = got;
  assert.equal(source_url, `${world.server.url}/files/q_1.mp4`);
  assert.deepEqual(rest, {
    success: true,
    model: "pixverse-v6",
    prompt: "a cat",
    modality: "text",
    aspect_ratio: null,
    resolution: "720p",
    duration: 15,
    provider: "queue",
    requested: { duration: 20, aspect_ratio: "1:1", resolution: "720p" },
    adjusted: ["duration", "aspect_ratio"],
    cost_usd: 0.75,
  });
  const [submitted] = world.server.submitted();
  assert.equal(submitted?.path, "/fal-ai/pixverse/v6/text-to-video");
  assert.equal(submitted?.headers.authorization, "Key fal-secret");
  assert.deepEqual(submitted?.body, {
    prompt: "a cat",
    duration: "15",
    resolution: "720p",
    negative_prompt: "dogs",
    generate_audio: true,
    seed: 3,
  });
  assert.deepEqual(world.said.slice(0, 2), ["queue: pixverse-v6, 15 s, 720p; about $0.75", "queue: waiting, 2 ahead"]);
  assert.deepEqual([world.pauses, world.spent], [[3_000], [{ provider: "queue", model: "pixverse-v6", usd: 0.75 }]]);
  assert.deepEqual(world.files("requests"), []);
});

const IMAGE_BODIES: readonly (readonly [model: string, path: string, body: Readonly<Record<string, unknown>>])[] = [
  ["ltx-2.3", "/fal-ai/ltx-2.3-22b/image-to-video", { image_url: "data:x" }],
  ["pixverse-v6", "/fal-ai/pixverse/v6/image-to-video", { image_url: "data:x", duration: "5", resolution: "720p" }],
  [
    "veo3.1",
    "/fal-ai/veo3.1/image-to-video",
    { image_url: "data:x", duration: "4s", aspect_ratio: "16:9", resolution: "720p" },
  ],
  [
    "seedance-2.0",
    "/bytedance/seedance-2.0/image-to-video",
    { image_url: "data:x", duration: "5", aspect_ratio: "16:9", resolution: "720p" },
  ],
  [
    "kling-v3-4k",
    "/fal-ai/kling-video/v3/4k/image-to-video",
    { start_image_url: "data:x", duration: "5", aspect_ratio: "16:9" },
  ],
  ["happy-horse", "/alibaba/happy-horse/image-to-video", { image_url: "data:x" }],
];

test("an image makes a video from that image, in the words of each family", async (t) => {
  proves(t, "video.image-url", "video.model");
  const world = await mediaWorld(t, { ...VIA.queue, config: { "video_gen.model": "ltx-2.3" } });
  for (const [model, path, body] of IMAGE_BODIES) {
    const got = await world.video({ model, imageUrl: "data:x" });
    assert.deepEqual([got.success, got["modality"], got["model"]], [true, "image", model]);
    const submitted = world.server.submitted().at(-1);
    assert.deepEqual([submitted?.path, submitted?.body], [path, { prompt: "a cat", ...body }]);
  }
});

test("the model is that of the argument, of the backend's setting, of the tool's setting, of the backend", async (t) => {
  const config = { "video_gen.model": "ltx-2.3", "video_gen.queue.model": "veo3.1" };
  const world = await mediaWorld(t, { ...VIA.queue, config });
  assert.equal((await world.video({ model: "kling-v3-4k" }))["model"], "kling-v3-4k");
  assert.equal((await world.video({}))["model"], "veo3.1");
  const general = await mediaWorld(t, { ...VIA.queue, config: { "video_gen.model": "ltx-2.3" } });
  assert.equal((await general.video({}))["model"], "ltx-2.3");
  const unknown = await world.video({ model: "sora-9" });
  assert.equal(unknown["model"], "pixverse-v6");
  assert.match(String(unknown["note"]), /unknown model 'sora-9'/);
});

test("the direct backend asks with a login and a key of the request, and says which credential paid", async (t) => {
  const world = await mediaWorld(t, VIA.direct);
  world.server.next(/^GET \/v1\/videos/, { value: { status: "pending" } }, { status: 503, raw: "busy" });
  const got = await world.video({ duration: 15, referenceImageUrls: ["https://a.test/1.png"], aspectRatio: "3:2" });
  assert.deepEqual(
    [got.success, got["provider"], got["model"], got["duration"], got["credential_source"], got["adjusted"]],
    [true, "direct", "grok-imagine-video", 10, "oauth", ["duration"]],
  );
  const [submitted] = world.server.submitted();
  assert.match(String(submitted?.headers["x-idempotency-key"]), /^[0-9a-f]{32}-[0-9a-f]{16}$/);
  assert.equal(submitted?.headers.authorization, "Bearer vendor-token");
  assert.deepEqual(submitted?.body, {
    model: "grok-imagine-video",
    prompt: "a cat",
    duration: 10,
    aspect_ratio: "3:2",
    resolution: "720p",
    reference_images: [{ url: "https://a.test/1.png" }],
  });
  assert.deepEqual(world.pauses, [5_000, 5_000]);
  const image = await world.video({ imageUrl: "https://a.test/i.png" });
  assert.equal(image["model"], "grok-imagine-video-1.5-preview");
  assert.deepEqual(world.server.submitted().at(-1)?.body["image"], { url: "https://a.test/i.png" });
});

test("a login that is refused is renewed once, a key is not", async (t) => {
  const login = await mediaWorld(t, VIA.direct);
  login.server.next(/^POST/, { status: 401, value: { error: "expired" } });
  assert.equal((await login.video({})).success, true);
  assert.equal(login.server.submitted().at(-1)?.headers.authorization, "Bearer renewed");
  assert.equal(new Set(login.server.submitted().map(({ headers }) => headers["x-idempotency-key"])).size, 1);
  const key = await mediaWorld(t, { vendor: "api_key" });
  key.server.next(/^POST/, { status: 401, value: { error: "bad key" } });
  assert.match(failed(key, await key.video({}), "direct_401", 1), /bad key.*SEARCH_VENDOR_API_KEY/);
});

const REFUSALS: readonly (readonly [status: number, headers: Record<string, string>, says: RegExp])[] = [
  [401, {}, /does not accept the credential/],
  [402, {}, /no credit left/],
  [429, { "retry-after": "90" }, /free again in 90 s \(\d{4}-/],
  [503, {}, /Try again later, or choose another backend with video_gen.provider/],
  [422, {}, /Change the arguments/],
];

for (const backend of ["queue", "direct"] as const) {
  for (const [status, headers, says] of REFUSALS) {
    test(`${backend} answering ${status} is a result that says what to do`, async (t) => {
      const world = await mediaWorld(t, VIA[backend]);
      world.server.always(/^POST/, { status, headers, value: { detail: [{ msg: "too  bad" }] } });
      const renewed = backend === "direct" && status === 401 ? 2 : 1;
      const error = failed(world, await world.video({}), `${backend}_${status}`, renewed);
      assert.match(error, says);
      assert.match(error, /too +bad/);
      assert.deepEqual(world.files("requests"), []);
    });
  }

  test(`${backend} answering garbage, or a result without a video, is a result that says so`, async (t) => {
    const world = await mediaWorld(t, VIA[backend]);
    world.server.next(/^POST/, { raw: "<html>hello" });
    assert.match(failed(world, await world.video({}), "empty_response", 1), /no request_id/);
    const result = { value: { status: "done", video: {}, images: [] } };
    world.server.always(/^GET \/(v1|fal-ai\/.*\/q_\d+$)/, result);
    assert.match(failed(world, await world.video({}), "empty_response", 2), /no video/);
  });

  test(`${backend} that cuts the connection is a result, and the turn goes on`, async (t) => {
    const world = await mediaWorld(t, VIA[backend]);
    world.server.next(/^POST/, {});
    assert.match(failed(world, await world.video({}), "api_error", 1), /cannot be reached/);
  });
}

test("the queue that is never completed is cancelled after 600 s", async (t) => {
  const world = await mediaWorld(t, VIA.queue);
  world.server.always(/\/status$/, { value: { status: "IN_PROGRESS" } });
  assert.match(failed(world, await world.video({}), "timeout", 1), /600 s and was cancelled/);
  assert.equal(new Set(world.pauses).size, 1);
  assert(world.pauses.length >= 190 && world.pauses.length <= 200, String(world.pauses.length));
  assert.equal(world.server.asked.at(-1)?.method, "PUT");
  assert.deepEqual(world.files("requests"), []);
});

test("after a timeout of the direct backend the same call goes on waiting, and pays nothing", async (t) => {
  const config = { "video_gen.prices": { "grok-imagine-video": 0.1 } };
  const world = await mediaWorld(t, { ...VIA.direct, config });
  let slow = true;
  world.server.always(/^GET \/v1/, ({ path }) => ({
    value: slow
      ? { status: "pending" }
      : { status: "done", video: { url: `${world.server.url}/files/${path.slice(11)}.mp4` } },
  }));
  assert.match(failed(world, await world.video({}), "timeout", 1), /same call again/);
  slow = false;
  assert.equal((await world.video({})).success, true);
  assert.deepEqual([world.server.submitted().length, world.spent.length], [1, 1]);
  assert.match(world.said.join("\n"), /goes on with a request that is paid already/);
  assert.equal((await world.video({})).success, true);
  assert.equal(world.server.submitted().length, 2);
});

test("an interrupt cancels in the queue; the direct backend goes on with it when it is called again", async (t) => {
  const queue = await mediaWorld(t, VIA.queue);
  const stop = new AbortController();
  queue.server.next(/\/status$/, { value: { status: "IN_PROGRESS" } });
  const stopped = queue.server.seen(/\/status$/).then(() => stop.abort());
  await assert.rejects(queue.video({}, stop.signal));
  await stopped;
  assert.equal(queue.server.asked.at(-1)?.method, "PUT");
  assert.deepEqual(queue.files("requests"), []);

  const direct = await mediaWorld(t, VIA.direct);
  const halt = new AbortController();
  direct.server.next(/^GET \/v1/, { value: { status: "pending" } });
  const halted = direct.server.seen(/^GET \/v1/).then(() => halt.abort());
  await assert.rejects(direct.video({}, halt.signal));
  await halted;
  assert.equal((await direct.video({})).success, true);
  assert.equal(direct.server.submitted().length, 1);
});

/** What a process leaves that is killed in the middle of a call: its record, whose holder lives no more. */
function killed(world: MediaWorld): void {
  const [name = ""] = world.files("requests");
  const path = join(world.cache, "requests", name);
  const record = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>; // written by the code under test
  writeFileSync(path, JSON.stringify({ ...record, holder: "999999999 1 other-boot" }));
}

test("a call that a kill has cut short is not paid twice where that can be known, and it is said where it cannot", async (t) => {
  for (const backend of ["queue", "direct"] as const) {
    const world = await mediaWorld(t, VIA[backend]);
    const stop = new AbortController();
    // The answer never comes: what is on the disk then is what a killed process leaves.
    world.server.next(/^POST/, { after: new Promise(() => undefined) });
    const cut = assert.rejects(world.video({}, stop.signal));
    await world.server.seen(/^POST/);
    killed(world);
    stop.abort();
    await cut;
    const got = await world.video({});
    assert.equal(got.success, true);
    const keys = world.server.submitted().map(({ headers }) => headers["x-idempotency-key"]);
    assert.equal(keys[0], keys[1]);
    assert.equal(got["note"] !== undefined, backend === "queue", String(got["note"]));
  }
});

test("equal requests at the same time are two videos", async (t) => {
  const world = await mediaWorld(t, VIA.direct);
  const got = await Promise.all([world.video({}), world.video({})]);
  assert.equal(new Set(got.map(({ source_url }) => source_url)).size, 2);
});

test("a video that cannot be fetched is still made: its address and a warning are the result", async (t) => {
  const cases = [
    ["http://10.0.0.1/x.mp4", {}, /blocked|private/i],
    [
      "/files/x.mp4",
      { status: 302, headers: { location: "http://169.254.169.254/latest" } },
      /169\.254|blocked|metadata/i,
    ],
    ["/files/x.mp4", { raw: "<html>not a video at all" }, /not a video/],
    ["/files/x.mp4", { headers: { "content-length": String(600 << 20) }, raw: MP4 }, /512 MiB/],
  ] as const;
  for (const [url, reply, says] of cases) {
    const world = await mediaWorld(t, { ...VIA.queue, allowPrivate: url.startsWith("/") });
    const address = url.startsWith("/") ? `${world.server.url}${url}` : url;
    world.server.always(/\/files\//, reply);
    world.server.next(/\/q_1$/, { value: { video: { url: address } } });
    const got = await world.video({});
    assert.deepEqual([got.success, got["video"], got["source_url"]], [true, null, address]);
    assert.match(String(got["warning"]), says);
    assert.deepEqual(world.files("videos"), []);
  }
});

test("the key of the queue goes nowhere but to its own address", async (t) => {
  const world = await mediaWorld(t, VIA.queue);
  const other = await mediaWorld(t);
  const told = { status_url: `${other.server.url}/s`, response_url: `${other.server.url}/r`, cancel_url: "file:///x" };
  world.server.next(/^POST/, { value: { request_id: "q_9", ...told } });
  assert.equal((await world.video({})).success, true);
  assert.deepEqual(other.server.asked, []);
  assert.equal(world.server.asked[1]?.path, "/fal-ai/pixverse/requests/q_9/status");
});
