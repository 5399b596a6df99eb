import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { startPersonBrowser } from "../../../fixtures/browser/person-browser.js";
import { noChromium } from "../../../fixtures/browser/test-session.js";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { loopback } from "../../../fixtures/servers/shared/loopback.js";
import { systemClock } from "../../../lib/base/time/clock.js";
import { attachBrowser, openElsewhere } from "./attach.js";

const PUBLIC = "93.184.216.34";

/** A private server that notes what it is asked, and what comes by UDP from the person's own page (`own-udp`) and from the agent's (`udp`): a page repeats a
    datagram without an answer for seconds. */
async function privateServer(t: TestContext) {
  const reached: string[] = [];
  const server = await loopback(async (request, response) => {
    reached.push(request.url ?? "");
    response.setHeader("access-control-allow-origin", "*");
    response.end("ok");
  });
  t.after(() => server.close());
  const noted = async (as: string): Promise<number> => {
    const udp = createSocket("udp4");
    udp.on("message", () => reached.push(as));
    await new Promise<void>((resolve) => {
      udp.bind(0, "127.0.0.1", () => resolve());
    });
    t.after(() => udp.close());
    return udp.address().port;
  };
  return { reached, to: `127.0.0.1:${server.port}`, ownStun: await noted("own-udp"), stun: await noted("udp") };
}

/** A page that asks the private server in every way that does not go by a request of the page itself, and says when it has tried. */
const pageOf = (to: string, stun: number): string => `<!doctype html><title>loading</title><script>
const quiet = (work) => Promise.resolve().then(work).catch(() => 0);
const tries = [
  quiet(() => fetch("http://${to}/fetch")),
  quiet(() => fetch("/ask")),
  quiet(async () => {
    await navigator.serviceWorker.register("/sw.js");
    const found = await navigator.serviceWorker.ready;
    found.active.postMessage("from-message");
  }),
  quiet(() => new Promise((done) => {
    const shared = new SharedWorker("/shared.js");
    shared.port.onmessage = done;
    shared.port.start();
  })),
  quiet(() => new Promise((done) => {
    const worker = new Worker("/worker.js");
    worker.onmessage = done;
    worker.onerror = done;
  })),
  quiet(async () => {
    const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${stun}" }] });
    peer.createDataChannel("x");
    const over = new Promise((done) => { peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && done(); });
    await peer.setLocalDescription(await peer.createOffer());
    await over;
  }),
];
Promise.all(tries).then(() => { document.title = "done"; });
</script>`;

const scripts = (to: string): Readonly<Record<string, string>> => ({
  "/sw.js": `const ask = (path) => fetch("http://${to}/" + path).catch(() => 0);
addEventListener("install", (event) => event.waitUntil(ask("sw-install").then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("message", (event) => event.waitUntil(ask("sw-" + event.data)));
addEventListener("fetch", (event) => {
  if (new URL(event.request.url).pathname === "/ask") event.respondWith(ask("sw-fetch").then(() => new Response("ok")));
});`,
  "/shared.js": `onconnect = ({ ports: [port] }) => fetch("http://${to}/shared").catch(() => 0).then(() => port.postMessage(0));`,
  "/worker.js": `fetch("http://${to}/worker").catch(() => 0).then(() => postMessage(0));`,
});

test("in a browser that a person has connected no worker, socket or service worker of a page reaches a private server, also one that was registered before", {
  skip: noChromium,
}, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "attached-"));
  const ends: (() => Promise<unknown>)[] = [];
  t.after(async () => {
    for (const end of ends.toReversed()) await end();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });
  const { reached, to, ownStun, stun } = await privateServer(t);
  let askedStun = ownStun;
  const files = scripts(to);
  const site = await loopback(async (request, response) => {
    const script = files[request.url ?? ""];
    response.setHeader("content-type", script === undefined ? "text/html" : "text/javascript");
    response.end(script ?? pageOf(to, askedStun));
  });
  t.after(() => site.close());
  const person = await startPersonBrowser(dir, [
    `--host-resolver-rules=MAP site.test 127.0.0.1:${site.port}`,
    "--unsafely-treat-insecure-origin-as-secure=http://site.test",
    "http://site.test/",
  ]);
  ends.push(person.end);
  // The person's own tab may do all of it: its service worker is there before the agent comes.
  const own = ["/fetch", "/sw-fetch", "/sw-install", "/sw-from-message", "/shared", "/worker", "own-udp"];
  await eventually(() => own.filter((path) => path !== "/sw-fetch").every((path) => reached.includes(path)));
  const browser = await attachBrowser(person.endpoint);
  ends.push(() => browser.close());
  const net = {
    clock: systemClock,
    allowPrivate: () => false,
    setting: "browser.allow_private_urls",
    resolve: async () => [PUBLIC],
  };
  const dialogs = { clock: systemClock, policy: () => "must_respond" as const, timeoutMs: () => 300_000 };
  const open = await openElsewhere(browser, "attached", { dir: join(dir, "session"), net, dialogs });
  ends.push(() => open.close());
  await open.ready();
  reached.length = 0;
  askedStun = stun;
  const page = open.session.page();
  await page.goto("http://site.test/");
  await page.waitForFunction("document.title === 'done'");
  assert.deepEqual(
    reached.filter((what) => what !== "own-udp"),
    [],
  );
  assert.ok(open.session.refused().some(({ url }) => url.endsWith("/fetch")));
  assert.equal(await page.evaluate("'serviceWorker' in navigator || 'SharedWorker' in globalThis"), false);
});
