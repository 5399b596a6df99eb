import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { countingIds } from "../../fixtures/ports/ids.js";
import { proves } from "../../fixtures/requirements.js";
import { type Said, scriptedAux } from "../../fixtures/sim/board-aux.js";
import { AppError } from "../base/errors.js";
import { descriptionIn } from "./description.js";
import { createProfilesApi } from "./profiles.js";

function setup(t: TestContext, ...said: readonly Said[]) {
  const root = mkdtempSync(join(tmpdir(), "profiles-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const aux = scriptedAux(...said);
  let changes = 0;
  const profiles = createProfilesApi({
    root,
    personHome: join(root, "person"),
    aux,
    clock: manualClock(),
    ids: countingIds(),
    commands: ["kanban", "help"],
    ownerRuns: () => false,
    onChange: async () => void changes++,
  });
  return { root, aux, profiles, changes: () => changes };
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "done",
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

test("a home without profiles has the default one", async (t) => {
  const { profiles } = setup(t);
  const list = await profiles.list("default");
  assert.deepEqual(
    list.map(({ name, is_default, is_current, description }) => [name, is_default, is_current, description]),
    [["default", true, true, ""]],
  );
});

test("a profile tells its place, its model, how many skills it has and what it was installed from", async (t) => {
  proves(t, "profile.fields-decided");
  const { profiles } = setup(t);
  const { path } = await profiles.create({ name: "writer", description: "" }, "default");
  writeFileSync(join(path, "config.yaml"), "model:\n  provider: acme\n  default: big\n");
  for (const skill of ["one", "two"]) {
    mkdirSync(join(path, "skills", skill), { recursive: true });
    writeFileSync(join(path, "skills", skill, "SKILL.md"), "---\nname: x\n---\n");
  }
  writeFileSync(
    join(path, "profile.yaml"),
    "description: ''\ndistribution: { name: set, version: 1.0.0, source: me/set }\n",
  );
  const shown = await profiles.show("writer", "default");
  assert.deepEqual([shown.path, shown.provider, shown.model, shown.skill_count], [path, "acme", "big", 2]);
  assert.deepEqual(shown.skills, ["one", "two"]);
  assert.deepEqual(shown.distribution, { name: "set", version: "1.0.0", source: "me/set" });
});

test("a profile names the script that starts it, and no other program of its name", async (t) => {
  const { root, profiles } = setup(t);
  const bin = join(root, "person", ".local", "bin");
  mkdirSync(bin, { recursive: true });
  await profiles.create({ name: "writer", description: "" }, "default");
  const alias = async () => (await profiles.show("writer", "default")).alias_path;
  assert.equal(await alias(), null);
  writeFileSync(join(bin, "writer"), "#!/bin/sh\nexec writer-of-somebody-else\n");
  assert.equal(await alias(), null);
  writeFileSync(join(bin, "writer"), '#!/bin/sh\nexec agent -p writer "$@"\n');
  assert.equal(await alias(), join(bin, "writer"));
});

test("a new profile has a private home, its description and its date", async (t) => {
  proves(t, "profile.name", "profile.description", "cli.profile.create");
  const { root, profiles, changes } = setup(t);
  const made = await profiles.create({ name: "writer", description: " Writes prose. " }, "default");
  assert.deepEqual(
    [made.name, made.description, made.description_auto, made.skill_count],
    ["writer", "Writes prose.", false, 0],
  );
  assert.equal(statSync(made.path).mode & 0o777, 0o700);
  const text = readFileSync(join(made.path, "profile.yaml"), "utf8");
  assert.equal(text, "description: Writes prose.\ndescription_auto: false\ncreated_at: 2026-01-01T00:00:00.000Z\n");
  assert.deepEqual([readdirSync(join(root, "profiles")), changes()], [["writer"], 1]);
});

/** Name, and the code with which it is refused. */
const NAMES = [
  ["Writer", "E_USAGE"],
  ["../evil", "E_USAGE"],
  ["", "E_USAGE"],
  ["-x", "E_USAGE"],
  ["a".repeat(65), "E_USAGE"],
  ["kanban", "E_USAGE"],
  ["default", "E_USAGE"],
  ["sudo", "E_USAGE"],
  ["taken", "E_CONFLICT"],
] as const;

for (const [name, code] of NAMES) {
  test(`a profile named '${name.slice(0, 20)}' is refused and leaves nothing`, async (t) => {
    const { root, profiles } = setup(t);
    await profiles.create({ name: "taken" }, "default");
    assert.equal(await codeOf(profiles.create({ name }, "default")), code);
    assert.deepEqual(readdirSync(join(root, "profiles")), ["taken"]);
  });
}

test("a clone takes settings, secrets, character and memories, and neither tasks nor conversations", async (t) => {
  const { root, profiles } = setup(t);
  mkdirSync(join(root, "memories"));
  writeFileSync(join(root, "config.yaml"), "# mine\nmodel: { default: m1 }\n");
  writeFileSync(join(root, ".env"), "KEY=v\n", { mode: 0o600 });
  writeFileSync(join(root, "SOUL.md"), "soul");
  writeFileSync(join(root, "memories", "USER.md"), "user");
  for (const name of ["kanban.db", "sessions.db"]) writeFileSync(join(root, name), "x");
  const made = await profiles.create({ name: "twin", cloneFrom: "default" }, "default");
  assert.deepEqual([made.model, made.has_env, statSync(join(made.path, ".env")).mode & 0o777], ["m1", true, 0o600]);
  assert.equal(readFileSync(join(made.path, "config.yaml"), "utf8"), "# mine\nmodel: { default: m1 }\n");
  assert.equal(readFileSync(join(made.path, "memories", "USER.md"), "utf8"), "user");
  assert.ok(!readdirSync(made.path).some((name) => name.endsWith(".db")));
  assert.equal(await codeOf(profiles.create({ name: "other", cloneFrom: "nobody" }, "default")), "E_NOT_FOUND");
});

test("a description is changed in its file, and whatever else stands there stays", async (t) => {
  const { profiles } = setup(t);
  const { path } = await profiles.create({ name: "p" }, "default");
  writeFileSync(join(path, "profile.yaml"), "# by hand\nmine: [1, 2]   # kept\ndescription: old\n");
  await profiles.setDescription("p", "new");
  const text = readFileSync(join(path, "profile.yaml"), "utf8");
  assert.equal(text, "# by hand\nmine: [ 1, 2 ] # kept\ndescription: new\ndescription_auto: false\n");
  writeFileSync(join(path, "profile.yaml"), "description: [\n");
  assert.equal(await codeOf(profiles.setDescription("p", "x")), "E_CONFIG");
  assert.equal(readFileSync(join(path, "profile.yaml"), "utf8"), "description: [\n");
  assert.equal((await profiles.show("p", "default")).description, "");
});

test("a text that someone wrote is not replaced by a generated one unless that is asked for", async (t) => {
  proves(t, "profile.description-auto", "profile.description-protected");
  const { aux, profiles } = setup(t, '{"description": "Generated."}');
  await profiles.create({ name: "p" }, "default");
  const generated = { profile: "p", ok: true, reason: "described", description: "Generated.", description_auto: true };
  assert.deepEqual(await profiles.generateDescription("p", { overwrite: false }), generated);
  await profiles.setDescription("p", "By hand.");
  const refused = await profiles.generateDescription("p", { overwrite: false });
  assert.deepEqual(
    [refused.ok, refused.reason, refused.description],
    [false, "description was written by a user (use --overwrite)", "By hand."],
  );
  assert.equal(aux.questions.length, 1);
  assert.deepEqual(await profiles.generateDescription("p", { overwrite: true }), generated);
  const [question] = aux.questions;
  assert.deepEqual([question?.slot, question?.temperature, question?.maxOutputTokens], ["profile_describer", 0.3, 400]);
});

test("a description written while the model thinks is kept", async (t) => {
  const { aux, profiles } = setup(t);
  await profiles.create({ name: "p" }, "default");
  aux.say(async () => {
    await profiles.setDescription("p", "By hand.");
    return { ok: true, text: '{"description": "Generated."}' };
  });
  assert.equal((await profiles.generateDescription("p", { overwrite: false })).ok, false);
  assert.equal((await profiles.show("p", "default")).description, "By hand.");
});

test("skills in categories count, by the names that they give themselves", async (t) => {
  const { profiles, root } = setup(t);
  for (const [path, text] of [
    ["notes/Meeting_Notes", "---\ndescription: x\nname: meeting_notes\n---\n"],
    ["plain", "no front matter"],
    ["a/b/c/deep", '\uFEFF---\r\nname: "deeper"\r\n---\r\n'],
    [".archive/gone", "---\nname: gone\n---\n"],
  ] as const) {
    mkdirSync(join(root, "skills", path), { recursive: true });
    writeFileSync(join(root, "skills", path, "SKILL.md"), text);
  }
  assert.deepEqual((await profiles.show("default", "default")).skills, ["deeper", "meeting_notes", "plain"]);
});

test("the model is told name, model and at most sixty skills", async (t) => {
  const { aux, profiles } = setup(t, "Good at things.");
  const { path } = await profiles.create({ name: "p" }, "default");
  for (let n = 100; n < 170; n++) {
    mkdirSync(join(path, "skills", `s${n}`));
    writeFileSync(join(path, "skills", `s${n}`, "SKILL.md"), "x");
  }
  await profiles.generateDescription("p", { overwrite: false });
  const user = aux.questions[0]?.user ?? "";
  assert.ok(user.includes("Name: p") && user.includes("s159") && !user.includes("s160"));
});

/** Answer of a model and the description in it. */
const ANSWERS = [
  ['{"description": " One.\\nTwo. "}', "One. Two."],
  ['```json\n{"description": "x"}\n```', "x"],
  ["First paragraph.\nStill.\n\nSecond.", "First paragraph. Still."],
  ['{"description": 7}', ""],
  ["", ""],
  [`{"description": "${"y".repeat(400)}"}`, `${"y".repeat(279)}…`],
] as const;

test("an answer is read as JSON or by its first paragraph, and clipped", () => {
  for (const [answer, description] of ANSWERS) assert.equal(descriptionIn(answer), description);
});

test("what goes wrong with the model is a reason", async (t) => {
  const { aux, profiles } = setup(t);
  await profiles.create({ name: "p" }, "default");
  const reason = async (said: Said) => {
    aux.say(said);
    return (await profiles.generateDescription("p", { overwrite: false })).reason;
  };
  assert.equal(await reason({ ok: false, why: "none" }), "no auxiliary client configured");
  assert.equal(await reason({ ok: false, why: "broken" }), "auxiliary client unavailable");
  assert.equal(await reason({ ok: false, why: "failed", class: "billing", message: "" }), "LLM error: billing");
  assert.equal(await reason("{}"), "LLM returned an empty response");
  assert.equal(await codeOf(profiles.generateDescription("nobody", { overwrite: false })), "E_NOT_FOUND");
});
