import assert from "node:assert/strict";
import { test } from "node:test";
import { MP4 } from "../../fixtures/servers/media/media.js";
import { mediaWorld } from "../../fixtures/worlds/media-world.js";
import { videoBackendOf } from "./plugin-backends.js";

const MODELS = [
  {
    id: "tiny",
    modalities: ["text"],
    durations: [2, 4],
    resolutions: ["480p"],
    max_references: 2,
    usd_per_second: 0.5,
  },
  { id: "tiny-image", modalities: ["image"] },
];

/** A backend as a plugin would register it. */
function plugin(over: Readonly<Record<string, unknown>> = {}) {
  const provider = {
    name: "studio",
    isAvailable: () => true,
    listModels: () => MODELS,
    generate: async (): Promise<unknown> => ({ video: MP4, extras: { where: "here" } }),
    ...over,
  };
  return { config: { "video_gen.provider": "studio" }, backends: [videoBackendOf(provider)] };
}

test("a plugin's backend makes videos within what its models take", async (t) => {
  const seen: Record<string, unknown>[] = [];
  const generate = async (request: Record<string, unknown>) => {
    seen.push(request);
    return { video: MP4, extras: { where: "here" } };
  };
  const world = await mediaWorld(t, plugin({ generate }));
  const got = await world.video({ duration: 3, resolution: "1080p", aspectRatio: "1:1" });
  assert.deepEqual(
    [got.success, got["provider"], got["model"], got["duration"], got["resolution"], got["cost_usd"], got["extras"]],
    [true, "studio", "tiny", 2, "480p", 1, { where: "here" }],
  );
  assert.deepEqual(got["adjusted"], ["duration", "aspect_ratio", "resolution"]);
  assert.deepEqual([seen[0]?.["duration"], seen[0]?.["aspect_ratio"], seen[0]?.["image_url"]], [2, null, null]);
  assert.equal((await world.video({ imageUrl: "https://a.test/i.png" }))["code"], "modality_unsupported");
  const references = ["https://a.test/1", "https://a.test/2", "https://a.test/3"];
  assert.equal((await world.video({ referenceImageUrls: references }))["code"], "too_many_references");
});

const BROKEN: readonly (readonly [what: string, over: Readonly<Record<string, unknown>>, code: string])[] = [
  ["throws", { generate: () => Promise.reject(new Error("no disk")) }, "provider_exception"],
  ["throws at once", { generate: () => assert.fail("no") }, "provider_exception"],
  ["answers a text", { generate: async () => "done" }, "provider_contract"],
  ["answers a path", { generate: async () => ({ video: "/tmp/x.mp4" }) }, "provider_contract"],
  ["answers an error of its own", { generate: async () => ({ error: "no credit", code: "studio_402" }) }, "studio_402"],
  ["lists no models", { listModels: () => [{ nothing: 1 }] }, "provider_contract"],
  ["cannot list models", { listModels: () => assert.fail("no") }, "provider_exception"],
  ["is not available", { isAvailable: () => "its program is missing" }, "auth_required"],
];

for (const [what, over, code] of BROKEN) {
  test(`a plugin that ${what} is the result ${code}`, async (t) => {
    const world = await mediaWorld(t, plugin(over));
    const got = await world.video({});
    assert.deepEqual([got.success, got["code"], got["provider"]], [false, code, "studio"]);
  });
}

test("an interrupt does not wait for a plugin that does not listen", async (t) => {
  const stop = new AbortController();
  const generate = () => {
    stop.abort();
    return new Promise(() => undefined);
  };
  const world = await mediaWorld(t, plugin({ generate }));
  await assert.rejects(world.video({}, stop.signal));
  assert.deepEqual(world.files("requests"), []);
});
