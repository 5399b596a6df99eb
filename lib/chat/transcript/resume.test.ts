import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageRecord } from "../../contracts/chat/chat.js";
import { BEGUN, begunBefore, GO_ON, RESUMED } from "./resume.js";

const said = (content: string): MessageRecord => ({ role: "user", content }) as MessageRecord; // as much of one as is looked at
const called = (name: string, args: string): MessageRecord =>
  ({ role: "assistant", content: "", toolCalls: [{ id: "1", name, arguments: args }] }) as unknown as MessageRecord; // the same
const call = (name: string, args: string) => ({ id: "9", name, arguments: args });

test("a call that the interrupted turn had begun is not begun again, whatever the order of its arguments", () => {
  const begun = begunBefore([said("do it"), called("terminal", '{"command":"make","cwd":"/w"}')]);
  assert.equal(begun(call("terminal", '{"cwd": "/w", "command": "make"}'), false), BEGUN);
  assert.equal(begun(call("terminal", '{"command":"make all","cwd":"/w"}'), false), undefined);
  assert.equal(begun(call("process", '{"command":"make","cwd":"/w"}'), false), undefined);
});

test("what only looks may be looked at again", () => {
  const begun = begunBefore([said("do it"), called("read_file", '{"path":"a"}')]);
  assert.equal(begun(call("read_file", '{"path":"a"}'), true), undefined);
});

test("calls of turns before the last message of a person do not count, those of earlier resumptions do", () => {
  const history = [
    said("first"),
    called("terminal", '{"command":"old"}'),
    said("do it"),
    called("terminal", '{"command":"one"}'),
  ];
  const begun = begunBefore([
    ...history,
    said(RESUMED),
    called("terminal", '{"command":"two"}'),
    said(GO_ON),
    called("terminal", "broken {"),
  ]);
  assert.equal(begun(call("terminal", '{"command":"old"}'), false), undefined);
  for (const command of ['{"command":"one"}', '{"command":"two"}', "broken {"])
    assert.equal(begun(call("terminal", command), false), BEGUN);
});

test("a call through tool_call is known by what it holds", () => {
  const begun = begunBefore([said("do it"), called("tool_call", '{"name":"send","arguments":{"to":"x"}}')]);
  assert.equal(begun(call("send", '{"to":"x"}'), false), BEGUN);
});
