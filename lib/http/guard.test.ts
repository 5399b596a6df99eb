import assert from "node:assert/strict";
import { test } from "node:test";
import { admit, type Route } from "./admission.js";
import { type GuardRules, guard, type RequestHead } from "./guard.js";

// Each value stands beside what the specification says of it, so that the oracle below needs no parser of its own.
const HOSTS = [
  { hosts: [], fine: false },
  { hosts: ["localhost"], fine: true, origin: "http://localhost" },
  { hosts: ["LocalHost.:8645"], fine: true, origin: "http://localhost:8645" },
  { hosts: ["127.0.0.1:8645"], fine: true, origin: "http://127.0.0.1:8645" },
  { hosts: ["127.9.8.7"], fine: true, origin: "http://127.9.8.7" },
  { hosts: ["[::1]:8645"], fine: true, origin: "http://[::1]:8645" },
  { hosts: ["agent.lan"], fine: true, origin: "http://agent.lan" },
  { hosts: ["localhost.evil.example"], fine: false },
  { hosts: ["127.0.0.1.evil.example"], fine: false },
  { hosts: ["localhost", "evil.example"], fine: false },
  { hosts: ["user@localhost:80/"], fine: false },
] as const;
const ORIGINS = [
  { origins: [], allowed: false },
  { origins: ["null"], allowed: false },
  { origins: ["http://localhost:8645"], allowed: false },
  { origins: ["http://127.0.0.1:8645"], allowed: false },
  { origins: ["https://panel.example"], allowed: true },
  { origins: ["https://panel.example:444"], allowed: false },
  { origins: ["https://panel.example.evil.example"], allowed: false },
  { origins: ["http://panel.example"], allowed: false },
  { origins: ["https://panel.example", "https://evil.example"], allowed: false },
] as const;
const SITES = [undefined, "none", "same-origin", "same-site", "cross-site"] as const;
const METHODS = ["GET", "POST", "PUT", "OPTIONS", "TRACE", "CONNECT"] as const;
const TYPES = [undefined, "application/json", "text/plain"] as const;
const TOKENS = ["right", "wrong", undefined] as const;

const LISTENERS = [
  { name: "one that serves pages", pages: true },
  { name: "one without pages", pages: false },
];
const ROUTES: readonly Route[] = [{ path: "/api/ticket", method: "POST", types: ["application/json"], maxBody: 10 }];

for (const listener of LISTENERS) {
  test(`the guard agrees with the specification in every combination, on ${listener.name}`, () => {
    const rules: GuardRules = {
      local: true,
      pages: listener.pages,
      bindHost: "127.0.0.1",
      ownAddresses: [],
      allowedHosts: ["Agent.LAN"],
      allowedOrigins: ["https://panel.example"],
    };
    let count = 0;
    for (const combination of combinations()) {
      count += 1;
      assert.equal(answer(headOf(combination), rules), oracle(combination, listener.pages), JSON.stringify(combination));
    }
    assert.equal(count, HOSTS.length * ORIGINS.length * SITES.length * METHODS.length * TYPES.length * TOKENS.length);
  });
}

interface Combination {
  readonly host: (typeof HOSTS)[number];
  readonly origin: (typeof ORIGINS)[number];
  readonly site: (typeof SITES)[number];
  readonly method: (typeof METHODS)[number];
  readonly type: (typeof TYPES)[number];
  readonly token: (typeof TOKENS)[number];
}

/** Every combination of one value of each list. */
function combinations(): readonly Combination[] {
  return cross(
    cross(cross(cross(cross(cross([{}], "host", HOSTS), "origin", ORIGINS), "site", SITES), "method", METHODS), "type", TYPES),
    "token",
    TOKENS,
  );
}

function cross<T extends object, K extends string, V>(all: readonly T[], key: K, values: readonly V[]): readonly (T & Record<K, V>)[] {
  return all.flatMap((one) => values.map((value) => ({ ...one, [key]: value }) as T & Record<K, V>)); // the key was just added
}

/** What the specification says, word for word and in its order; knows nothing of how the guard looks at a header. */
function oracle({ host, origin, site, method, type, token }: Combination, pages: boolean): number {
  if (method === "CONNECT" || method === "TRACE") return 405; // G2
  if (!host.fine) return 400; // G3
  const ownOrigin = "origin" in host ? host.origin : "";
  const absent = origin.origins.length === 0;
  const own = pages && origin.origins.length === 1 && origin.origins[0] === ownOrigin;
  if (!absent && !own && !origin.allowed) return 403; // G4
  const siteFine = site === undefined || site === "none" || (site === "same-origin" && pages);
  if (!siteFine && !origin.allowed) return 403; // G5
  if (token !== "right") return 401;
  if (method !== "POST") return 405;
  if (type !== "application/json") return 415;
  return 200;
}

function headOf({ host, origin, site, method, type, token }: Combination): RequestHead {
  const headers: [string, string][] = [
    ...host.hosts.map((value): [string, string] => ["Host", value]),
    ...origin.origins.map((value): [string, string] => ["origin", value]),
    ["content-length", "2"],
  ];
  if (site !== undefined) headers.push(["Sec-Fetch-Site", site]);
  if (type !== undefined) headers.push(["Content-Type", type]);
  if (token !== undefined) headers.push(["Authorization", token]);
  return { method, target: "/api/ticket", headers };
}

function answer(head: RequestHead, rules: GuardRules): number {
  const verdict = guard(head, rules);
  if (!verdict.ok) return verdict.status;
  const admission = admit(head, ROUTES, ({ headers }) => headers.some(([name, value]) => name === "Authorization" && value === "right"));
  return admission.ok ? 200 : admission.status;
}

const PLAIN: GuardRules = { local: true, pages: false, bindHost: "127.0.0.1", ownAddresses: [], allowedHosts: [], allowedOrigins: [] };
const LOCAL = ["host", "localhost"] as const;

const FORMS: readonly { name: string; head: Partial<RequestHead>; status: number }[] = [
  { name: "a path", head: { target: "/a?b=c" }, status: 200 },
  { name: "an absolute target", head: { target: "http://localhost/a" }, status: 400 },
  { name: "an asterisk", head: { target: "*" }, status: 400 },
  { name: "a blank in the target", head: { target: "/a b" }, status: 400 },
  { name: "a fragment", head: { target: "/a#b" }, status: 400 },
  { name: "letters beyond ASCII", head: { target: "/ä" }, status: 400 },
  { name: "both length headers", head: { headers: [LOCAL, ["Content-Length", "3"], ["Transfer-Encoding", "chunked"]] }, status: 400 },
  { name: "two lengths", head: { headers: [LOCAL, ["content-length", "3"], ["Content-Length", "3"]] }, status: 400 },
  { name: "a signed length", head: { headers: [LOCAL, ["content-length", "+3"]] }, status: 400 },
  { name: "a length in hex", head: { headers: [LOCAL, ["content-length", "0x3"]] }, status: 400 },
  { name: "an encoding that hides the end", head: { headers: [LOCAL, ["transfer-encoding", "gzip, chunked"]] }, status: 400 },
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
