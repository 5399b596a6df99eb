import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "../state/session.js";
import { createStore } from "../state/store.js";
import { createApi } from "./api.js";
import { createAuth, tokenStore } from "./auth.js";

/** An owner that takes the token `good` and the code `once` one time. */
function setup(hash: string, stored?: string, password?: string, loggedIn = false) {
  let cookie = loggedIn;
  const kept = new Map<string, string>(stored === undefined ? [] : [["agent.token", stored]]);
  const tokens = tokenStore({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  });
  const session = createStore<Session>({ phase: "starting" });
  const did: string[] = [];
  const codes = new Set(["once"]);
  const api = createApi({
    base: new URL("http://h/"),
    token: tokens.get,
    refused: () => auth.lost(),
    fetch: async (url, init) => {
      did.push(new URL(String(url)).pathname);
      const given = new Headers(init?.headers);
      if (String(url).endsWith("/providers"))
        return Response.json({ providers: password === undefined ? [] : [{ name: "password" }] });
      if (String(url).endsWith("/password-login")) {
        const same = JSON.parse(String(init?.body)).password === password;
        cookie ||= same;
        return same
          ? Response.json({ ok: true, csrf: "word" })
          : Response.json({ detail: "Unauthorized" }, { status: 401 });
      }
      if (String(url).endsWith("/me") && cookie) return Response.json({ provider: "password", csrf: "word" });
      const right = given.get("x-agent-session-token") === "good" || (cookie && given.get("x-agent-csrf") === "word");
      if (!String(url).endsWith("/exchange"))
        return right ? Response.json({}) : Response.json({ detail: "Unauthorized" }, { status: 401 });
      const { code } = JSON.parse(String(init?.body));
      return codes.delete(code)
        ? Response.json({ token: "good" })
        : Response.json({ detail: "Unauthorized" }, { status: 401 });
    },
  });
  const location = { hash, pathname: "/", search: "" };
  const history = {
    replaceState: (_: unknown, __: string, url?: string | URL | null) => void did.push(`address ${String(url)}`),
  };
  const auth = createAuth({ api, tokens, session, location, history });
  return { auth, session, did, tokens };
}

test("a link signs in, and its code is out of the address before it is used", async () => {
  const { auth, session, did, tokens } = setup("#code=once");
  await auth.start();
  assert.deepEqual([session.get(), tokens.get()], [{ phase: "in" }, "good"]);
  assert.equal(did[0], "address /#/board");
});

test("a used link asks for the token and says why", async () => {
  const { auth, session } = setup("#code=used");
  await auth.start();
  assert.deepEqual(session.get(), {
    phase: "out",
    problem: "This link has already been used or has expired.",
    again: false,
  });
});

test("a used link does not sign out who is in already", async () => {
  const { auth, session } = setup("#code=used", "good");
  await auth.start();
  assert.deepEqual(session.get(), { phase: "in" });
});

test("the token of before opens the page; one that counts no more is forgotten", async () => {
  const good = setup("", "good");
  await good.auth.start();
  assert.equal(good.session.get().phase, "in");
  const old = setup("", "old");
  await old.auth.start();
  assert.deepEqual([old.session.get().phase, old.tokens.get()], ["out", undefined]);
});

test("a wrong token is reported, the right one signs in", async () => {
  const { auth, session, tokens } = setup("");
  await auth.start();
  assert.equal(await auth.signIn("wrong"), "This is not the token of the running owner.");
  assert.equal(tokens.get(), undefined);
  assert.equal(await auth.signIn(" good "), true);
  assert.equal(session.get().phase, "in");
});

test("who was in is asked again over what is open", async () => {
  const { auth, session } = setup("", "good");
  await auth.start();
  auth.lost();
  const now = session.get();
  assert.ok(now.phase === "out" && now.again);
});

test("a password signs in where one is set, and another window of the browser is in at once", async () => {
  const first = setup("", undefined, "horse");
  await first.auth.start();
  assert.deepEqual(
    [first.session.get().phase, (await first.auth.ways()).map(({ name }) => name)],
    ["out", ["password"]],
  );
  assert.equal(await first.auth.logIn("mule"), "Wrong password.");
  assert.equal(await first.auth.logIn("horse"), true);
  assert.equal(first.session.get().phase, "in");
  const second = setup("", undefined, "horse", true);
  await second.auth.start();
  assert.deepEqual([second.session.get().phase, second.tokens.get()], ["in", "cookie word"]);
  const without = setup("");
  await without.auth.start();
  assert.deepEqual([without.session.get().phase, await without.auth.ways()], ["out", []]);
});
