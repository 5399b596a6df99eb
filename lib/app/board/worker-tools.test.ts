import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import type { CallContext, ClientContext } from "../../backplane/methods.js";
import { AppError } from "../../base/errors.js";
import { workerToolMethods } from "../../rpc/board/worker-tool-methods.js";
import type { ToolContext, ToolResult } from "../../tools/core/define.js";
import { entryOf, jsonTool } from "../../tools/core/json-tool.js";
import { ownerTools } from "../../worker/worker-tools.js";

const CLAIM = { board: "default", task: "t_00000001", run: 1, token: "0".repeat(64) };

interface Given {
  run(args: Readonly<Record<string, unknown>>, ctx: ToolContext): Promise<ToolResult>;
  allow?(): Promise<void>;
}

/** The owner's half and the worker's, with the claims of every call. */
async function setup(t: TestContext, { run, allow = async () => undefined }: Given) {
  const tool = jsonTool({
    name: "mcp_tracker_add",
    toolset: "mcp-tracker",
    description: "Adds an issue.",
    schema: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
    risk: "external",
    effects: () => ({ reads: ["net"], writes: [] }),
    limits: { ms: 60_000, chars: 1_000 },
    preview: ({ title }) => String(title),
    declares: ({ title }) =>
      title === "harmless" ? undefined : { class: "tool-risk", text: "changes the tracker", pin: "aaaa1111" },
    run,
  });
  const owner = await chatOwner(t, {
    script: [{ text: "done" }],
    toolSources: [{ entries: () => [entryOf(tool, { kind: "mcp", name: "tracker" })], toolsets: () => ["mcp-late"] }],
  });
  const session = await owner.open();
  const claims: unknown[] = [];
  const methods = workerToolMethods(owner.app, async (claim, of) => {
    claims.push([claim, of.id]);
    await allow();
  });
  const client = { claim: CLAIM, signal: new AbortController().signal } as unknown as ClientContext; // these methods read nothing else of it
  const call = async (name: string, params: object) => {
    const method = methods.get(name) ?? assert.fail(name);
    return method.run(method.params.parse(params), client, {} as CallContext); // they ask nothing of the call
  };
  const activity: string[] = [];
  const source = ownerTools({ call, session: () => session.id, activity: () => activity.push("") });
  const { context, asked } = bench(t);
  return { source, call, claims, session, context, asked, activity };
}

const READY = new AbortController().signal;

test("a worker is offered the tools that the owner has at run time, and their calls run in the owner", async (t) => {
  const { source, context, asked, claims, session, activity } = await setup(t, {
    run: async ({ title }, ctx) => {
      ctx.progress("half");
      return { text: `added ${title} in ${ctx.session}`, filesChanged: [] };
    },
  });
  await source.ready?.(READY);
  const [entry] = source.entries({});
  assert.deepEqual(
    [entry?.name, entry?.toolset, entry?.core, entry?.origin],
    ["mcp_tracker_add", "mcp-tracker", false, { kind: "mcp", name: "tracker" }],
  );
  assert.deepEqual(source.toolsets?.(), ["mcp-late"]);
  const tool = (await entry?.load()) ?? assert.fail();
  assert.deepEqual(tool.effects({}, { cwd: "/", userHome: "/" }), { reads: ["net"], writes: [] });
  const result = await tool.run({ title: "one" }, context);
  assert.equal(result.text, `added one in ${session.id}`);
  assert.deepEqual(asked[0]?.declared, { class: "tool-risk", text: "changes the tracker", pin: "aaaa1111" });
  assert.deepEqual(claims.at(0), [CLAIM, session.id]);
  assert.ok(claims.length >= 3, "listing, looking and calling each carry the claim");
  assert.ok(activity.length <= 1);
  await tool.run({ title: "harmless" }, context);
  assert.equal(asked[1]?.declared, undefined, "what the owner's tool says of these arguments counts");
});

test("a call that the worker may not make never reaches the tool", async (t) => {
  const ran: unknown[] = [];
  const { source, context } = await setup(t, {
    run: async (args) => {
      ran.push(args);
      return { text: "" };
    },
  });
  await source.ready?.(READY);
  const tool = (await source.entries({})[0]?.load()) ?? assert.fail();
  const permit: ToolContext["permit"] = async () => ({
    allowed: false,
    status: "denied",
    message: "no",
    rule: "tool:x",
  });
  const result = await tool.run({ title: "one" }, { ...context, permit });
  assert.deepEqual([result.status, result.ruleToAllow, ran], ["denied", "tool:x", []]);
});

test("an interrupt of the worker's call reaches the tool, and what it tells on the way reaches the worker", async (t) => {
  const control = new AbortController();
  const { source, context } = await setup(t, {
    run: (_args, ctx) =>
      new Promise((resolve) => {
        ctx.signal.addEventListener("abort", () => resolve({ text: "cancelled there", status: "cancelled" }));
        ctx.progress("begun");
      }),
  });
  await source.ready?.(READY);
  const tool = (await source.entries({})[0]?.load()) ?? assert.fail();
  const told: string[] = [];
  const progress = (text: string) => {
    told.push(text);
    control.abort();
  };
  const result = await tool.run({ title: "one" }, { ...context, signal: control.signal, progress });
  assert.deepEqual([told, result.text, result.status], [["begun"], "cancelled there", "cancelled"]);
});

test("a claim that is lost, a tool that is not there and one that is built in are refused", async (t) => {
  const lost = await setup(t, {
    run: async () => ({ text: "" }),
    allow: async () => {
      throw new AppError("E_CLAIM_LOST", "gone");
    },
  });
  const params = { session: lost.session.id, name: "mcp_tracker_add", args: {}, call: "c1", cwd: "/" };
  for (const name of [
    "worker.tools",
    "worker.tool_look",
    "worker.tool_call",
    "worker.tool_progress",
    "worker.tool_cancel",
  ])
    await assert.rejects(lost.call(name, params), { code: "E_CLAIM_LOST" });
  const { call, session } = await setup(t, { run: async () => ({ text: "" }) });
  for (const name of ["nothing", "read_file"])
    await assert.rejects(call("worker.tool_call", { ...params, session: session.id, name }), { code: "E_NOT_FOUND" });
});

test("a picture of a result reaches the worker as a file of its conversation", async (t) => {
  const png = Buffer.concat([Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), Buffer.alloc(16)]);
  const { source, context, session } = await setup(t, {
    run: async () => ({ text: "seen", images: [{ data: png.toString("base64"), name: "shot" }] }),
  });
  await source.ready?.(READY);
  const tool = (await source.entries({})[0]?.load()) ?? assert.fail();
  const { images = [] } = await tool.run({ title: "one" }, context);
  assert.match(
    JSON.stringify(images),
    new RegExp(`"path":"[^"]*/attached/${session.lineage_root}/[0-9a-f]{16}-shot.png"`),
  );
});
