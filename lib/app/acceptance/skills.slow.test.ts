import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { type ChatOwner, chatOwner } from "../../../fixtures/sim/chat-owner.js";
import { call, rounds } from "../../../fixtures/worlds/run-code.js";

const write = (owner: Pick<ChatOwner, "home">, path: string, text: string) => {
  mkdirSync(dirname(join(owner.home.dir, path)), { recursive: true });
  writeFileSync(join(owner.home.dir, path), text);
};

/** The system prompt of the newest request. */
const promptOf = (owner: ChatOwner): string =>
  String(owner.model.requests.at(-1)?.body?.messages.find(({ role }) => role === "system")?.content ?? "");

test("106 skills stand in the prompt, none missing, and the stored prompt keeps them until it is made again", async (t) => {
  const owner = await chatOwner(t, { script: [], prepared: true });
  const names = Array.from({ length: 106 }, (_, n) => `skill-${n}`);
  for (const [n, name] of names.entries())
    write(
      owner,
      `skills/c${n % 6}/${name}/SKILL.md`,
      `---\nname: ${name}\ndescription: Use when the task is number ${n}. ${"More. ".repeat(60)}\n---\nDo it.\n`,
    );
  const { session_id: id } = await owner.ask("hello");
  const first = promptOf(owner);
  const index = first.slice(first.indexOf("# Skills"), first.indexOf("</available_skills>"));
  assert.deepEqual(
    names.filter((name) => !new RegExp(`[ ,]${name}(?:[:,]|$)`, "m").test(index)),
    [],
  );
  assert.ok(index.length <= 16_000, String(index.length));
  write(owner, "skills/late/SKILL.md", "---\nname: late\n---\nx");
  await owner.chat.submit({ session: id, text: "again" });
  assert.equal(promptOf(owner), first);
  await owner.ask("another session");
  assert.match(promptOf(owner), / general:\n - late\n/);
  await owner.chat.renewPrompt(id);
  await owner.chat.submit({ session: id, text: "and now" });
  const renewed = promptOf(owner);
  assert.match(renewed, / general:\n - late\n/);
  write(owner, "skills/later/SKILL.md", "---\nname: later\n---\nx");
  await owner.chat.submit({ session: id, text: "and then" });
  assert.equal(promptOf(owner), renewed);
});

test("a session without skill_view has no list of skills", async (t) => {
  const owner = await chatOwner(t, { script: [], prepared: true });
  write(owner, "skills/a/SKILL.md", "---\nname: a\n---\nx");
  await owner.ask("hello", { toolsets: ["file"] });
  assert.equal(promptOf(owner).includes("available_skills"), false);
});

test("skill_view reads a skill, counts the view, and rules skill: deny it or ask about it", async (t) => {
  const calls = ["minutes", "Minutes", "secret-one", "asked", "minuets"].map((name) => call("skill_view", { name }));
  const owner = await chatOwner(t, { prepared: true, script: (request) => calls[rounds(request)] ?? { text: "ok" } });
  for (const name of ["minutes", "secret-one", "asked"])
    write(owner, `skills/${name}/SKILL.md`, `---\nname: ${name}\ndescription: About ${name}.\n---\nDo ${name}.\n`);
  write(owner, "permissions.yaml", "deny: ['skill:secret-*']\nask: ['skill:asked']\n");
  const { session_id: id } = await owner.ask("do it");
  const results = (await owner.results(id)) as { content?: string; error?: string; hint?: string; status?: string }[];
  assert.equal(results[0]?.content, "Do minutes.");
  assert.equal(results[1]?.content, "Do minutes.");
  assert.match(results[2]?.error ?? "", /Denied by the rule 'skill:secret-\*'/);
  assert.equal(results[3]?.status, "denied");
  assert.match(results[4]?.error ?? "", /unknown skill minuets/);
  assert.match(results[4]?.hint ?? "", /^skills: minutes, /);
  assert.equal((await owner.app.skills.usage()).of("minutes").views, 2);
});

test("commands in the text of a skill run as calls of the terminal, only where the setting says so, and never of a project", async (t) => {
  const script = [call("skill_view", { name: "dated" }), call("skill_view", { name: "theirs" })];
  const text = "---\nname: dated\n---\nToday: !`printf %s one-two`. No: !`touch /etc/never`.\n";
  for (const [config, shown] of [
    ["", /Today: !`printf %s one-two`/],
    ["skills:\n  inline_shell: true\n", /^Today: one-two\. No: \[not run: touch \/etc\/never: .*\]\.$/s],
  ] as const) {
    const owner = await chatOwner(t, {
      prepared: true,
      config,
      script: (request) => script[rounds(request)] ?? { text: "ok" },
    });
    write(owner, "skills/dated/SKILL.md", text);
    mkdirSync(join(owner.work, ".agents/skills/theirs"), { recursive: true });
    writeFileSync(join(owner.work, ".agents/skills/theirs/SKILL.md"), text.replace("dated", "theirs"));
    const { session_id: id } = await owner.ask("do it");
    const results = (await owner.results(id)) as { content: string; origin: string }[];
    assert.match(results[0]?.content ?? "", shown);
    assert.equal(results[1]?.origin, "project");
    assert.match(results[1]?.content ?? "", /Today: !`printf %s one-two`/);
    await owner.stop();
  }
});

test("commands have the variables that a skill declares once the user has agreed, and not before", async (t) => {
  const script = [
    call("skill_view", { name: "deploy" }),
    call("terminal", { command: `printf "%s" "\${DEPLOY_TOKEN:-nothing}" | wc -c; printf "%s" "\${BASH_ENV:-none}"` }),
  ];
  for (const [rule, chars] of [
    ["", 7],
    ["allow: ['tool:skill_variables']\n", 20],
  ] as const) {
    const owner = await chatOwner(t, {
      prepared: true,
      env: { DEPLOY_TOKEN: "12345678901234567890", BASH_ENV: "/dev/null" },
      script: (request) => script[rounds(request)] ?? { text: "ok" },
    });
    write(
      owner,
      "skills/deploy/SKILL.md",
      "---\nname: deploy\nrequired_environment_variables: [DEPLOY_TOKEN, BASH_ENV, {name: OTHER_TOKEN, optional: true}]\n---\nDeploy.\n",
    );
    if (rule !== "") write(owner, "permissions.yaml", rule);
    const { session_id: id } = await owner.ask("do it");
    const results = (await owner.results(id)) as Record<string, unknown>[];
    assert.deepEqual(results[0]?.[rule === "" ? "variables_withheld" : "variables_of_commands"], ["DEPLOY_TOKEN"]);
    assert.match(String(results[1]?.["output"]), new RegExp(`^${chars}\\nnone`));
    await owner.stop();
  }
});
