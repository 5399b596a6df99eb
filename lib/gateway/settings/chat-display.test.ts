import assert from "node:assert/strict";
import { test } from "node:test";
import { PLATFORM_TAGS } from "../../contracts/board/platform-tag.js";
import { traitsOf } from "../../contracts/gateway/platform-traits.js";
import { footerLine } from "../text/runtime-footer.js";
import { isSilentAnswer, maySilence } from "../text/silent-answer.js";
import { displayOf } from "./chat-display.js";

const TIERS = [
  ["msgt", "off", false, true, true, undefined],
  ["msgd", "all", true, true, true, undefined],
  ["msgf", "new", true, true, true, undefined],
  ["msgg", "new", true, true, true, undefined],
  ["msgw", "new", true, true, true, undefined],
  ["msgl", "off", false, false, false, false],
  ["msgx", "off", false, false, false, false],
] as const;

for (const [tag, tools, busyDetail, interim, life, streaming] of TIERS)
  test(`${tag} shows of a turn what its tier says`, () => {
    assert.deepEqual(displayOf(tag, undefined), { tools, busyDetail, interim, life, streaming, footer: undefined });
  });

test("single cells are changed by the settings, but a platform that cannot stream never does", () => {
  assert.equal(displayOf("msgt", { tool_progress: "verbose", heartbeat: false }).tools, "verbose");
  assert.equal(displayOf("msgd", { tool_progress: false }).tools, "off");
  assert.equal(displayOf("msgt", { heartbeat: false }).life, false);
  assert.equal(displayOf("msgd", { tool_progress: "loud", busy_detail: "yes" }).tools, "all");
  for (const [tag] of TIERS)
    assert.equal(displayOf(tag, { streaming: true }).streaming, tag !== "msgl" && tag !== "msgx");
  for (const tag of PLATFORM_TAGS) assert.equal(displayOf(tag, { streaming: true }).streaming, traitsOf(tag).streams);
});

const SILENCE = [
  ["[SILENT]", true],
  [" [silent]\n", true],
  ["Silent", true],
  ["NO_REPLY", true],
  ["no reply", true],
  ["use [SILENT] for that", false],
  ["SILENT.", false],
  ["", false],
] as const;

for (const [text, silent] of SILENCE)
  test(`GW-21: ${JSON.stringify(text)} is ${silent ? "not " : ""}shown`, () =>
    assert.equal(isSilentAnswer(text), silent));

test("a text that may still become a word for silence is not shown while it is written", () => {
  for (const text of ["", "[", "[SIL", "no", "No_Re"]) assert.ok(maySilence(text), text);
  for (const text of ["Now", "[SILENT] is", "a"]) assert.ok(!maySilence(text), text);
});

test("GW-31: the line under an answer has the model, its share of the window and the directory in the order of the settings", () => {
  const facts = { model: "m1", used: 1300, window: 10_000, cwd: "/home/u/work", home: "/home/u" };
  assert.equal(footerLine(["model", "context_pct", "cwd"], facts), "m1 · 13% · ~/work");
  assert.equal(footerLine(["cwd", "model", "nonsense"], { ...facts, cwd: "/home/u" }), "~ · m1");
  assert.equal(footerLine(["constructor", "model", "__proto__"], facts), "m1");
  assert.equal(footerLine(["context_pct"], { ...facts, window: 0 }), "");
  assert.equal(footerLine(["cwd"], { ...facts, cwd: "/home/user2" }), "/home/user2");
});
