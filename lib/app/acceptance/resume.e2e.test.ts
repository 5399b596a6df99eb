import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileIsThere } from "../../../fixtures/e2e/files.js";
import { type World, world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";
import type { ScriptProgram } from "../../../fixtures/servers/model/script.js";
import { roundOf } from "../../../fixtures/servers/model/script.js";

/** Three rounds of one tool call each; the third blocks. A second user message is answered at once. */
const script: ScriptProgram = (request) => {
  const asked = request.messages.filter(({ role }) => role === "user").length;
  const round = roundOf(request);
  if (asked > 1 || round > 2) return { text: "I go on." };
  const command = round < 2 ? `echo round ${round + 1}` : "touch third; sleep 600";
  return { text: `round ${round + 1}`, tool_calls: [{ name: "terminal", arguments: { command } }] };
};

interface Shown {
  readonly messages: readonly { readonly role: string; readonly content: string; readonly status?: string }[];
}

const KILLS = [
  { what: "the process of the command", owner: false },
  { what: "the owner that works it for a command", owner: true },
];

for (const { what, owner } of KILLS) {
  test(`a turn killed during its third tool call is there afterwards and goes on: ${what}`, async (t) => {
    proves(t, "chat.session.resume");
    const made = await world(t, { model: { script }, name: "any" });
    const victim = owner ? await made.owner() : undefined;
    const turn = made.start(["chat", "-q", "work", "--json"]);
    const started = JSON.parse(await turn.line((line) => line.includes("turn.started")));
    await turn.line((line) => line.includes('"tool.started"') && line.includes("sleep 600"));
    await fileIsThere(join(made.work, "third")); // the call was told before its command runs
    await (victim ?? turn).end("SIGKILL");
    const lost = await turn.ended;
    if (owner)
      assert.deepEqual(
        [lost.code, JSON.parse(lost.out.trimEnd().split("\n").at(-1) ?? "").error.code],
        [1, "E_OWNER_LOST"],
      );
    await told(made, started.session_id, false);
    const again = await made.run(["--resume", started.session_id, "-z", "go on"]);
    assert.deepEqual([again.code, again.out], [0, "I go on.\n"]);
    await told(made, started.session_id, true);
    const sent =
      made.model
        .chats()
        .at(-1)
        ?.body?.messages.filter(({ role }) => role !== "system") ?? [];
    assert.deepEqual(
      sent.map(({ role }) => role),
      ["user", "assistant", "tool", "assistant", "tool", "assistant", "tool", "user"],
    );
    assert.match(JSON.stringify(sent.at(-2)?.content), /may or may not have taken effect/);
    assert.equal(existsSync(join(made.work, "third")), true);
    await made.alone(); // the command of the killed owner was ended before its turn was closed
    assert.deepEqual(readdirSync(join(made.home.runDir, "shell")), []); // nor is there what it told of its state at its end
  });
}

async function told({ json, run }: World, session: string, resumed: boolean): Promise<void> {
  const { messages } = await json<Shown>("sessions", "show", session);
  const roles = messages.map(({ role, status }) => (status === undefined ? role : `${role} ${status}`));
  // Looking changes nothing, but shows what the next owner stores: the call that was running has its result.
  const kept = ["user", "assistant", "tool ok", "assistant", "tool ok", "assistant", "tool interrupted"];
  assert.deepEqual(roles, resumed ? [...kept, "user", "assistant"] : kept);
  assert.match(messages[2]?.content ?? "", /round 1/);
  assert.match(messages[6]?.content ?? "", /may or may not have taken effect/);
  for (const format of ["md", "json", "jsonl"]) {
    const { out } = await run(["sessions", "export", session, "--format", format]);
    assert.equal(out.match(/may or may not have taken effect/g)?.length, 1, format);
  }
}
