import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { loopback } from "../../../fixtures/servers/shared/loopback.js";
import { systemClock } from "../../base/time/clock.js";
import { createNet } from "../../safety/net/net.js";
import { fetchPicture } from "./fetch-picture.js";

const PNG = Buffer.from("89504e470d0a1a0a", "hex");

async function world(t: TestContext, { allowPrivate = true } = {}) {
  const asked: string[] = [];
  const server = await loopback(
    async (request, response) => {
      asked.push(request.url ?? "");
      const path = request.url ?? "";
      if (path === "/to-file") return void response.writeHead(302, { location: "file:///etc/passwd" }).end();
      if (path === "/to-cat") return void response.writeHead(302, { location: "/cat.png" }).end();
      if (path === "/gone.png") return void response.writeHead(404).end();
      if (path === "/huge.png") return void response.end(Buffer.concat([PNG, Buffer.alloc(17 << 20)]));
      response.end(path.includes("cat") ? PNG : "<html>");
    },
    { port: 0 },
  );
  const net = createNet({ clock: systemClock, allowPrivate: () => allowPrivate });
  t.after(async () => {
    await net.close();
    await server.close();
  });
  return { asked, get: (path: string) => fetchPicture(net, `${server.url}${path}`) };
}

const CASES: readonly (readonly [path: string, name: string | RegExp])[] = [
  ["/cat.png", "cat.png"],
  ["/cat%2F..%2Fx.jpeg?size=3", "cat_2F___2Fx.png"],
  ["/to-cat", "to-cat.png"],
  ["/page.png", /not an image/],
  ["/gone.png", /responded 404/],
  ["/to-file", /fetching failed/],
  ["/huge.png", /fetching failed/],
];

for (const [path, expected] of CASES) {
  test(`of ${path} comes ${expected}`, async (t) => {
    const { get } = await world(t);
    const got = await get(path);
    if (typeof expected === "string")
      assert.deepEqual("name" in got && [got.name, Buffer.from(got.bytes)], [expected, PNG]);
    else assert.match("reason" in got ? got.reason : "", expected);
  });
}

test("an answer makes no one ask a private address", async (t) => {
  const { asked, get } = await world(t, { allowPrivate: false });
  assert.deepEqual(await get("/cat.png"), { reason: "fetching failed: blocked" });
  assert.deepEqual(asked, []);
});
