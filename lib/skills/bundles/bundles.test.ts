import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { AppError } from "../../base/errors.js";
import { setVariables } from "../../base/process/set-variables.js";
import { createCatalog } from "../catalog/catalog.js";
import { createTexts } from "../texts/texts.js";
import { bundlesDir, createBundles } from "./bundles.js";

function place(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), "agent-bundles-"));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const config = { get: <T>(key: { readonly default: T }): T => key.default };
  const skills = createCatalog({ home: { dir: home }, config, userHome: () => home, bundled: undefined });
  const dir = join(home, "skill-bundles");
  const bundles = createBundles({
    dir,
    skills,
    texts: async () => createTexts({ catalog: skills, config, home: { dir: home }, variables: setVariables }),
  });
  const skill = (name: string, body = `Text of ${name}.`) => {
    mkdirSync(join(home, "skills", name), { recursive: true });
    writeFileSync(
      join(home, "skills", name, "SKILL.md"),
      `---\nname: ${name}\ndescription: about ${name}\n---\n${body}\n`,
    );
  };
  const write = (file: string, text: string) => {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, file), text);
  };
  return { home, dir, bundles, skill, write };
}

const HERE = { env: {} };
const slugs = ({ bundles }: ReturnType<typeof place>) => bundles.list().bundles.map(({ slug }) => slug);

test("a bundle is a file named after its slug, with name, description, skills and instruction", async (t) => {
  proves(t, "bundle.file");
  proves(t, "bundle.description");
  const made = place(t);
  made.skill("a");
  made.skill("b");
  const bundle = await made.bundles.create(
    { name: "Backend  Work", skills: ["a", "b", "a"], description: "for\nservers", instruction: "Be brief.\n" },
    HERE,
    false,
  );
  assert.equal(bundle.file, join(made.dir, "backend-work.yaml"));
  assert.deepEqual(
    [bundle.slug, bundle.name, bundle.description, bundle.skills, bundle.instruction],
    ["backend-work", "Backend Work", "for servers", ["a", "b"], "Be brief."],
  );
  assert.equal(
    (await made.bundles.create({ name: "two", skills: ["a", "b"] }, HERE, false)).description,
    "Load 2 skills as a bundle",
  );
  assert.equal(
    (await made.bundles.create({ name: "one", skills: ["a"] }, HERE, false)).description,
    "Load 1 skill as a bundle",
  );
  assert.deepEqual(slugs(made), ["backend-work", "one", "two"]);
  assert.deepEqual(readdirSync(made.dir).toSorted(), ["backend-work.yaml", "one.yaml", "two.yaml"]);
});

test("C84: an existing bundle is refused without force and its bytes stay; with force it is replaced", async (t) => {
  const made = place(t);
  made.skill("a");
  made.write("mine.yaml", "# by hand\nskills: [a]\n");
  const refused = made.bundles.create({ name: "Mine", skills: ["a"] }, HERE, false);
  await assert.rejects(refused, (error) => error instanceof AppError && error.code === "E_CONFLICT");
  assert.equal(readFileSync(join(made.dir, "mine.yaml"), "utf8"), "# by hand\nskills: [a]\n");
  await made.bundles.create({ name: "Mine", skills: ["a"], instruction: "new" }, HERE, true);
  assert.equal(made.bundles.find("mine").instruction, "new");
});

test("a bundle with an unknown skill is not created, and its error names the closest", async (t) => {
  const made = place(t);
  made.skill("release-notes");
  await assert.rejects(made.bundles.create({ name: "x", skills: ["release-note"] }, HERE, false), (error) => {
    return error instanceof AppError && error.code === "E_USAGE" && error.hint.includes("release-notes");
  });
  assert.equal(existsSync(made.dir), false);
});

test("the message of a bundle has its parts in order, with a note about skills that are missing", async (t) => {
  proves(t, "bundle.missing-skills");
  proves(t, "bundle.instruction");
  proves(t, "skills.bundles");
  const made = place(t);
  made.skill("a");
  made.skill("b");
  made.write("dev.yaml", "name: Dev\nskills: [a, gone, b, lost]\ninstruction: Read both.\n");
  const text = await made.bundles.message("dev", "  fix it ", { place: HERE });
  const parts = [
    '[IMPORTANT: The user has invoked the "Dev" skill bundle, loading 2 skills together.',
    "\nBundle: Dev\n",
    "\nSkills loaded: a, b\n",
    "\nSkills missing (skipped): gone, lost\n",
    "\nBundle instruction: Read both.\n",
    "\nUser instruction: fix it\n",
    "\nText of a.\n",
    "\nText of b.\n",
  ];
  const at = parts.map((part) => text.indexOf(part));
  assert.ok(
    at.every((one, index) => one >= 0 && (index === 0 || one > (at[index - 1] ?? 0))),
    `${JSON.stringify(at)}\n${text}`,
  );
  assert.equal(text.split("Text of a.").length, 2);
});

test("a bundle of which no skill can be loaded is an error that names them", async (t) => {
  const made = place(t);
  made.write("dev.yaml", "skills: [gone, lost]\n");
  await assert.rejects(made.bundles.message("dev", "", { place: HERE }), (error) => {
    return error instanceof AppError && /no skill of the bundle dev can be loaded.*gone, lost/.test(error.message);
  });
});

test("of two files with one slug the first is used and the other reported", (t) => {
  const made = place(t);
  made.write("a.yaml", "name: same\nskills: [one]\n");
  made.write("b.yml", "name: Same\nskills: [two]\n");
  made.write("notes.txt", "x");
  made.write(".hidden.yaml", "skills: [x]\n");
  const { bundles, problems } = made.bundles.list();
  assert.deepEqual(
    bundles.map(({ slug, skills }) => [slug, skills]),
    [["same", ["one"]]],
  );
  assert.deepEqual(
    problems.map(({ path }) => path),
    [join(made.dir, "b.yml")],
  );
  assert.match(problems[0]?.why ?? "", /a\.yaml has the command \/same too/);
});

const HOSTILE: readonly (readonly [what: string, text: string, why: RegExp])[] = [
  ["no YAML", "name: [\n", /not valid YAML/],
  ["a list", "- a\n", /map with skills/],
  ["no skills", "name: x\nskills: []\n", /lists no skills/],
  ["skills that are maps", "skills: [{a: 1}]\n", /map with skills/],
  ["too many skills", `skills: [${Array.from({ length: 51 }, (_, n) => `s${n}`).join(",")}]\n`, /lists 51 skills/],
  ["an alias bomb", bomb(), /not accepted/],
  ["a huge file", `instruction: ${"x".repeat(70_000)}\nskills: [a]\n`, /larger than 64 KiB/],
  ["a name with a path", "name: ../../etc/x\nskills: [a]\n", /no slash command/],
  ["a name without letters", "name: 日本\nskills: [a]\n", /no slash command/],
];

function bomb(): string {
  const lines = ["a: &a [x,x,x,x,x,x,x,x,x]"];
  for (const [n, name] of [..."bcdefghij"].entries())
    lines.push(`${name}: &${name} [${`*${"abcdefghi"[n]},`.repeat(9)}]`);
  return `${lines.join("\n")}\nskills: *j\n`;
}

for (const [what, text, why] of HOSTILE) {
  test(`a file with ${what} is reported and keeps no other bundle from working`, (t) => {
    const made = place(t);
    made.write("bad.yaml", text);
    made.write("good.yaml", "skills: [a]\n");
    assert.deepEqual(slugs(made), ["good"]);
    assert.match(made.bundles.list().problems[0]?.why ?? "", why);
  });
}

for (const name of ["../up", "a/b", "a\\b", "\u0000", "日本", " ", "x".repeat(65)]) {
  test(`a bundle cannot be created or deleted by the name ${JSON.stringify(name.slice(0, 8))}`, async (t) => {
    const made = place(t);
    made.skill("a");
    made.write("up.yaml", "skills: [a]\n");
    await assert.rejects(made.bundles.create({ name, skills: ["a"] }, HERE, true), { code: "E_INVALID" });
    await assert.rejects(made.bundles.remove(name), { code: "E_NOT_FOUND" });
    assert.deepEqual(readdirSync(made.dir), ["up.yaml"]);
  });
}

test("a bundle is found by name and slug, deleted with its file, and unknown ones name the closest", async (t) => {
  const made = place(t);
  made.write("dev.yaml", "name: Dev Work\nskills: [a]\n");
  assert.equal(made.bundles.find("Dev Work").slug, made.bundles.find("dev_work").slug);
  assert.throws(
    () => made.bundles.find("dev-wok"),
    (error) => error instanceof AppError && error.hint.includes("dev-work"),
  );
  await made.bundles.remove("dev-work");
  assert.deepEqual(slugs(made), []);
});

test("a changed file is seen with the next look", (t) => {
  const made = place(t);
  made.write("dev.yaml", "skills: [a]\n");
  assert.deepEqual(made.bundles.find("dev").skills, ["a"]);
  made.write("dev.yaml", "skills: [a, bb]\n");
  assert.deepEqual(made.bundles.find("dev").skills, ["a", "bb"]);
});

test("AGENT_BUNDLES_DIR replaces the directory of the home", () => {
  const home = { dir: "/h" };
  assert.equal(bundlesDir(home, {}), "/h/skill-bundles");
  assert.equal(bundlesDir(home, { AGENT_BUNDLES_DIR: "/srv/b" }), "/srv/b");
  assert.equal(bundlesDir(home, { AGENT_BUNDLES_DIR: "~/b", HOME: "/u" }), "/u/b");
  assert.equal(bundlesDir(home, { AGENT_BUNDLES_DIR: "" }), "/h/skill-bundles");
});
