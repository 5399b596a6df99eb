import assert from "node:assert/strict";
import { test } from "node:test";
import {
  COMBINATIONS,
  combinations,
  headOf,
  MARKED,
  MATRIX_PATH,
  matrixRules,
  oracle,
} from "../../fixtures/http/guard-cases.js";
import { admitRequest, type Route } from "./admission.js";
import { type GuardRules, guard, type RequestHead } from "./guard.js";

const LISTENERS = [
  { name: "one that serves pages", pages: true },
  { name: "one without pages", pages: false },
];
const ROUTES: readonly Route[] = [{ path: MATRIX_PATH, method: "POST", types: ["application/json"], maxBody: 10 }];

for (const { name, pages } of LISTENERS) {
  test(`the guard agrees with the specification in ${COMBINATIONS} combinations, ${MARKED} of them marked by a browser, on ${name}`, () => {
    const rules = matrixRules(pages);
    const all = combinations();
    for (const one of all) assert.equal(answer(headOf(one), rules), oracle(one, pages), JSON.stringify(one));
    assert.deepEqual([all.length, all.filter(({ site }) => site !== undefined).length], [COMBINATIONS, MARKED]);
  });
}

function answer(head: RequestHead, rules: GuardRules): number {
  const verdict = guard(head, rules);
  if (!verdict.ok) return verdict.status;
  const admission = admitRequest(head, ROUTES, ({ headers }) =>
    headers.some(([name, value]) => name === "Authorization" && value === "right"),
  );
  return admission.ok ? 200 : admission.status;
}

const PLAIN: GuardRules = {
  local: true,
  pages: false,
  bindHost: "127.0.0.1",
  ownAddresses: [],
  allowedHosts: [],
  allowedOrigins: [],
};
const LOCAL = ["host", "localhost"] as const;

const FORMS: readonly { name: string; head: Partial<RequestHead>; status: number }[] = [
  { name: "a path", head: { target: "/a?b=c" }, status: 200 },
  { name: "an absolute target", head: { target: "http://localhost/a" }, status: 400 },
  { name: "an asterisk", head: { target: "*" }, status: 400 },
  { name: "a blank in the target", head: { target: "/a b" }, status: 400 },
  { name: "a fragment", head: { target: "/a#b" }, status: 400 },
  { name: "letters beyond ASCII", head: { target: "/ä" }, status: 400 },
  {
    name: "both length headers",
    head: { headers: [LOCAL, ["Content-Length", "3"], ["Transfer-Encoding", "chunked"]] },
    status: 400,
  },
  { name: "two lengths", head: { headers: [LOCAL, ["content-length", "3"], ["Content-Length", "3"]] }, status: 400 },
  { name: "a signed length", head: { headers: [LOCAL, ["content-length", "+3"]] }, status: 400 },
  { name: "a length in hex", head: { headers: [LOCAL, ["content-length", "0x3"]] }, status: 400 },
  {
    name: "an encoding that hides the end",
    head: { headers: [LOCAL, ["transfer-encoding", "gzip, chunked"]] },
    status: 400,
  },
  { name: "a chunked body", head: { headers: [LOCAL, ["transfer-encoding", "Chunked"]] }, status: 200 },
];
for (const { name, head, status } of FORMS) {
  test(`${name} is ${status === 200 ? "let in" : "refused"}`, () => {
    const verdict = guard({ method: "GET", target: "/", headers: [LOCAL], ...head }, PLAIN);
    assert.equal(verdict.ok ? 200 : verdict.status, status);
  });
}

const NAMES: readonly { host: string; bind: string; fine: boolean }[] = [
  { host: "192.168.1.7:80", bind: "0.0.0.0", fine: true },
  { host: "192.168.1.70", bind: "0.0.0.0", fine: false },
  { host: "192.168.1.7", bind: "127.0.0.1", fine: false },
  { host: "[fe80::7]:80", bind: "::", fine: true },
  { host: "0.0.0.0", bind: "0.0.0.0", fine: true },
  { host: "box.lan", bind: "Box.Lan", fine: true },
  { host: "[0:0:0:0:0:0:0:1]", bind: "127.0.0.1", fine: true },
  { host: "[::ffff:127.0.0.1]", bind: "127.0.0.1", fine: false },
  { host: "[::1%eth0]", bind: "127.0.0.1", fine: false },
  { host: "127.1", bind: "127.0.0.1", fine: false },
  { host: "0177.0.0.1", bind: "127.0.0.1", fine: false },
  { host: "2130706433", bind: "127.0.0.1", fine: false },
  { host: "localhost:99999", bind: "127.0.0.1", fine: false },
  { host: "localhost:", bind: "127.0.0.1", fine: false },
  { host: "localhost..", bind: "127.0.0.1", fine: false },
  { host: "", bind: "127.0.0.1", fine: false },
];
for (const { host, bind, fine } of NAMES) {
  test(`a listener on ${bind} ${fine ? "answers to" : "does not answer to"} the name "${host}"`, () => {
    const rules = { ...PLAIN, bindHost: bind, ownAddresses: ["192.168.1.7", "fe80::7", "127.0.0.1"] };
    assert.equal(guard({ method: "GET", target: "/", headers: [["Host", host]] }, rules).ok, fine);
  });
}

test("a public webhook listener looks at the form alone", () => {
  const head: RequestHead = {
    method: "POST",
    target: "/hook",
    headers: [
      ["host", "evil.example"],
      ["origin", "https://evil.example"],
      ["sec-fetch-site", "cross-site"],
    ],
  };
  assert.deepEqual(guard(head, { ...PLAIN, local: false }), { ok: true });
});

test("an answer may be shown to an allowed origin only, and to exactly that one", () => {
  const rules = { ...PLAIN, allowedOrigins: ["https://panel.example"] };
  const head = (origin: string): RequestHead => ({
    method: "GET",
    target: "/",
    headers: [LOCAL, ["Origin", origin], ["Sec-Fetch-Site", "cross-site"]],
  });
  assert.deepEqual(guard(head("https://panel.example"), rules), { ok: true, cors: "https://panel.example" });
  assert.equal(guard({ method: "GET", target: "/", headers: [LOCAL] }, rules).ok, true);
  assert.equal(guard(head("https://PANEL.example/"), rules).ok, false);
});

test("no refusal repeats what was sent", () => {
  const nasty = "<script>alert(1)</script>";
  const heads: RequestHead[] = [
    { method: "GET", target: nasty, headers: [LOCAL] },
    { method: "GET", target: "/", headers: [["host", nasty]] },
    { method: "GET", target: "/", headers: [LOCAL, ["origin", nasty]] },
    { method: "GET", target: "/", headers: [LOCAL, ["sec-fetch-site", nasty]] },
    { method: "GET", target: "/", headers: [LOCAL, ["content-length", nasty]] },
  ];
  for (const head of heads) assert.doesNotMatch(JSON.stringify(guard(head, PLAIN)), /script/);
});

test("a window of another site lands where the listener says so, and nothing else of that site does", () => {
  const rules: GuardRules = { ...PLAIN, pages: true, landing: ["/auth/callback"] };
  const window: Record<string, string> = {
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
  };
  const status = (target: string, more: Record<string, string> = {}, method = "GET") => {
    const verdict = guard({ method, target, headers: [LOCAL, ...Object.entries({ ...window, ...more })] }, rules);
    return verdict.ok ? 200 : verdict.status;
  };
  assert.equal(status("/auth/callback?state=x"), 200);
  for (const target of ["/auth/callback/", "/auth/callbackx", "/x?/auth/callback", "/", "//auth/callback"])
    assert.equal(status(target), 403, target);
  for (const [name, value] of [
    ["sec-fetch-dest", "iframe"],
    ["sec-fetch-dest", "script"],
    ["sec-fetch-mode", "no-cors"],
    ["origin", "https://evil.example"],
    ["origin", "null"],
  ] as const)
    assert.equal(status("/auth/callback", { [name]: value }), 403, `${name}: ${value}`);
  assert.equal(status("/auth/callback", {}, "POST"), 403);
});
