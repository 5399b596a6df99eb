import assert from "node:assert/strict";
import { createSocket } from "node:dgram";
import { createServer, type Socket } from "node:net";
import { after, before, describe, type TestContext, test } from "node:test";
import { noChromium, startChromium, type TestChromium } from "../../../fixtures/browser/test-session.js";
import { loopback } from "../../../fixtures/servers/shared/loopback.js";
import { runCommand } from "../commands/index.js";

const real = { skip: noChromium };
const never = new AbortController().signal;
const PUBLIC = "93.184.216.34";
let chromium: TestChromium;

describe("what pages load", () => {
  before(async () => {
    if (noChromium === false) chromium = await startChromium();
  });
  after(async () => {
    if (noChromium === false) await chromium.close();
  });

  /** A private server that notes whatever reaches it: TCP before a byte was sent, and UDP. */
  async function privateServer(t: TestContext) {
    const reached: string[] = [];
    const open = new Set<Socket>();
    const server = createServer((socket) => {
      open.add(socket);
      socket.on("error", () => undefined); // the browser has left
      socket.once("data", (bytes) => {
        reached.push(bytes.toString("latin1").split("\r\n")[0] ?? "");
        socket.end("HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 2\r\n\r\nok");
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve());
    });
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const udp = createSocket("udp4");
    udp.on("message", () => reached.push("udp"));
    await new Promise<void>((resolve) => {
      udp.bind(port, "127.0.0.1", () => resolve());
    });
    t.after(() => {
      for (const socket of open) socket.destroy();
      server.close();
      udp.close();
    });
    return { reached, port };
  }

  /** A page of every kind of request that pages have, all of them to `to` and to names that lead there. */
  const page = (to: string, port: number): string => `<!doctype html><title>loading</title>
<link rel="preconnect" href="http://${to}"><link rel="dns-prefetch" href="http://${to}">
<link rel="prefetch" href="http://${to}/prefetch"><link rel="preload" as="script" href="http://${to}/preload">
<link rel="stylesheet" href="http://${to}/style.css"><link rel="icon" href="http://${to}/icon.png">
<style>body { background: url(http://${to}/background.png) } @font-face { font-family: f; src: url(http://${to}/font) } p { font-family: f }</style>
<script type="speculationrules">{"prefetch":[{"urls":["http://${to}/speculation"]}]}</script>
<p>text</p><img src="http://${to}/image.png"><img src="/redirect"><iframe src="http://${to}/frame"></iframe><iframe src="/redirect"></iframe>
<iframe srcdoc="<img src='http://${to}/srcdoc.png'>"></iframe><iframe src="data:text/html,<img src='http://${to}/data.png'>"></iframe>
<video src="http://${to}/video"></video><object data="http://${to}/object"></object><script src="http://${to}/script.js"></script>
<form action="http://${to}/form" target="other" method="post"></form><iframe name="other"></iframe>
<script>
const tries = [
  fetch("http://${to}/fetch"), fetch("http://rebind.test:${port}/fetch"), fetch("/redirect"), fetch("https://${to}/secure"),
  new Promise((done) => { const s = new WebSocket("ws://${to}/socket"); s.onclose = done; s.onerror = done; }),
  new Promise((done) => { const s = new WebSocket("wss://${to}/socket"); s.onclose = done; s.onerror = done; }),
  new Promise((done) => { const s = new EventSource("http://${to}/events"); s.onerror = () => { s.close(); done(); }; }),
  new Promise((done) => { const w = new Worker(URL.createObjectURL(new Blob(["fetch('http://${to}/worker').catch(()=>0).then(()=>postMessage(0))"]))); w.onmessage = done; }),
  navigator.serviceWorker ? navigator.serviceWorker.register("/sw.js").then(() => navigator.serviceWorker.ready) : 0,
  (async () => {
    const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:${port}" }] });
    peer.createDataChannel("x");
    const over = new Promise((done) => { peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && done(); });
    await peer.setLocalDescription(await peer.createOffer());
    await over;
  })(),
  (async () => { const t = new WebTransport("https://${to}/transport"); await t.ready; })(),
];
navigator.sendBeacon("http://${to}/beacon");
document.forms[0].submit();
addEventListener("load", () => Promise.allSettled(tries).then(() => { document.title = "done"; }));
</script>`;

  interface Visited {
    readonly reached: readonly string[];
    readonly refused: readonly string[];
  }

  async function visit(t: TestContext, allowPrivate: boolean): Promise<Visited> {
    const { reached, port } = await privateServer(t);
    const to = `127.0.0.1:${port}`;
    const site = await loopback(async (request, response) => {
      const kind = request.url === "/sw.js" ? "text/javascript" : "text/html";
      if (request.url === "/redirect") response.writeHead(302, { location: `http://${to}/redirected` });
      else response.writeHead(200, { "content-type": kind });
      if (request.url === "/") response.end(page(to, port));
      else response.end(`fetch("http://${to}/from-service-worker").catch(() => 0)`);
    });
    t.after(() => site.close());
    let rebound = 0;
    const session = await chromium.session(t, {
      net: {
        allowPrivate: () => allowPrivate,
        resolve: async (host) => {
          if (host !== "rebind.test") return [PUBLIC];
          rebound += 1;
          return rebound === 1 ? [PUBLIC] : ["127.0.0.1"];
        },
        dial: (address, given) =>
          address === PUBLIC ? { address: "127.0.0.1", port: site.port } : { address, port: given },
      },
    });
    await session.page().goto("http://site.test/", { waitUntil: "commit" });
    await session.page().waitForFunction("document.title === 'done'");
    await session.page().evaluate(`fetch("http://rebind.test:${port}/again").catch(() => 0)`);
    return { reached, refused: session.refused().map(({ url }) => url) };
  }

  test(
    "no part of a page reaches a private server: pictures, frames, scripts, sockets, workers, redirects, WebRTC, names that change",
    real,
    async (t) => {
      const { reached, refused } = await visit(t, false);
      assert.deepEqual(reached, []);
      assert.ok(refused.length > 10, refused.join("\n"));
    },
  );

  test("with browser.allow_private_urls the same page reaches it, but not by WebRTC", real, async (t) => {
    const { reached } = await visit(t, true);
    for (const part of ["/image.png", "/frame", "/fetch", "/socket", "/style.css", "/background.png", "/redirected"])
      assert.ok(
        reached.some((line) => line.includes(part)),
        `${part}: ${reached.join(", ")}`,
      );
    assert.ok(!reached.includes("udp"));
  });

  test(
    "a navigation to a private address, also by a redirect, is an answer that names the setting",
    real,
    async (t) => {
      const { reached, port } = await privateServer(t);
      const site = await loopback(async (_request, response) => {
        response.writeHead(302, { location: `http://127.0.0.1:${port}/` });
        response.end();
      });
      t.after(() => site.close());
      const net = {
        allowPrivate: () => false,
        resolve: async () => [PUBLIC],
        dial: () => ({ address: "127.0.0.1", port: site.port }),
      };
      const session = await chromium.session(t, { net });
      for (const url of [`http://127.0.0.1:${port}/`, "http://site.test/"]) {
        const { value } = await runCommand(session, { do: "navigate", url }, never);
        assert.match(JSON.stringify(value), /loopback address \(browser\.allow_private_urls\)/);
      }
      assert.deepEqual(reached, []);
    },
  );
});
