import assert from "node:assert/strict";
import { test } from "node:test";
import { PLATFORM_TAGS } from "../board/platform-tag.js";
import { isPlatform, traitsOf } from "./platform-traits.js";

test("every platform has all traits, and those that its definition does not name are as for every platform", () => {
  const names = Object.keys(traitsOf(PLATFORM_TAGS[0] ?? "")).filter((name) => name !== "joins");
  for (const tag of PLATFORM_TAGS) {
    const traits: Readonly<Record<string, unknown>> = { ...traitsOf(tag) };
    const optional = ["groupLists", "oauthClientFile"];
    for (const name of names.filter((one) => !optional.includes(one)))
      assert.notEqual(traits[name], undefined, `${tag} ${name}`);
    assert.ok(isPlatform(tag));
  }
  assert.deepEqual(traitsOf("msgw").sendKey, { form: "uuid" });
  assert.equal(traitsOf("msgf").address.between, ":");
});

test("what other systems post is answered with one text, and nothing is shown while it is worked on", () => {
  const { caps, display, quotes } = traitsOf("webhook");
  assert.deepEqual([caps.textMax, caps.edits, caps.threads, caps.buttons, quotes], [60_000, false, false, "no", false]);
  assert.deepEqual([display.tools, display.interim, display.life, display.streaming], ["off", false, false, false]);
  assert.ok(!isPlatform("webhook"));
});
