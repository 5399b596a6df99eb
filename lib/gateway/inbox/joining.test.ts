import assert from "node:assert/strict";
import { test } from "node:test";
import { simMessage } from "../../../fixtures/sim/platform.js";
import type { PlatformTag } from "../../contracts/board/platform-tag.js";
import { platformSettings } from "../settings/platform-settings.js";
import { joiningOf } from "./joining.js";

const settings = (env: Record<string, string>) => platformSettings("msgt", { env, raw: () => undefined });
const FILE = { kind: "image", mime: null, name: null, size: null, ref: {} };

const ROWS: readonly (readonly [tag: PlatformTag, text: string, more: object, quiet: number, joins: boolean])[] = [
  ["msgt", "hi", {}, 180, true],
  ["msgt", "x".repeat(320), {}, 180, true],
  ["msgt", "x".repeat(321), {}, 240, true],
  ["msgt", "x".repeat(1025), {}, 300, true],
  ["msgt", "x".repeat(4000), {}, 1000, true],
  ["msgt", "one of an album", { media: [FILE], extra: { album: "1" } }, 800, true],
  ["msgd", "hi", {}, 600, true],
  ["msgd", "x".repeat(1900), {}, 2000, true],
  ["msgf", "hi", {}, 600, true],
  ["msgf", "", { media: [FILE] }, 800, true],
  ["msgx", "hi", {}, 3000, true],
  ["msgl", "hi", {}, 0, false],
];

for (const [tag, text, more, quiet, joins] of ROWS) {
  test(`a text of ${text.length} characters of ${tag}${"media" in more ? " with a file" : ""} waits ${quiet} ms for more`, () => {
    const event = { ...simMessage(tag, "1", text), ...more };
    assert.deepEqual(joiningOf(event, settings({})), { joins, quietMs: quiet });
  });
}

test("a quiet time that is set holds for every text, and none joins nothing", () => {
  const event = simMessage("msgt", "1", "hi");
  assert.deepEqual(joiningOf(event, settings({ MSGT_BATCH_DELAY_MS: "50" })), { joins: true, quietMs: 50 });
  assert.deepEqual(joiningOf(event, settings({ MSGT_BATCH_DELAY_MS: "0" })), { joins: false, quietMs: 0 });
});
