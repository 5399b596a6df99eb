import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";
import { roundOf, type ScriptProgram } from "../../../fixtures/servers/model/script.js";

/** Known by its name in `.env`, by its form, and known to the owner's environment alone. */
const SECRETS = { named: "Zq7mTr2xLw9vKd4s", shaped: "sk-aB3dE6gH9jK2mN5pQ8sT1vW4", environment: "Hx5cVb8nMw1qRt4y" };

/** A model that reads secrets through a tool, looks at its environment, and says one of them aloud. */
const script: ScriptProgram = (request) => {
  const command = "cat notes.txt; env > env.txt";
  const aloud = `The key in the file is ${SECRETS.shaped}, and the named one is ${SECRETS.named}.`;
  return roundOf(request) === 0
    ? { text: "I look.", tool_calls: [{ name: "terminal", arguments: { command } }] }
    : { text: aloud };
};

const ways = [
  { way: "with an owner", owned: true },
  { way: "without an owner", owned: false },
];
for (const { way, owned } of ways) {
  test(`a secret that a tool or the model brings up reaches no output, log, store, request or process, ${way}`, async (t) => {
    proves(t, "R6", "keep.redaction");
    const { run, json, owner, home, work, model } = await world(t, { model: { script }, name: "any" });
    writeFileSync(join(home.dir, ".env"), `ACME_API_KEY=${SECRETS.named}\n`, { mode: 0o600 });
    writeFileSync(
      join(work, "notes.txt"),
      `first\nkey ${SECRETS.shaped}\npassword ${SECRETS.named}\nand ${SECRETS.environment}\n`,
    );
    const env = { OTHER_API_KEY: SECRETS.environment };
    const owning = owned ? await owner(env) : undefined;
    const { code, out, err } = await run(["-z", "look"], { env });
    assert.equal(code, 0, err);
    const [session] = await json<{ id: string }[]>("sessions", "list");
    const shown = await run(["sessions", "show", session?.id ?? "", "--json"]);
    const ended = await owning?.end();
    const texts = {
      out,
      err,
      shown: shown.out,
      owner: `${ended?.out}${ended?.err}`,
      requests: JSON.stringify(model.requests),
      environment: readFileSync(join(work, "env.txt"), "latin1"),
      ...filesOf(home.dir),
    };
    for (const [where, text] of Object.entries(texts)) {
      for (const [which, secret] of Object.entries(SECRETS)) assert.ok(!text.includes(secret), `${which} in ${where}`);
    }
    assert.match(shown.out, /«secret:/, "the tool did read them");
    assert.match(texts.requests, /«secret:/, "the model was told of them");
    assert.match(texts.environment, /^PATH=/m);
  });
}

/** Every file of the home but the one that holds the secrets. */
function filesOf(dir: string): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: "utf8" });
  const files = names.filter((name) => name !== ".env" && statSync(join(dir, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(dir, name), "latin1")]));
}
