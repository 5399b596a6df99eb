import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noBrowser } from "../../../fixtures/dashboard/browser.js";
import { pageWorld } from "../../../fixtures/dashboard/page-world.js";

const API = `export default (router) => {
    router.get("/", () => ({ json: "from the owner" }));
    router.socket("/echo", (socket) => socket.onMessage((text) => socket.send(text + "!")));
  };`;

const PAGE = `export const mount = async (element, sdk) => {
    const note = document.createElement("p");
    element.append(note);
    const said = await (await sdk.fetch("api/plugins/notes")).json();
    const socket = await sdk.socket("api/plugins/notes/echo");
    socket.onopen = () => socket.send("hello");
    socket.onmessage = ({ data }) => { note.textContent = said + ", " + data; };
    return () => { window.left = true; socket.close(); };
  };`;

test("a plugin has its tab in the page, asks the owner, opens a WebSocket, and leaves nothing behind", {
  skip: noBrowser(),
}, async (t) => {
  const world = await pageWorld(t, { config: "plugins:\n  enabled: [notes]\n" });
  place(world.home.dir);
  await (await world.stop())();
  const { page, errors } = await world.open();
  await page.getByRole("link", { name: "Notes" }).click();
  await page.getByText("from the owner, hello!").waitFor();
  assert.equal(await page.getByRole("heading", { name: "Notes" }).count(), 1);
  await page.getByRole("link", { name: "Board" }).click();
  await page.waitForFunction(() => Reflect.get(window, "left") === true);
  assert.deepEqual(errors, []);
});

function place(home: string): void {
  const dir = join(home, "plugins/notes/dashboard");
  mkdirSync(join(dir, "dist"), { recursive: true });
  writeFileSync(join(home, "plugins/notes/plugin.yaml"), "name: notes\n");
  writeFileSync(
    join(dir, "manifest.json"),
    JSON.stringify({ name: "notes", label: "Notes", api: "api.mjs", css: "dist/notes.css" }),
  );
  writeFileSync(join(dir, "api.mjs"), API);
  writeFileSync(join(dir, "dist/index.js"), PAGE);
  writeFileSync(join(dir, "dist/notes.css"), ".plugin-place { color: var(--text-soft) }");
}
