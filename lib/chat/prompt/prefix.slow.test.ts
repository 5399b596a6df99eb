import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { roundOf, type ScriptRequest } from "../../../fixtures/servers/model/script.js";
import { startModelServer } from "../../../fixtures/servers/model/server.js";
import { chatWorld } from "../../../fixtures/sim/chat-world.js";
import { call } from "../../../fixtures/worlds/run-code.js";

const TURNS = 500;

/** What the model does in a turn: every fifth writes memory, every seventh a skill. */
function replyTo(request: ScriptRequest) {
  const turn = Number(
    /turn (\d+)/.exec(String(request.messages.findLast(({ role }) => role === "user")?.content))?.[1],
  );
  if (roundOf(request) > 0) return { text: `Done ${turn}.` };
  if (turn % 5 === 0)
    return call("memory", { action: "add", content: `Fact number ${turn} of kind ${turn % 11}.`, scope: "user" });
  if (turn % 7 === 0) {
    const content = `---\nname: way-${turn}\ndescription: Use for way ${turn}.\n---\nStep ${turn}.\n`;
    return call("skill_manage", { action: "create", name: `way-${turn}`, content });
  }
  return { text: `Answer ${turn}.` };
}

/** The bytes that a provider may have in its cache after a request. */
const prefixOf = ({ tools, messages }: ScriptRequest): string =>
  `${JSON.stringify(tools)}${messages.map((message) => JSON.stringify(message)).join("\n")}`;

test(`over ${TURNS} turns with writes of memory and skills, rescans and restarts each request begins with the bytes of the one before`, async (t) => {
  const model = await startModelServer({ script: replyTo });
  t.after(() => model.close());
  const served = `model: {provider: custom, base_url: "${model.url}", default: fake-1, context_length: 4000000}\n`;
  const world = await chatWorld(t, {
    config: `${served}toolsets: [memory, skills]\nmemory: {nudge_interval: 0}\nskills: {creation_nudge_interval: 0}\n`,
  });
  let session = await world.open();
  for (let turn = 1; turn <= TURNS; turn++) {
    if (turn % 50 === 0) {
      const dir = join(world.home.dir, "skills", `by-hand-${turn}`);
      mkdirSync(dir, { recursive: true });
      writeFileSync(join(dir, "SKILL.md"), `---\nname: by-hand-${turn}\ndescription: Use by hand.\n---\nx\n`);
    }
    if (turn % 125 === 0) session = await world.reopen(session.id);
    const { result } = await world.say(session, `turn ${turn}`);
    assert.equal(result.completed, true, JSON.stringify(result.error));
  }
  const sent = model.chats().flatMap(({ body }) => (body === undefined ? [] : [prefixOf(body)]));
  assert.ok(sent.length > TURNS);
  const broken = sent.flatMap((bytes, n) => (n === 0 || bytes.startsWith(sent[n - 1] ?? "") ? [] : [n]));
  assert.deepEqual(broken, []);
});
