import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { PLATFORMS } from "../../../adapters/platforms/index.gen.js";
import { layOutHome } from "../../base/home.js";
import { systemClock } from "../../base/time/clock.js";
import { loadConfig } from "../../config/load-config.js";
import { createSettings } from "../../config/settings-service.js";
import type { CredentialCheck } from "../../gateway/adapter/define-platform.js";
import { keepHere } from "../../setup/store-change.js";
import { asked, type TerminalSetup } from "./platform-setup.js";
import { byHand, questionsOf } from "./setup-questions.js";

const BARE = { tag: "msgt", summary: "Bots.", credentials: ["BOT_TOKEN"] } as const;

interface Talk {
  readonly definition?: TerminalSetup["definition"];
  readonly env?: string;
  readonly answers: readonly string[];
  /** What the platform says, in order; at last it says nothing. */
  readonly checks?: readonly CredentialCheck[];
}

async function talk(t: TestContext, { definition = BARE, env, answers, checks = [] }: Talk) {
  const dir = mkdtempSync(join(tmpdir(), "agent-setup-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const home = layOutHome(dir);
  const path = home.env;
  if (env !== undefined) writeFileSync(path, env, { mode: 0o644 });
  const left = [...answers];
  const says = [...checks];
  const said = [] as string[];
  const shown = [] as string[];
  const hidden = [] as string[];
  const tried: (readonly (readonly [string, string])[])[] = [];
  const control = new AbortController();
  const person = {
    ask: async (question: string, unseen: boolean) => {
      (unseen ? hidden : shown).push(question);
      const answer = left.shift();
      if (answer === undefined) control.abort();
      return answer ?? "";
    },
    say: async (line: string) => void said.push(line),
    signal: control.signal,
  };
  const check: TerminalSetup["check"] = async (found) => {
    tried.push([...found]);
    return says.shift();
  };
  const config = await loadConfig({ home, env: {}, clock: systemClock, keys: [] });
  const keep = keepHere(createSettings(home, config));
  const lines = await asked({ person, definition, path, check, keep }).catch((error: unknown) => error);
  return { lines, said, shown, hidden, tried, path, config, stored: () => readFileSync(path, "utf8") };
}

test("a platform without questions of its own is asked for its credentials, unseen, for who may talk and for its home; .env is for its owner alone", async (t) => {
  const { hidden, shown, path, config, stored } = await talk(t, {
    env: "OTHER=1\n",
    answers: ["1:abc", "42, 43", "7"],
  });
  assert.deepEqual(hidden, ["MSGT_BOT_TOKEN: "]);
  assert.equal(shown.length, 2);
  assert.equal(stored(), 'OTHER=1\nMSGT_BOT_TOKEN=1:abc\nMSGT_ALLOWED_USERS="42, 43"\nMSGT_HOME_CHANNEL=7\n');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(config.env["MSGT_HOME_CHANNEL"], "7", "it holds at once");
});

test("an empty answer keeps what is set, and a secret that is set is not shown", async (t) => {
  const env = "MSGT_BOT_TOKEN=1:secret\nMSGT_ALLOWED_USERS=42\n";
  const { hidden, shown, said, lines, stored } = await talk(t, { env, answers: ["", "", ""] });
  assert.deepEqual([hidden, shown[0]], [["MSGT_BOT_TOKEN [set]: "], "Allowed user ids, comma-separated [42]: "]);
  assert.doesNotMatch(JSON.stringify([lines, said, shown]), /secret/);
  assert.equal(stored(), env);
});

test("an answer that is needed, or that the platform cannot mean, is asked for again", async (t) => {
  const question = {
    variable: "BOT_TOKEN",
    ask: "Token",
    problem: (text: string) => (text.includes(":") ? undefined : "It has a colon."),
  };
  const { said, stored } = await talk(t, {
    definition: { ...BARE, setup: [question] },
    answers: ["", "nonsense", "1:abc", "", ""],
  });
  assert.deepEqual(said.slice(1, 3), ["  This value is required.", "  It has a colon."]);
  assert.equal(stored(), "MSGT_BOT_TOKEN=1:abc\n");
});

test("the token is tried before anything else is asked, asked for again when the platform refuses it, and only what it takes is stored", async (t) => {
  const refused = { code: "auth_failed", message: "the platform refuses MSGT_BOT_TOKEN" } as const;
  const answers = ["1:bad", "", "2:good", "42", ""];
  const { lines, said, tried, stored } = await talk(t, { answers, checks: [refused, { account: "@bot" }] });
  assert.ok(said.includes("  the platform refuses MSGT_BOT_TOKEN"));
  assert.deepEqual(tried, [[["MSGT_BOT_TOKEN", "1:bad"]], [["MSGT_BOT_TOKEN", "2:good"]]]);
  assert.ok(said.includes("  Connected as @bot."));
  assert.equal(stored(), "MSGT_BOT_TOKEN=2:good\nMSGT_ALLOWED_USERS=42\n");
  assert.match(String(lines), /connected as @bot/);
});

test("an answer that is neither yes nor no says how to leave", async (t) => {
  const refused = { code: "auth_failed", message: "no" } as const;
  const { said } = await talk(t, { answers: ["1:bad", "maybe", "n", "n"], checks: [refused] });
  assert.ok(said.includes("  Answer y or n, or press Ctrl+C to quit."), String(said));
});

test("what the platform refuses can be stored anyway, and is not where no one wants that", async (t) => {
  const refused = { code: "auth_failed", message: "no" } as const;
  const kept = await talk(t, { answers: ["1:bad", "n", "y", "", ""], checks: [refused] });
  assert.equal(kept.stored(), "MSGT_BOT_TOKEN=1:bad\n");
  const left = await talk(t, { env: "A=1\n", answers: ["1:bad", "n", "n"], checks: [refused] });
  assert.match(String(left.lines), /nothing stored/);
  assert.equal(left.stored(), "A=1\n");
});

test("where the platform cannot be reached the answers are stored, and it is said that they were not tried out", async (t) => {
  const { lines, stored } = await talk(t, {
    answers: ["1:abc", "", ""],
    checks: [{ code: "network", message: "connection refused" }],
  });
  assert.equal(stored(), "MSGT_BOT_TOKEN=1:abc\n");
  assert.match(String(lines), /not tested: connection refused/);
});

test("nothing is stored when the person gives up in the middle", async (t) => {
  const { lines, stored } = await talk(t, { env: "A=1\n", answers: ["1:abc"] });
  assert.match(String(lines), /nothing stored/);
  assert.equal(stored(), "A=1\n");
});

test("where no one can be asked every variable is named with what it is, and what is secret is not shown", async () => {
  const lines = byHand(BARE, { MSGT_BOT_TOKEN: "1:hidden" });
  assert.match(lines[0] ?? "", /^ {2}MSGT_BOT_TOKEN {2}.* \(needed, secret, set\)$/);
  assert.match(lines[1] ?? "", /^ {2}MSGT_ALLOWED_USERS {2}.* \(optional\)/);
  assert.doesNotMatch(lines.join("\n"), /hidden/);
});

for (const entry of PLATFORMS) {
  test(`${entry.tag}: every credential is asked for with a word on where to get it, secrets unseen, nothing twice, and who may talk`, async () => {
    const definition = await entry.load();
    const questions = questionsOf(definition);
    const names = questions.map(({ variable }) => variable);
    assert.equal(new Set(names).size, names.length);
    assert.ok(names.includes("ALLOWED_USERS") && names.includes("HOME_CHANNEL"));
    for (const name of entry.credentials) {
      const question = questions.find(({ variable }) => variable === name);
      assert.ok(question !== undefined && question.optional !== true && question.hint !== undefined, name);
      if (/TOKEN|SECRET/.test(name)) assert.equal(question.secret, true, name);
    }
    assert.match(
      questions.find(({ variable }) => variable === "ALLOWED_USERS")?.hint ?? "",
      /empty: each sender gets a pairing code/,
    );
    assert.ok((definition.afterwards ?? []).length > 0);
  });
}
