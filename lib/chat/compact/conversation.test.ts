import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Reply, ScriptRequest } from "../../../fixtures/servers/model/script.js";
import { type ModelServer, startModelServer } from "../../../fixtures/servers/model/server.js";
import { chatWorld, type Said } from "../../../fixtures/sim/chat-world.js";

type Answer = (request: ScriptRequest, turn: number) => Reply;

interface Wished {
  readonly answer: Answer;
  /** Answers the questions for summaries. */
  readonly side?: readonly Reply[];
  readonly config?: string;
  readonly window?: number;
}

/** A conversation with a scripted server, as the program builds it. */
async function setup(t: TestContext, { answer, side, config = "", window = 128_000 }: Wished) {
  let turn = 0;
  let sides = 0;
  const server = await startModelServer({
    auxiliary: false,
    script: (request) => {
      if (request.tools?.[0] !== null) return answer(request, turn++); // the server marks side work so
      return side?.[Math.min(sides++, side.length - 1)] ?? { text: "## Goal\nSummary of what was said." };
    },
  });
  t.after(() => server.close());
  const world = await chatWorld(t, {
    config: `model: { provider: p1, default: m1 }
agent: { api_max_retries: 1 }
providers:
  p1: { base_url: "${server.url}", api_key: key-1234, context_length: ${window} }
${config}`,
  });
  return { server, world, session: await world.open() };
}

const said = (text: string, prompt_tokens = 1_000): Reply => ({ text, usage: { prompt_tokens, completion_tokens: 5 } });
const called = (prompt_tokens: number, name = "todo", args: unknown = {}): Reply => ({
  tool_calls: [{ name, arguments: args }],
  usage: { prompt_tokens, completion_tokens: 5 },
});
const seen = ({ events }: Said, name: string) => events.filter(({ event }) => event === name).map(({ data }) => data);
const mainRequests = (server: ModelServer) => server.requests.filter(({ body }) => (body?.tools ?? []).length > 0);
const summaries = (server: ModelServer) =>
  server.requests.filter(({ path, body }) => path.endsWith("/chat/completions") && (body?.tools ?? []).length === 0);
const textOf = (request: { body: ScriptRequest | undefined } | undefined) =>
  (request?.body?.messages ?? []).map(({ role, content }) => `${role}: ${typeof content === "string" ? content : ""}`).join("\n");

const MARK = "[CONTEXT COMPACTION - BACKGROUND ONLY]";

/** Six exchanges, then a turn whose tool round is counted as large. */
const growing: Answer = (_request, turn) => (turn === 6 ? called(70_000) : said(`answer ${turn}`));

async function grown(t: TestContext, more: Partial<Wished> = {}) {
  const made = await setup(t, { answer: growing, ...more });
  for (let n = 0; n < 6; n++) await made.world.say(made.session, `question ${n}`);
  return { ...made, last: await made.world.say(made.session, "question 6") };
}

test("C50: a tool round that is counted as large is followed by a summary, a new segment and lines with numbers", async (t) => {
  const { server, world, session, last } = await grown(t);
  assert.equal(last.result.final_response, "answer 7");
  assert.equal(summaries(server).length, 1);
  assert.match(textOf(summaries(server)[0]), /\[USER\]: question 2\n/);
  assert.match(textOf(mainRequests(server).at(-1)), new RegExp(MARK.replace(/[[\]]/g, "\\$&")));
  const [started] = seen(last, "compaction.started");
  const [ended] = seen(last, "compaction.ended");
  assert.deepEqual([started?.["reason"], started?.["trigger"], started?.["window"]], ["round", 64_000, 128_000]);
  assert.ok(Number(started?.["tokens"]) >= 70_000);
  assert.deepEqual([ended?.["ok"], ended?.["method"], ended?.["messages_before"]], [true, "model", 15]);
  assert.equal(last.result.session_id, ended?.["new_session_id"]);
  const next = await world.chat.get(last.result.session_id);
  assert.deepEqual([next?.parent_session_id, next?.relation, next?.lineage_root], [session.id, "compaction", session.id]);
  assert.equal((await world.chat.get(session.id))?.end_reason, "compaction");
});
