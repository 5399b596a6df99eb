import assert from "node:assert/strict";
import { test } from "node:test";
import { directVideo } from "../../../adapters/media/video/direct.js";
import { queueVideo } from "../../../adapters/media/video/queue.js";
import { proves } from "../../../fixtures/requirements.js";
import type { VideoBackend } from "../../contracts/media/backends.js";
import type { VideoRequest } from "../../contracts/media/media.js";
import { fitTo } from "./fit.js";

async function fitted(backend: VideoBackend, id: string, request: Partial<VideoRequest> = {}) {
  const model = (await backend.models()).find((one) => one.id === id);
  assert(model !== undefined);
  return fitTo(model, { prompt: "a cat", ...request }, backend.defaultSeconds);
}

const SECONDS: readonly (readonly [backend: VideoBackend, model: string, asked: number, made: number | undefined])[] = [
  [directVideo, "grok-imagine-video", 0, 1],
  [directVideo, "grok-imagine-video", 99, 15],
  [queueVideo, "pixverse-v6", 15, 15],
  [queueVideo, "pixverse-v6", -3, 1],
  [queueVideo, "kling-v3-4k", 1, 3],
  [queueVideo, "seedance-2.0", 1, 4],
  [queueVideo, "seedance-2.0", 16, 15],
  [queueVideo, "veo3.1", 5, 4],
  [queueVideo, "veo3.1", 7, 6],
  [queueVideo, "veo3.1", 30, 8],
  [queueVideo, "ltx-2.3", 5, undefined],
  [queueVideo, "happy-horse", 5, undefined],
];

for (const [backend, model, asked, made] of SECONDS) {
  test(`${model} asked for ${asked} s is asked for ${made ?? "no length"}`, async (t) => {
    proves(t, "limit.video-duration", "video.duration");
    const { seconds, adjusted } = await fitted(backend, model, { duration: asked });
    assert.equal(seconds, made);
    assert.deepEqual(adjusted, asked === made ? [] : ["duration"]);
  });
}

test("a video whose length no one says has 8 s from direct and 5 s from the queue, or the nearest", async () => {
  assert.equal((await fitted(directVideo, "grok-imagine-video")).seconds, 8);
  assert.equal((await fitted(queueVideo, "pixverse-v6")).seconds, 5);
  const veo = await fitted(queueVideo, "veo3.1");
  assert.deepEqual([veo.seconds, veo.adjusted], [4, []]);
});

test("a video from references has at most 10 s", async () => {
  const made = await fitted(directVideo, "grok-imagine-video", {
    duration: 15,
    referenceImageUrls: ["https://a.test/1"],
  });
  assert.deepEqual([made.seconds, made.adjusted], [10, ["duration"]]);
});

const RATIOS: readonly (readonly [model: string, asked: string, made: string | undefined])[] = [
  ["veo3.1", "4:3", "16:9"],
  ["veo3.1", "1:1", "9:16"],
  ["veo3.1", "2:3", "9:16"],
  ["kling-v3-4k", "4:3", "1:1"],
  ["kling-v3-4k", "3:2", "16:9"],
  ["seedance-2.0", "3:2", "4:3"],
  ["seedance-2.0", "16:9", "16:9"],
  ["pixverse-v6", "9:16", undefined],
];

for (const [model, asked, made] of RATIOS) {
  test(`${model} asked for ${asked} is asked for ${made ?? "no ratio"}`, async (t) => {
    proves(t, "video.aspect-ratio");
    const { aspectRatio, adjusted } = await fitted(queueVideo, model, { aspectRatio: asked });
    assert.equal(aspectRatio, made);
    assert.deepEqual(adjusted, asked === made ? [] : ["aspect_ratio"]);
  });
}

const RESOLUTIONS: readonly (readonly [
  backend: VideoBackend,
  model: string,
  asked: string,
  made: string | undefined,
])[] = [
  [directVideo, "grok-imagine-video", "1080p", "720p"],
  [directVideo, "grok-imagine-video", "540p", "480p"],
  [queueVideo, "pixverse-v6", "480p", "540p"],
  [queueVideo, "veo3.1", "480p", "720p"],
  [queueVideo, "seedance-2.0", "540p", "480p"],
  [queueVideo, "kling-v3-4k", "720p", undefined],
];

for (const [backend, model, asked, made] of RESOLUTIONS) {
  test(`${model} asked for ${asked} is asked for ${made ?? "no resolution"}`, async (t) => {
    proves(t, "video.resolution");
    const { resolution, adjusted } = await fitted(backend, model, { resolution: asked });
    assert.equal(resolution, made);
    assert.deepEqual(adjusted, asked === made ? [] : ["resolution"]);
  });
}

test("what a model does not take is left out and named", async (t) => {
  proves(t, "video.negative-prompt");
  const all = { negativePrompt: "dogs", audio: true, seed: 7, referenceImageUrls: ["https://a.test/1"] };
  const horse = await fitted(queueVideo, "happy-horse", all);
  assert.deepEqual([horse.negativePrompt, horse.audio, horse.seed, horse.references], [undefined, undefined, 7, []]);
  assert.deepEqual(horse.adjusted, ["negative_prompt", "audio", "reference_image_urls"]);
  const direct = await fitted(directVideo, "grok-imagine-video", all);
  assert.deepEqual(direct.adjusted, ["negative_prompt", "audio", "seed"]);
});
