import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { isSignedBy } from "./signature.js";

/** HMAC as its definition says it, byte by byte: shares nothing with what is tested but the hash. */
function slowHmac(key: Buffer, message: Buffer): Buffer {
  const sha = (bytes: Buffer) => createHash("sha256").update(bytes).digest();
  const block = Buffer.alloc(64);
  (key.length > 64 ? sha(key) : key).copy(block);
  const outer = Buffer.alloc(64);
  const inner = Buffer.alloc(64);
  for (let at = 0; at < 64; at++) {
    outer[at] = (block[at] ?? 0) ^ 0x5c;
    inner[at] = (block[at] ?? 0) ^ 0x36;
  }
  return sha(Buffer.concat([outer, sha(Buffer.concat([inner, message]))]));
}

const NOW = 1_780_000_000_000;
const SECONDS = String(NOW / 1000);
type Headers = Readonly<Record<string, string>>;

interface Scheme {
  readonly name: string;
  readonly carries: string;
  readonly headers: (secret: string, body: Buffer) => Headers;
}

const svixKey = (secret: string) =>
  secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret);
const SCHEMES: readonly Scheme[] = [
  {
    name: "svix",
    carries: "svix-signature",
    headers: (secret, body) => ({
      "svix-id": "m1",
      "svix-timestamp": SECONDS,
      "svix-signature": `v1,${slowHmac(svixKey(secret), Buffer.concat([Buffer.from(`m1.${SECONDS}.`), body])).toString("base64")}`,
    }),
  },
  {
    name: "hub",
    carries: "x-hub-signature-256",
    headers: (secret, body) => ({
      "x-hub-signature-256": `sha256=${slowHmac(Buffer.from(secret), body).toString("hex")}`,
    }),
  },
  { name: "token", carries: "x-gitlab-token", headers: (secret) => ({ "x-gitlab-token": secret }) },
  {
    name: "own",
    carries: "x-webhook-signature",
    headers: (secret, body) => ({ "x-webhook-signature": slowHmac(Buffer.from(secret), body).toString("hex") }),
  },
];
const SECRETS = [
  "s",
  "a secret with spaces",
  "k".repeat(200),
  `whsec_${Buffer.from("the key itself").toString("base64")}`,
];
const BODIES = [Buffer.alloc(0), Buffer.from("{}"), Buffer.from('{"ü":1}'), Buffer.alloc(5000, 0xff)];

const judged = (secret: string, headers: Headers, body: Buffer, now = NOW) =>
  isSignedBy(secret, (name) => headers[name], body, now);

for (const { name, carries, headers } of SCHEMES) {
  test(`the scheme ${name} takes what an independent HMAC signs, and nothing that differs in one character`, () => {
    for (const secret of SECRETS) {
      for (const body of BODIES) {
        const right = headers(secret, body);
        assert.equal(judged(secret, right, body), true, `${secret.slice(0, 20)}, ${body.length} bytes`);
        assert.equal(judged(`x${secret}`, right, body), false);
        if (name !== "token") assert.equal(judged(secret, right, Buffer.concat([body, Buffer.from("x")])), false);
        const value = right[carries] ?? "";
        for (let at = 0; at < value.length; at += Math.ceil(value.length / 40)) {
          const other = `${value.slice(0, at)}${value[at] === "#" ? "%" : "#"}${value.slice(at + 1)}`;
          assert.equal(judged(secret, { ...right, [carries]: other }, body), false, `character ${at}`);
        }
        for (const wrong of ["", value.slice(1), value.slice(0, -1), `${value}${value}`, "v1,", "sha256="]) {
          assert.equal(judged(secret, { ...right, [carries]: wrong }, body), false);
        }
      }
    }
  });
}

const BODY = Buffer.from("{}");
const svix = SCHEMES[0]?.headers("s", BODY) ?? {};
const own = SCHEMES[3]?.headers("s", BODY) ?? {};
const CASES: readonly (readonly [what: string, headers: Headers, taken: boolean, now?: number])[] = [
  ["no header at all", {}, false],
  [
    "one right entry among several of svix",
    { ...svix, "svix-signature": `v1,AAAA v2,x ${svix["svix-signature"]} v1a,b` },
    true,
  ],
  [
    "a right entry of another version",
    { ...svix, "svix-signature": (svix["svix-signature"] ?? "").replace("v1,", "v2,") },
    false,
  ],
  ["a time 300 s ago", svix, true, NOW + 300_000],
  ["a time 301 s ago", svix, false, NOW + 301_000],
  ["a time 301 s ahead", svix, false, NOW - 301_000],
  ["a time that is no number", { ...svix, "svix-timestamp": "NaN" }, false],
  ["svix without its id", { "svix-timestamp": SECONDS, "svix-signature": svix["svix-signature"] ?? "" }, false],
  ["a right signature behind a wrong one of an earlier scheme", { ...own, "x-hub-signature-256": "sha256=00" }, false],
  ["a right signature behind an empty header of svix", { ...own, "svix-id": "" }, false],
  [
    "a right signature before a wrong one of a later scheme",
    { ...SCHEMES[1]?.headers("s", BODY), "x-webhook-signature": "00" },
    true,
  ],
];

for (const [what, headers, taken, now] of CASES) {
  test(`${what} is ${taken ? "taken" : "refused"}`, () => {
    assert.equal(judged("s", headers, BODY, now), taken);
  });
}
