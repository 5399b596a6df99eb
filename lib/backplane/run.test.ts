import assert from "node:assert/strict";
import { test } from "node:test";
import { startBackplane } from "../../fixtures/sim/backplane.js";
import type { AppError } from "../base/errors.js";
import { localConnection } from "./local.js";
import type { ExecuteLine } from "./methods.js";

const CLIENT = { kind: "test", version: "0" };
const LINE = { argv: ["x", "y"], cwd: "/", env: {}, columns: 80, color: false, is_tty: false };

test("a run streams its output, reads standard input when it wants to, and gives its exit code", async (t) => {
  const run: ExecuteLine = async (request, io) => {
    await io.out(request.argv.join(" "));
    await io.err("warned");
    await io.out(await io.stdin(100));
    return { exit: 7 };
  };
  const { server, client } = await startBackplane(t, { run });
  for (const each of [await client(), await localConnection(server, CLIENT)]) {
    const out: string[] = [];
    const caller = {
      ...collector(out),
      stdin: async function* () {
        yield "in";
        yield "put";
      },
    };
    assert.equal(await each.run(LINE, caller), 7);
    assert.deepEqual(out, ["x y", "!warned", "input"]);
    each.close();
  }
});

test("standard input above the limit is refused, and a caller without one gives nothing", async (t) => {
  const run: ExecuteLine = async (_request, io) => {
    await io.out(await io.stdin(4).catch((error: Error & { code?: string }) => String(error.code)));
    return { exit: 0 };
  };
  const client = await (await startBackplane(t, { run })).client();
  for (const [input, expected] of [
    ["1234", "1234"],
    ["12345", "E_TOO_LARGE"],
    [undefined, ""],
  ] as const) {
    const out: string[] = [];
    await client.run(LINE, {
      ...collector(out),
      ...(input === undefined
        ? {}
        : {
            stdin: async function* () {
              yield input;
            },
          }),
    });
    assert.equal(out.join(""), expected);
  }
});

test("a megabyte of output of any letters arrives as it was written", async (t) => {
  const text = "a😀\u0001\n".repeat(200_000);
  const run: ExecuteLine = async (_request, io) => {
    await io.out(text);
    return { exit: 0 };
  };
  const out: string[] = [];
  await (await (await startBackplane(t, { run })).client()).run(LINE, collector(out));
  assert.equal(out.join(""), text);
  assert.equal(
    out.every((piece) => piece.isWellFormed()),
    true,
  );
});

test("bytes reach a caller that takes only messages as text, over a socket and within the process", async (t) => {
  const text = `\ufeff${"a😀\u0001\n".repeat(50_000)}`;
  const run: ExecuteLine = async (_request, io) => {
    await io.bytes(Buffer.from(text));
    await io.bytes(Buffer.alloc(0));
    return { exit: 0 };
  };
  const { server, client } = await startBackplane(t, { run });
  for (const each of [await client(), await localConnection(server, CLIENT)]) {
    const out: string[] = [];
    assert.equal(await each.run(LINE, collector(out)), 0);
    assert.equal(out.join(""), text);
    each.close();
  }
});

test("an interrupt reaches the run, and its exit code comes back", async (t) => {
  const run: ExecuteLine = async (_request, io) => {
    await io.out("ready");
    await new Promise((resolve) => io.interrupted.addEventListener("abort", resolve));
    await io.out(String(io.interrupted.reason));
    return { exit: 130 };
  };
  const client = await (await startBackplane(t, { run })).client();
  const out: string[] = [];
  let interrupt: () => void = () => undefined;
  const exit = await client.run(LINE, {
    err: async () => undefined,
    out: async (text) => {
      out.push(text);
      interrupt();
    },
    signals: (send) => {
      interrupt = () => send("SIGINT");
      return () => undefined;
    },
  });
  assert.deepEqual([exit, ...out], [130, "ready", "SIGINT"]);
});

test("output that no one reads any more ends the view, not the work, and gives the code for a closed pipe", async (t) => {
  let worked = false;
  const run: ExecuteLine = async (_request, io) => {
    io.pipeExit(141);
    await io.out("first");
    if (!io.gone.aborted) await new Promise((resolve) => io.gone.addEventListener("abort", resolve));
    await io.out("nobody");
    worked = true;
    return { exit: 0 };
  };
  const client = await (await startBackplane(t, { run })).client();
  const exit = await client.run(LINE, {
    out: async () => Promise.reject(new Error("EPIPE")),
    err: async () => undefined,
  });
  assert.equal(exit, 141);
  assert.equal(worked, true);
});

test("a run that an owner refuses because it leaves was not begun, and may go to the next owner", async (t) => {
  const { client, server } = await startBackplane(t);
  const one = await client();
  server.leave("test");
  const caller = collector([]);
  await assert.rejects(
    one.run(LINE, caller),
    (error: AppError) => error.code === "E_OWNER_LOST" && error.data["outcome"] === "not begun",
  );
});

test("a run whose owner is lost in the middle has an unknown outcome", async (t) => {
  const run: ExecuteLine = async (_request, io) => {
    await io.out("begun");
    return await new Promise(() => undefined);
  };
  const { client, server } = await startBackplane(t, { run });
  const one = await client();
  const begun = deferred();
  const caller = { out: async () => begun.resolve(), err: async () => undefined };
  const lost = assert.rejects(
    one.run(LINE, caller),
    (error: AppError) => error.code === "E_OWNER_LOST" && error.data["outcome"] === "unknown",
  );
  await begun.promise;
  await Promise.all([server.stop(0), lost]);
});

test("a run goes on when its caller is gone, and is reported", async (t) => {
  const done = deferred();
  const run: ExecuteLine = async (_request, io) => {
    await io.out("ready");
    await new Promise((resolve) => io.gone.addEventListener("abort", resolve));
    await io.out("to nobody");
    done.resolve();
    return { exit: 0 };
  };
  const client = await (await startBackplane(t, { run })).client();
  await assert.rejects(client.run(LINE, { out: async () => client.close(), err: async () => undefined }), {
    code: "E_OWNER_LOST",
  });
  await done.promise;
});

function collector(out: string[]) {
  return {
    out: async (text: string) => {
      out.push(text);
    },
    err: async (text: string) => {
      out.push(`!${text}`);
    },
  };
}

function deferred<T = void>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}
