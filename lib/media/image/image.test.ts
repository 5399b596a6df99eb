import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PNG } from "../../../fixtures/servers/media/media.js";
import { mediaWorld } from "../../../fixtures/worlds/media-world.js";
import { imageBackendOf } from "../plugin-backends.js";

const KEY = { env: { FAL_KEY: "fal-secret" } };

test("the queue makes a picture: a file of the cache, with its model and its price", async (t) => {
  const world = await mediaWorld(t, { ...KEY, config: { "image_gen.prices": { "fal-ai/flux-2/klein/9b": 0.01 } } });
  const got = await world.image({ aspectRatio: "square" });
  assert.match(String(got["image"]), /\/images\/image_\d{8}_\d{6}_[0-9a-f]{8}\.png$/);
  assert.deepEqual(readFileSync(String(got["image"])), PNG);
  const { image: _image, source_url: _source, ...rest } = got;
  assert.deepEqual(rest, {
    success: true,
    provider: "queue",
    model: "fal-ai/flux-2/klein/9b",
    prompt: "a cat",
    aspect_ratio: "square",
    cost_usd: 0.01,
  });
  const [submitted] = world.server.submitted();
  assert.deepEqual(
    [submitted?.path, submitted?.body],
    ["/fal-ai/flux-2/klein/9b", { prompt: "a cat", image_size: "square_hd", num_images: 1 }],
  );
  assert.equal(world.said[0], "queue: fal-ai/flux-2/klein/9b, square; about $0.01");
  assert.deepEqual(world.spent, [{ provider: "queue", model: "fal-ai/flux-2/klein/9b", usd: 0.01 }]);
});

test("a ratio that is not known becomes landscape, with a warning", async (t) => {
  const world = await mediaWorld(t, KEY);
  const got = await world.image({ aspectRatio: "16:9" });
  assert.deepEqual([got.success, got["aspect_ratio"]], [true, "landscape"]);
  assert.match(String(got["warning"]), /unknown aspect_ratio '16:9'/);
  assert.equal(world.server.submitted()[0]?.body["image_size"], "landscape_16_9");
  assert.match(String(world.said[0]), /price unknown/);
});

test("without a key, a refusal, and what is no picture are results that say what to do", async (t) => {
  const none = await mediaWorld(t);
  assert.match(String((await none.image({}))["error"]), /FAL_KEY/);
  const world = await mediaWorld(t, KEY);
  world.server.next(/^POST/, { status: 402, value: { detail: "Exhausted balance" } });
  const refused = await world.image({});
  assert.deepEqual([refused["image"], refused["error_type"]], [null, "queue_402"]);
  assert.match(String(refused["error"]), /Exhausted balance.*image_gen.provider/);
  world.server.next(/\/files\//, { raw: "%PDF-1.7" });
  const pdf = await world.image({});
  assert.deepEqual([pdf.success, pdf["image"]], [true, null]);
  assert.match(String(pdf["warning"]), /not an image/);
});

test("a plugin makes pictures once a setting names it, or nothing else can", async (t) => {
  const provider = {
    name: "studio",
    isAvailable: () => true,
    generate: async (request: Record<string, unknown>) => ({ image: PNG, extras: { ratio: request["aspect_ratio"] } }),
  };
  const world = await mediaWorld(t, { imageBackends: [imageBackendOf(provider)] });
  const got = await world.image({ aspectRatio: "portrait" });
  assert.deepEqual([got.success, got["provider"], got["source_url"]], [true, "studio", null]);
  assert.deepEqual(readFileSync(String(got["image"])), PNG);
});
