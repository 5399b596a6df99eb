import assert from "node:assert/strict";
import { test } from "node:test";
import type { RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { recordingHost } from "../../../fixtures/agents/recording-host.js";
import { silentLog } from "../../../lib/base/log/log.js";
import type { RuntimeAnswer } from "../../../lib/contracts/runtimes/runtime.js";
import { answerPermission, optionFor, scopesIn } from "./permission.js";
import { createTranscript } from "./transcript.js";

type Options = RequestPermissionRequest["options"];

const ONCE = { optionId: "yes", name: "Yes", kind: "allow_once" } as const;
const SESSION = { optionId: "allow_for_session", name: "Yes, in this session", kind: "allow_always" } as const;
const ALWAYS = { optionId: "allow_always", name: "Always", kind: "allow_always" } as const;
const WIDE = {
  optionId: "accept_execpolicy_amendment",
  name: "Commands that start with `rm`",
  kind: "allow_always",
} as const;
const NO = { optionId: "no", name: "No", kind: "reject_once" } as const;
const NEVER = { optionId: "never", name: "Never", kind: "reject_always" } as const;

async function ask(
  toolCall: RequestPermissionRequest["toolCall"],
  options: Options,
  permit: RuntimeAnswer | (() => Promise<RuntimeAnswer>) = "once",
) {
  const host = recordingHost({ permit });
  const transcript = createTranscript({ host, log: silentLog, cwd: "/ws", mark: "m", used: new Map() });
  const request = { sessionId: "s", toolCall, options };
  const answer = await answerPermission(
    request,
    { host, transcript, cwd: "/ws", log: silentLog },
    new AbortController().signal,
  );
  return { host, answer, transcript };
}

test("each answer of a person is the option of its kind, and never one that covers more", () => {
  const all = [WIDE, ONCE, ALWAYS, SESSION, NEVER, NO];
  assert.equal(optionFor("once", all), "yes");
  assert.equal(optionFor("session", all), "allow_for_session");
  assert.equal(optionFor("always", all), "allow_always");
  assert.equal(optionFor("deny", all), "no");
  assert.equal(optionFor("cancel", all), undefined);
  assert.equal(optionFor("always", [ONCE, SESSION, NO]), "allow_for_session");
  assert.equal(optionFor("session", [WIDE, ONCE, NO]), "yes");
  assert.equal(optionFor("once", [ALWAYS, NO]), undefined);
  assert.equal(optionFor("deny", [ONCE, NEVER]), "never");
});

test("a question that fails is answered with no", async () => {
  const broken = () => Promise.reject(new Error("the screen is gone"));
  const { answer } = await ask({ toolCallId: "1", title: "Run it", kind: "execute" }, [ONCE, NO], broken);
  assert.deepEqual(answer, { outcome: { outcome: "selected", optionId: "no" } });
});

test("only the scopes that a program offers are offered", () => {
  assert.deepEqual(scopesIn([ONCE, SESSION, ALWAYS, NO]), ["session", "always"]);
  assert.deepEqual(scopesIn([ONCE, WIDE, NO]), []);
});

test("a command is asked about with its line and its directory", async () => {
  const { host, answer } = await ask(
    { toolCallId: "1", title: "Run it", kind: "execute", rawInput: { command: "rm -rf x", cwd: "/ws/sub" } },
    [ONCE, NO],
  );
  const { tool, kind, command, cwd, callId } = host.asked[0] ?? {};
  assert.deepEqual(
    { tool, kind, command, cwd, callId },
    {
      tool: "exec_command",
      kind: "command",
      command: "rm -rf x",
      cwd: "/ws/sub",
      callId: "acp_1",
    },
  );
  assert.deepEqual(answer, { outcome: { outcome: "selected", optionId: "yes" } });
});

test("a file change is asked about with its paths and its difference", async () => {
  const content = [{ type: "diff" as const, path: "/ws/a", oldText: "one\n", newText: "two\n" }];
  const { host } = await ask({ toolCallId: "1", title: "Edit", kind: "edit", content }, [ONCE, NO]);
  assert.equal(host.asked[0]?.command, "1 update: /ws/a");
  assert.deepEqual(host.asked[0]?.paths, ["/ws/a"]);
  assert.match(host.asked[0]?.diff ?? "", /-one\n\+two/);
});

test("tools of our own are accepted without a question, whatever else calls itself so is not", async () => {
  const rawInput = { server: "agent-tools", tool: "skill_view", arguments: {} };
  const ours = await ask({ toolCallId: "1", title: "t", kind: "other", rawInput }, [ALWAYS, NO]);
  assert.equal(ours.host.asked.length, 0);
  assert.deepEqual(ours.answer, { outcome: { outcome: "selected", optionId: "allow_always" } });
  const asCommand = await ask({ toolCallId: "1", title: "t", kind: "execute", rawInput }, [ONCE, NO], "deny");
  assert.equal(asCommand.host.asked.length, 0, "codex-acp gives such calls the kind of commands");
  const disguised = { ...rawInput, command: "rm -rf x" };
  const shell = await ask({ toolCallId: "1", title: "t", kind: "execute", rawInput: disguised }, [ONCE, NO], "deny");
  assert.equal(shell.host.asked[0]?.command, "rm -rf x");
  const titled = await ask({ toolCallId: "1", title: "mcp.agent-tools.skill_view" }, [ONCE, NO], "deny");
  assert.equal(titled.host.asked.length, 1);
});

test("a declined call stands as declined in the transcript", async () => {
  const { host, transcript } = await ask({ toolCallId: "1", kind: "execute", title: "t" }, [ONCE, NO], "deny");
  await transcript.update({ sessionUpdate: "tool_call_update", toolCallId: "1", status: "failed" });
  assert.equal(host.items[0]?.messages[1]?.status, "denied");
  assert.equal(host.items[0]?.messages[1]?.content, "[declined by user]");
});
