import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { askingChat } from "../../../fixtures/sim/asking-chat.js";
import type { FormAsked } from "../../contracts/chat/form.js";
import { entryOf, jsonTool } from "../../tools/core/json-tool.js";
import type { ToolSource } from "../../tools/core/tool-source.js";

const FORM: FormAsked = {
  title: "Release",
  from: "mcp:ci",
  message: "Fill this in.",
  fields: [
    { name: "tag", label: "Tag", type: "text", required: true, min_length: 2 },
    { name: "dry", label: "Dry run", type: "boolean", required: true },
    { name: "note", label: "Note", type: "text", required: false },
  ],
};

/** A tool that asks for a form, and one that asks for a secret. */
function asking(answers: unknown[]): ToolSource {
  const common = {
    toolset: "mcp-ci",
    risk: "read",
    schema: { type: "object", properties: {} },
    effects: () => ({ reads: [], writes: ["user"] }),
    limits: { ms: 0, chars: 10_000 },
    preview: () => "",
  } as const;
  const form = jsonTool({
    ...common,
    name: "mcp_ci_form",
    description: "Ask for a form.",
    run: async (_args, ctx) => {
      answers.push(await ctx.askForm?.(FORM));
      return { text: "asked" };
    },
  });
  const secret = jsonTool({
    ...common,
    name: "mcp_ci_secret",
    description: "Ask for a secret.",
    run: async (_args, ctx) => ({
      text: (await ctx.askHidden?.("Token of the registry")) === "s3cret" ? "right" : "wrong",
    }),
  });
  const parked = jsonTool({
    ...common,
    name: "mcp_ci_parked",
    description: "Ask for a form that outlives the call.",
    run: async (_args, ctx) => {
      answers.push(await ctx.askForm?.({ ...FORM, park: true }, { kind: "test", data: {} }));
      return { text: "asked" };
    },
  });
  const entries = [form, secret, parked].map((tool) => entryOf(tool, { kind: "mcp", name: "ci" }));
  return { entries: () => entries };
}

const calls = (name: string) => ({ tool_calls: [{ name, arguments: {} }] });

async function world(t: TestContext, ...names: string[]) {
  const answers: unknown[] = [];
  const script = [...names.map(calls), { text: "DONE" }, { text: "AGAIN" }];
  const made = await askingChat(t, script, "msgt", { toolSources: [asking(answers)] });
  const said = () => made.sent.map(({ payload }) => payload.text ?? "");
  const until = async (found: (text: string) => boolean) => {
    while (!said().some(found)) await made.shown(made.platform.ledger.length + 1);
  };
  return { ...made, said, until, answers };
}

test("a form is filled in in a chat, field by field, with what is wrong, a button and skip", async (t) => {
  const { say, press, until, answers, buttons } = await world(t, "mcp_ci_form");
  await say("1", "release");
  await until((text) => text.includes("mcp:ci asks: Release"));
  await say("2", "v");
  await until((text) => text.includes("Tag: at least 2 characters"));
  await say("3", "v1");
  await until((text) => text.includes("**Dry run**"));
  await press("4", buttons().find(({ text }) => text === "no")?.data ?? "");
  await until((text) => text.includes("**Note**"));
  await say("5", "skip");
  await until((text) => text === "DONE");
  assert.deepEqual(answers, [{ action: "accept", content: { tag: "v1", dry: false } }]);
});

test("cancel ends a form in a chat", async (t) => {
  const { say, until, answers } = await world(t, "mcp_ci_form");
  await say("1", "release");
  await until((text) => text.includes("mcp:ci asks: Release"));
  await say("2", "cancel");
  await until((text) => text === "DONE");
  assert.deepEqual(answers, [{ action: "cancel", content: {} }]);
});

test("a chat is never asked for a secret: it says where to answer, and the answer from there counts", async (t) => {
  const { say, until, owner, said } = await world(t, "mcp_ci_secret");
  await say("1", "log in");
  await until((text) => text.includes("Never send it to this chat."));
  const [session] = await owner.chat.list({});
  assert.ok(said().some((text) => text.includes(`agent --resume ${session?.id}`)));
  const [question] = await owner.chat.questions();
  assert.equal(question?.kind, "secret");
  await owner.chat.answerHidden("secret", question?.request ?? "", "s3cret", "workspace");
  await until((text) => text === "DONE");
  assert.ok(!JSON.stringify(await owner.chat.messages(session?.id ?? ("" as never))).includes("s3cret"));
});

test("a form that outlives its turn leaves the chat to the model until /approve, and is then filled in there", async (t) => {
  const { say, until, owner, sent } = await world(t, "mcp_ci_parked");
  await say("1", "release");
  await until((text) => text.includes("mcp:ci asks: Release"));
  await say("2", "/stop");
  await until((text) => text.includes("It stays open: /approve answers it here"));
  assert.ok(
    sent.some(({ via, payload }) => via === "edit" && (payload.extra?.["buttons"] as unknown[] | undefined)?.length),
    "its buttons stay",
  );
  await say("3", "v9");
  await until((text) => text === "DONE");
  assert.equal((await owner.chat.questions()).length, 1, "what was said was for the model");
  await say("4", "/approve");
  await until((text) => text.startsWith("📝 mcp:ci asks: Release") && text.endsWith("cancel ends the form."));
  await say("5", "v1");
  await until((text) => text.includes("**Dry run**"));
  await say("6", "yes");
  await until((text) => text.includes("**Note**"));
  await say("7", "skip");
  await until((text) => text.includes("✅ Sent"));
  assert.deepEqual(await owner.chat.questions(), []);
});

test("/deny declines a form whose turn has ended, and its message says so", async (t) => {
  const { say, until, owner } = await world(t, "mcp_ci_parked");
  await say("1", "release");
  await until((text) => text.includes("mcp:ci asks: Release"));
  await say("2", "/stop");
  await until((text) => text.includes("It stays open"));
  await say("3", "/deny");
  await until((text) => text === "❌ Declined.");
  await until((text) => text.includes("❌ Declined — "));
  assert.deepEqual(await owner.chat.questions(), []);
});

test("a form of a chat that is answered elsewhere after its turn says so in the chat", async (t) => {
  const { say, until, owner } = await world(t, "mcp_ci_parked");
  await say("1", "release");
  await until((text) => text.includes("mcp:ci asks: Release"));
  await say("2", "/stop");
  await until((text) => text.includes("It stays open"));
  const [question] = await owner.chat.questions();
  await owner.chat.answerForm(question?.request ?? "", { action: "cancel" }, "dashboard");
  await until((text) => text.includes("❌ Cancelled — dashboard"));
});
