import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";
import { type Delegated, delegating } from "../../../fixtures/worlds/children.js";
import { call } from "../../../fixtures/worlds/run-code.js";
import { entryOf, jsonTool } from "../../tools/core/json-tool.js";

/** A conversation with a server's tool sends a child with these sets; the child calls the tool. */
async function sent(t: TestContext, toolsets: readonly string[], config = "") {
  const ran: string[] = [];
  const tool = jsonTool({
    name: "mcp_tracker_list",
    toolset: "mcp-tracker",
    description: "Lists issues.",
    schema: { type: "object", properties: { project: { type: "string" } } },
    risk: "read",
    effects: () => ({ reads: ["net"], writes: [] }),
    limits: { ms: 10_000, chars: 1_000 },
    preview: ({ project }) => String(project),
    run: async ({ project }, ctx) => {
      ran.push(`${project} ${ctx.session}`);
      return { text: "none" };
    },
  });
  const owner = await chatOwner(t, {
    config,
    script: delegating({ goal: "look", toolsets }, [
      call("mcp_tracker_list", { project: "one" }),
      { text: "there are none" },
    ]),
    toolSources: [{ entries: () => [entryOf(tool, { kind: "mcp", name: "tracker" })] }],
  });
  const turn = await owner.ask("do it");
  const [result] = (await owner.results(turn.session_id)) as Delegated[];
  const [child] = await owner.chat.children(turn.session_id);
  return { ran, summary: result?.results[0]?.summary, child: child?.id };
}

const ALONE = "delegation:\n  inherit_mcp_toolsets: false\n";

for (const [toolsets, config, has] of [
  [["mcp-tracker"], "", true],
  [["file"], "", true],
  [["file"], ALONE, false],
  [["mcp-tracker"], ALONE, true],
] as const)
  test(`a child with ${toolsets.join(", ")} ${has ? "has" : "has not"} the servers of its parent ${config === "" ? "by default" : "where they are not inherited"}`, async (t) => {
    const { ran, summary, child } = await sent(t, toolsets, config);
    assert.equal(summary, "there are none");
    assert.deepEqual(ran, has ? [`one ${child}`] : []);
  });
