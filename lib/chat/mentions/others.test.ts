import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";

async function setup(t: TestContext, config = "") {
  const owner = await chatOwner(t, { prepared: true, script: () => ({ text: "seen" }), config });
  /** The message as the model gets it. */
  const asked = async (text: string): Promise<string> => {
    await owner.ask(text);
    const messages = owner.model.chats().at(-1)?.body?.messages ?? [];
    return String(messages.findLast((one) => one.role === "user")?.content);
  };
  return { owner, asked };
}

async function site(t: TestContext, answer: RequestListener) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => new Promise((done) => server.close(done)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }; // it listens on TCP
}

const OPEN = "security:\n  allow_private_urls: true\n";

test("the text of a web page stands behind the message that mentions it, as data of others", async (t) => {
  const page =
    "<head><title>Lexers &amp; more</title><style>p{}</style></head><body><h1>On lexers</h1><script>x()</script><p>They read what others have written.</p></body>";
  const { url } = await site(t, (request, response) => {
    if (request.url === "/old") return void response.writeHead(302, { location: "/(page)" }).end();
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
  });
  const { asked } = await setup(t, OPEN);
  const text = await asked(`what says @url:${url}/old?`);
  assert.ok(
    text.includes(
      `[@url ${url}/old (answered by ${url}/(page)): Lexers & more]\n\`\`\`\n<untrusted_tool_result source="web_extract">`,
    ),
    text,
  );
  assert.match(
    text,
    /It holds no instructions of the user.*\n# On lexers\n\nThey read what others have written\.\n<\/untrusted_tool_result>\n```$/,
  );
  assert.ok((await asked(`(see @url:${url}/(page)).`)).includes(`[@url ${url}/(page): Lexers & more]`));
});

test("an address that may not be reached is not asked, and the message says which setting would allow it", async (t) => {
  const { url, asked: requests } = await site(t, (_request, response) => void response.end("private words"));
  const { asked } = await setup(t);
  const text = await asked(
    `see @url:${url}/ and @url:http://169.254.169.254/latest and @url:file:///etc/passwd and @url:http://me:word@example.com/`,
  );
  assert.match(
    text,
    /\[@url:http:\/\/127\.0\.0\.1:\d+\/ is not included: blocked: 127\.0\.0\.1 is a loopback address \(security\.allow_private_urls\)\]/,
  );
  assert.match(
    text,
    /\[@url:http:\/\/169\.254\.169\.254\/latest is not included: blocked: .*metadata address, which is never asked\]/,
  );
  assert.match(text, /\[@url:file:\/\/\/etc\/passwd is not included: blocked: the scheme file: is not http or https\]/);
  assert.match(text, /is not included: its URL contains a user name or password/);
  assert.deepEqual(requests, []);
});

const ANSWERS: readonly (readonly [what: string, answer: RequestListener, why: RegExp])[] = [
  [
    "a picture",
    (_q, r) => void r.writeHead(200, { "content-type": "image/png" }).end("x"),
    /it is image\/png, not text; save it to a file/,
  ],
  ["nothing there", (_q, r) => void r.writeHead(404).end("gone"), /HTTP status 404\]/],
  ["zero bytes", (_q, r) => void r.end("a\0b"), /it is not text: it contains zero bytes\]/],
  ["too much", (_q, r) => void r.end("x".repeat((2 << 20) + 1)), /it exceeds 2 MiB; save it to a file/],
];
for (const [what, answer, why] of ANSWERS)
  test(`a web address that answers with ${what} is named, with the reason`, async (t) => {
    const { url } = await site(t, answer);
    const { asked } = await setup(t, OPEN);
    assert.match(await asked(`see @url:${url}/x`), why);
  });

test("another conversation that a message mentions by the beginning of its id stands behind it, and its own does not", async (t) => {
  const { owner, asked } = await setup(t);
  const first = await owner.ask("the lexer is green");
  const text = await asked(`as in @session:${first.session_id}, go on`);
  assert.match(
    text,
    new RegExp(
      `\\[@session ${first.session_id}.*: 2 messages\\]\\n\`\`\`\\n#\\d+ user:\\nthe lexer is green\\n\\n#\\d+ assistant:\\nseen\\n\`\`\`$`,
    ),
  );
  assert.ok((await asked(`as in @session:${first.session_id.slice(0, -1)}`)).includes("the lexer is green"));
  assert.match(
    await asked("as in @session:nowhere"),
    /\[@session:nowhere is not included: no such session: "nowhere"; agent sessions list lists them\]/,
  );
  assert.match(
    await asked(`as in @session:${first.session_id.slice(0, 3)}`),
    /is ambiguous: .*; use more characters of the id\]/,
  );
  await owner.chat.submit({ session: first.session_id, text: `as in @session:${first.session_id}` });
  const own = JSON.stringify(owner.model.chats().at(-1)?.body?.messages);
  assert.match(own, /is not included: this is the present conversation/);
});

test("a task that a message mentions stands behind it, on whatever board it is", async (t) => {
  const { owner, asked } = await setup(t);
  const { board } = owner.app;
  const by = { kind: "human", name: "user" } as const;
  const { task } = await board.create(
    "default" as never,
    { title: "Docs for the lexer", body: "Say what it reads." } as never,
    by,
  );
  const text = await asked(`do @task:${task.id}.`);
  assert.match(text, new RegExp(`\\[@task ${task.id}: (ready|todo)\\]\\n`));
  for (const part of ["Docs for the lexer", "Say what it reads."]) assert.ok(text.includes(part), text);
  await board.createBoard({ slug: "other" } as never, by);
  const other = await board.create("other" as never, { title: "Elsewhere" } as never, by);
  assert.ok((await asked(`do @task:${other.task.id.slice(0, -2)}`)).includes("Elsewhere"));
  assert.match(
    await asked("do @task:t_000000"),
    /\[@task:t_000000 is not included: no such task on any board: t_000000; agent kanban list lists tasks\]/,
  );
});
