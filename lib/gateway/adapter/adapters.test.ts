import assert from "node:assert/strict";
import { test } from "node:test";
import { PLATFORMS } from "../../../adapters/platforms/index.gen.js";
import { proves } from "../../../fixtures/requirements.js";
import { PLATFORM_TAGS } from "../../contracts/board/platform-tag.js";

test("every kind of messaging platform has its adapter, and each says what it needs and what the wizard asks", async (t) => {
  proves(t, "gateway.adapters");
  assert.deepEqual(PLATFORMS.map(({ tag }) => tag).toSorted(), [...PLATFORM_TAGS].toSorted());
  for (const entry of PLATFORMS) {
    const definition = await entry.load();
    assert.equal(definition.tag, entry.tag);
    assert.equal(typeof definition.create, "function");
    assert.ok(entry.credentials.length > 0 && entry.summary.endsWith("."), entry.tag);
  }
});
