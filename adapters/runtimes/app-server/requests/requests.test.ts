import assert from "node:assert/strict";
import test from "node:test";
import { proves } from "../../../../fixtures/requirements.js";
import type { RuntimeAnswer, RuntimePermission, RuntimeQuestion } from "../../../../lib/contracts/runtimes/runtime.js";
import { createRequests, type Reply } from "./requests.js";

const CWD = "/home/u/ws";
const COMMAND = "item/commandExecution/requestApproval";
const FILES = "item/fileChange/requestApproval";
const ELICITATION = "mcpServer/elicitation/request";

/** Messages as the program sends them (extensions part, 8.12). */
const COMMAND_PARAMS = {
  kind: "command",
  threadId: "01a1-T",
  turnId: "01a1-U",
  itemId: "call_5",
  startedAtMs: 1,
  environmentId: "local",
  reason: "need it",
  command: "/bin/bash -lc 'touch /outside && echo did'",
  cwd: CWD,
  commandActions: [{ type: "unknown", command: "touch /outside && echo did" }],
  proposedExecpolicyAmendment: ["touch", "/outside"],
  availableDecisions: [
    "accept",
    { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["touch", "/outside"] } },
    "cancel",
  ],
};
const FILE_ITEM = {
  type: "fileChange",
  id: "call_17",
  changes: [{ path: `${CWD}/new.txt`, kind: { type: "add" }, diff: "hello\n" }],
  status: "inProgress",
};
const FILE_PARAMS = {
  threadId: "01a1-T",
  turnId: "01a1-U",
  itemId: "call_17",
  startedAtMs: 1,
  reason: null,
  grantRoot: null,
};
const TOOL_PARAMS = {
  threadId: "01a1-T",
  turnId: "01a1-U",
  serverName: "filesystem",
  mode: "form",
  _meta: {
    codex_approval_kind: "mcp_tool_call",
    persist: ["session", "always"],
    tool_name: "write_file",
    tool_title: "Write File",
    tool_description: "...",
    tool_annotations: { readOnlyHint: false, destructiveHint: true },
    tool_params: { path: "/home/u/ws/w.txt", content: "x" },
    tool_params_display: [{ name: "content", value: "x", display_name: "content" }],
  },
  message: 'Allow the filesystem MCP server to run tool "write_file"?',
  requestedSchema: { type: "object", properties: {} },
};

function setup({
  answer = "once",
  said,
  items = [],
}: {
  readonly answer?: RuntimeAnswer | ((signal: AbortSignal) => Promise<RuntimeAnswer>);
  readonly said?: readonly (string | undefined)[];
  readonly items?: readonly (readonly [string, unknown])[];
} = {}) {
  const permissions: RuntimePermission[] = [];
  const questions: RuntimeQuestion[] = [];
  const notices: string[] = [];
  const answers = [...(said ?? [])];
  const nothing = () => undefined;
  const log = { debug: nothing, info: nothing, warning: nothing, error: nothing, child: () => log };
  const requests = createRequests({
    host: {
      permit: async (asked, signal) => {
        permissions.push(asked);
        return typeof answer === "string" ? answer : answer(signal);
      },
      ask: async (question) => {
        questions.push(question);
        return answers.shift();
      },
      notice: ({ text }) => notices.push(text),
    },
    itemsStarted: new Map(items),
    cwd: CWD,
    callbackServer: "agent-tools",
    log,
  });
  const turn = new AbortController();
  const ask = (method: string, params: unknown, id: number | string = 0): Promise<Reply | undefined> =>
    requests.answer(method, id, params, turn.signal);
  return { requests, ask, permissions, questions, notices, turn };
}

const DECISIONS: readonly (readonly [RuntimeAnswer, string])[] = [
  ["once", "accept"],
  ["session", "acceptForSession"],
  ["always", "acceptForSession"],
  ["deny", "decline"],
  ["cancel", "cancel"],
];

for (const [answer, decision] of DECISIONS) {
  test(`the answer ${answer} to a command or a file change is ${decision} for the app-server`, async (t) => {
    proves(t, "appserver.replies", "appserver.approval-mapping");
    const { ask } = setup({ answer, items: [["call_17", FILE_ITEM]] });
    assert.deepEqual(await ask(COMMAND, COMMAND_PARAMS), { result: { decision } });
    assert.deepEqual(await ask(FILES, FILE_PARAMS, 1), { result: { decision } });
  });
}

test("a command is asked about with its exact text, directory and reason", async (t) => {
  proves(t, "appserver.server-requests");
  const { ask, permissions } = setup();
  await ask(COMMAND, COMMAND_PARAMS);
  assert.deepEqual(permissions, [
    {
      tool: "exec_command",
      callId: "call_5",
      cwd: CWD,
      kind: "command",
      command: COMMAND_PARAMS.command,
      args: { command: COMMAND_PARAMS.command, cwd: CWD },
      reason: "need it",
    },
  ]);
});

test("an older app-server that names no kind asks about a command", async () => {
  const { ask, permissions } = setup();
  const { kind, ...older } = COMMAND_PARAMS;
  assert.equal(kind, "command");
  assert.deepEqual(await ask(COMMAND, older), { result: { decision: "accept" } });
  assert.equal(permissions[0]?.kind, "command");
});

test("permissions that a command asks for beside its sandbox stand in its reason, with the paths that it could write", async () => {
  const { ask, permissions } = setup();
  const entries = [{ access: "write", path: { type: "path", path: "/var/data" } }];
  await ask(COMMAND, {
    ...COMMAND_PARAMS,
    additionalPermissions: { network: { enabled: true }, fileSystem: { write: ["/srv"], read: ["/etc/x"], entries } },
  });
  assert.equal(permissions[0]?.reason, "need it; with network access; may write /srv, /var/data; may read /etc/x");
  assert.deepEqual(permissions[0]?.paths, ["/srv", "/var/data"]);
});

test("network access of a command is asked about by its host", async () => {
  const { ask, permissions } = setup();
  const { command, ...rest } = COMMAND_PARAMS;
  assert.notEqual(command, "");
  await ask(COMMAND, { ...rest, networkApprovalContext: { host: "example.com", protocol: "https" } });
  assert.equal(permissions[0]?.kind, "tool");
  assert.equal(permissions[0]?.command, "network access to example.com (https)");
  assert.deepEqual(permissions[0]?.hosts, ["example.com"]);
});

test("a human checkpoint is put to a person and takes one-time answers only", async (t) => {
  proves(t, "appserver.replies");
  for (const [answer, decision] of [
    ["once", "accept"],
    ["session", "accept"],
    ["always", "accept"],
    ["deny", "decline"],
    ["cancel", "cancel"],
  ] as const) {
    const { ask, permissions } = setup({ answer });
    assert.deepEqual(await ask(COMMAND, { ...COMMAND_PARAMS, kind: "humanCommand" }), { result: { decision } });
    assert.equal(permissions[0]?.person, true);
  }
});

test("text for a running command is shown as typed text with the command that it goes to", async () => {
  const { ask, permissions } = setup({ items: [["call_5", { type: "commandExecution", command: "python3 -i" }]] });
  await ask(COMMAND, { ...COMMAND_PARAMS, kind: "writeStdin", command: "import os\n" });
  assert.equal(permissions[0]?.typed, true);
  assert.equal(permissions[0]?.into, "python3 -i");
  assert.equal(permissions[0]?.command, "import os\n");
  const unknown = setup();
  assert.deepEqual(await unknown.ask(COMMAND, { ...COMMAND_PARAMS, kind: "writeStdin", command: null }), {
    result: { decision: "accept" },
  });
  assert.equal(unknown.permissions[0]?.typed, true);
});

test("an unknown kind of approval is declined without a question, and the user is told", async () => {
  const { ask, permissions, notices } = setup();
  assert.deepEqual(await ask(COMMAND, { ...COMMAND_PARAMS, kind: "teleport" }), { result: { decision: "decline" } });
  assert.deepEqual(permissions, []);
  assert.deepEqual(notices, ["declined a request of the app-server: unknown kind of approval 'teleport'"]);
});

test("the question about a file change lists the paths although the request has none", async (t) => {
  proves(t, "appserver.server-requests");
  const { ask, permissions } = setup({ items: [["call_17", FILE_ITEM]] });
  await ask(FILES, FILE_PARAMS);
  assert.deepEqual(permissions, [
    {
      tool: "apply_patch",
      callId: "call_17",
      kind: "write",
      command: `1 add: ${CWD}/new.txt`,
      cwd: CWD,
      paths: [`${CWD}/new.txt`],
      args: { changes: [{ kind: "add", path: `${CWD}/new.txt` }] },
      diff: `--- /dev/null\n+++ ${CWD}/new.txt\n+hello`,
    },
  ]);
});

test("of many changed files three are named, and moved ones and a granted root count as written", async () => {
  const change = (path: string, type: string, move?: string) => ({
    path,
    kind: { type, ...(move === undefined ? {} : { move_path: move }) },
    diff: "",
  });
  const changes = [change("a", "add"), change("b", "update", "/x/c"), change("d", "delete"), change("e", "add")];
  const { ask, permissions } = setup({ items: [["call_17", { type: "fileChange", changes }]] });
  await ask(FILES, { ...FILE_PARAMS, reason: "out of the sandbox", grantRoot: "/srv" });
  assert.equal(permissions[0]?.command, "2 add, 1 update, 1 delete: a, b, d +1 more");
  assert.deepEqual(permissions[0]?.paths, [`${CWD}/a`, `${CWD}/b`, `${CWD}/d`, `${CWD}/e`, "/x/c", "/srv"]);
  assert.equal(permissions[0]?.reason, "out of the sandbox; asks to write everything below /srv in this session");
});

test("a file change whose item was never told is declined", async () => {
  const { ask, permissions } = setup();
  assert.deepEqual(await ask(FILES, FILE_PARAMS), { result: { decision: "decline" } });
  assert.deepEqual(permissions, []);
});

test("more permissions are always declined, in the words of all versions", async (t) => {
  proves(t, "appserver.escalation-declined");
  const { ask, permissions, notices } = setup({ answer: "always" });
  const reply = await ask("item/permissions/requestApproval", {
    threadId: "01a1-T",
    turnId: "01a1-U",
    itemId: "call_52",
    environmentId: "local",
    startedAtMs: 1,
    cwd: CWD,
    reason: "x",
    permissions: { network: { enabled: true }, fileSystem: null },
  });
  assert.deepEqual(reply, { result: { permissions: {}, scope: "turn", decision: "decline" } });
  assert.deepEqual(permissions, []);
  assert.deepEqual(notices, ["declined more permissions for the app-server: x"]);
});

const accept = (meta: unknown, content: unknown = null) => ({ result: { action: "accept", content, _meta: meta } });
const DECLINE = { result: { action: "decline", content: null, _meta: null } };

test("a tool of an MCP server is asked about, and an answer is remembered only in a scope that the request lists", async (t) => {
  proves(t, "appserver.approval-mapping");
  const cases: readonly (readonly [RuntimeAnswer, unknown, unknown])[] = [
    ["once", ["session", "always"], accept(null)],
    ["session", ["session", "always"], accept({ persist: "session" })],
    ["always", ["session", "always"], accept({ persist: "always" })],
    ["always", ["session"], accept(null)],
    ["session", "session", accept({ persist: "session" })],
    ["session", undefined, accept(null)],
    ["deny", ["session"], DECLINE],
    ["cancel", ["session"], DECLINE],
  ];
  for (const [answer, persist, expected] of cases) {
    const { ask } = setup({ answer });
    assert.deepEqual(await ask(ELICITATION, { ...TOOL_PARAMS, _meta: { ...TOOL_PARAMS._meta, persist } }), expected);
  }
});

test("the question about a tool of an MCP server shows server, tool and parameters", async () => {
  const item = { type: "mcpToolCall", server: "filesystem", tool: "write_file" };
  const { ask, permissions } = setup({
    items: [
      ["call_1", item],
      ["call_2", { ...item, tool: "read_file" }],
    ],
  });
  await ask(ELICITATION, TOOL_PARAMS);
  assert.deepEqual(permissions, [
    {
      tool: "mcp.filesystem.write_file",
      callId: "call_1",
      kind: "tool",
      command: 'write_file of the MCP server filesystem {"path":"/home/u/ws/w.txt","content":"x"}',
      cwd: CWD,
      args: TOOL_PARAMS._meta.tool_params,
      scopes: ["session", "always"],
      reason: "Write File",
    },
  ]);
});

test("requests of the product's own callback server are accepted without a question", async (t) => {
  proves(t, "appserver.elicitation");
  const { ask, permissions } = setup({ answer: "deny" });
  assert.deepEqual(await ask(ELICITATION, { ...TOOL_PARAMS, serverName: "agent-tools" }), accept(null));
  const { _meta, ...form } = TOOL_PARAMS;
  assert.notEqual(_meta, null);
  assert.deepEqual(await ask(ELICITATION, { ...form, serverName: "agent-tools" }), accept(null, {}));
  assert.deepEqual(permissions, []);
});

test("any other question of an MCP server is declined, and a notice names the server and what it said", async (t) => {
  proves(t, "appserver.elicitation");
  const { ask, permissions, notices } = setup();
  const form = { threadId: "01a1-T", serverName: "mail", mode: "form", message: "Which\naccount?" };
  assert.deepEqual(await ask(ELICITATION, form), DECLINE);
  const unknown = { ...TOOL_PARAMS, _meta: { codex_approval_kind: "tool_suggestion" } };
  assert.deepEqual(await ask(ELICITATION, unknown), DECLINE);
  assert.deepEqual(permissions, []);
  assert.equal(notices[0], "declined a question of the MCP server mail: Which account?");
  assert.equal(notices.length, 2);
});

const ASKED = {
  threadId: "01a1-T",
  turnId: "01a1-U",
  itemId: "call_54",
  isBlocking: false,
  questions: [
    {
      id: "q1",
      header: "Pick",
      question: "Which?",
      isOther: true,
      isSecret: false,
      options: [
        { label: "A", description: "a" },
        { label: "B", description: "b" },
      ],
    },
    { id: "q2", header: "Key", question: "The key?", isSecret: true, options: null },
  ],
};

test("questions of a tool are asked one after another, and a secret one is hidden", async () => {
  const { ask, questions } = setup({ said: ["B", "hunter2"] });
  assert.deepEqual(await ask("item/tool/requestUserInput", ASKED), {
    result: { answers: { q1: { answers: ["B"] }, q2: { answers: ["hunter2"] } } },
  });
  assert.deepEqual(questions, [
    { header: "Pick", question: "Which?\n- A: a\n- B: b", options: ["A", "B"] },
    { header: "Key", question: "The key?", options: [], hidden: true },
  ]);
});

test("a question that no one answers is an unsupported method, so that the turn goes on", async () => {
  const { ask, questions } = setup({ said: [undefined] });
  assert.deepEqual(await ask("item/tool/requestUserInput", ASKED), {
    error: { code: -32601, message: "Unsupported method: item/tool/requestUserInput" },
  });
  assert.equal(questions.length, 1);
});

test("an unknown request of the server gets error -32601", async (t) => {
  proves(t, "appserver.unknown-request");
  const { ask } = setup();
  for (const method of [
    "attestation/generate",
    "item/tool/call",
    "applyPatchApproval",
    "execCommandApproval",
    "account/chatgptAuthTokens/refresh",
    "currentTime/read",
    "constructor",
  ])
    assert.deepEqual(await ask(method, {}), { error: { code: -32601, message: `Unsupported method: ${method}` } });
});

test("a request whose params cannot be understood allows nothing", async () => {
  const { ask, permissions } = setup();
  for (const params of [undefined, null, [], { itemId: 7 }, { ...COMMAND_PARAMS, command: null }])
    assert.deepEqual(await ask(COMMAND, params), { result: { decision: "decline" } });
  assert.deepEqual(await ask(ELICITATION, {}), DECLINE);
  assert.deepEqual(permissions, []);
});

test("a failure of ours while a person is asked declines", async () => {
  const { ask } = setup({ answer: async () => Promise.reject(new Error("store is full")) });
  assert.deepEqual(await ask(COMMAND, COMMAND_PARAMS), { result: { decision: "decline" } });
});

test("a request that the server has resolved is withdrawn and not answered; ids 0 and '0' are two", async () => {
  const open: AbortSignal[] = [];
  const { requests, ask } = setup({
    answer: (signal) =>
      new Promise((resolve) => {
        open.push(signal);
        signal.addEventListener("abort", () => resolve("cancel"), { once: true });
      }),
  });
  const first = ask(COMMAND, COMMAND_PARAMS, 0);
  const second = ask(COMMAND, COMMAND_PARAMS, "0");
  requests.resolved(0);
  requests.resolved(99);
  assert.equal(await first, undefined);
  assert.deepEqual(
    open.map((signal) => signal.aborted),
    [true, false],
  );
  requests.resolved("0");
  assert.equal(await second, undefined);
});

test("an interrupt while a person is asked cancels", async () => {
  const { ask, turn } = setup({
    answer: (signal) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve("cancel"), { once: true })),
  });
  const asked = ask(COMMAND, COMMAND_PARAMS);
  turn.abort();
  assert.deepEqual(await asked, { result: { decision: "cancel" } });
});
