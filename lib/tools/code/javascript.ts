/**
 * Runs in the node process of an execute_code call: takes the code over descriptor 3, gives it the module `agent-tools`, and carries its calls
 * over descriptors 3 and 4. Plain JavaScript, because the program that starts it has no source tree beside it.
 */
export const JAVASCRIPT = String.raw`
"use strict";
const { Socket } = require("node:net");
const vm = require("node:vm");
const path = require("node:path");
const util = require("node:util");
const { pathToFileURL } = require("node:url");

const warn = process.emitWarning;
process.emitWarning = function (warning, ...rest) {
  const type = typeof rest[0] === "string" ? rest[0] : rest[0] && rest[0].type;
  if (type !== "ExperimentalWarning") warn.call(process, warning, ...rest);
};

const inlet = new Socket({ fd: 3, readable: true, writable: false });
const outlet = new Socket({ fd: 4, readable: false, writable: true });
outlet.unref();
const waiting = new Map();
let serial = 0;
let begin;
let rest = "";
inlet.setEncoding("utf8");
inlet.on("data", (text) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  for (const line of lines) take(JSON.parse(line));
});
const orphaned = () => process.exit(1);
inlet.on("end", orphaned);
inlet.on("error", orphaned);
outlet.on("error", orphaned);

function take(message) {
  if (message.code !== undefined) return begin(message);
  const call = waiting.get(message.id);
  waiting.delete(message.id);
  if (waiting.size === 0) inlet.unref();
  if (call === undefined) return;
  if (message.error === undefined) call.resolve(message.result);
  else call.reject(new Error(message.error));
}

function callTool(name, args) {
  if (args !== undefined && (typeof args !== "object" || args === null || Array.isArray(args)))
    return Promise.reject(new TypeError(name + " takes one object"));
  return new Promise((resolve, reject) => {
    serial += 1;
    waiting.set(serial, { resolve, reject });
    inlet.ref();
    outlet.write(JSON.stringify({ id: serial, name, args: args === undefined ? {} : args }) + "\n");
  });
}

function jsonParse(text) {
  const tries = [String(text)];
  const fenced = /\x60\x60\x60(?:json)?\s*([\s\S]*?)\x60\x60\x60/.exec(tries[0]);
  if (fenced !== null) tries.push(fenced[1]);
  const from = tries[0].search(/[[{]/);
  const to = Math.max(tries[0].lastIndexOf("]"), tries[0].lastIndexOf("}"));
  if (from >= 0 && to > from) tries.push(tries[0].slice(from, to + 1));
  for (const one of [...tries, ...tries.map((text) => text.replace(/,\s*([\]}])/g, "$1"))]) {
    try {
      return JSON.parse(one);
    } catch {
      /* ok to lose: the next form is tried, and the first one again at the end. */
    }
  }
  return JSON.parse(tries[0]);
}

const shellQuote = (text) => "'" + String(text).replaceAll("'", "'\\''") + "'";
const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));
async function retry(work, attempts = 3, seconds = 1) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(attempt);
    } catch (error) {
      if (attempt >= attempts) throw error;
      await sleep(seconds);
    }
  }
}

let ended = false;

function fail(error) {
  ended = true;
  inlet.unref();
  process.exitCode = 1;
  if (error instanceof SyntaxError) {
    // Only the runtime itself can show the line of a syntax error, and it does so for an uncaught one.
    process.removeListener("uncaughtException", uncaught);
    setImmediate(() => {
      throw error;
    });
    return;
  }
  process.stderr.write((error instanceof Error ? error.stack || String(error) : "Uncaught " + util.inspect(error)) + "\n");
}

function uncaught(error) {
  fail(error);
  if (!(error instanceof SyntaxError)) process.exit(1);
}
process.on("uncaughtException", uncaught);
process.on("beforeExit", () => {
  if (ended) return;
  ended = true;
  process.stderr.write("Error: the code waits for something that will never happen (a promise that nobody settles)\n");
  process.exitCode = 13;
});

async function main({ code, names }) {
  const identifier = pathToFileURL(path.join(process.cwd(), "code.mjs")).href;
  const exported = { jsonParse, shellQuote, retry, sleep };
  for (const name of names) exported[name] = (args) => callTool(name, args);
  const modules = new Map();
  const synthetic = (values, url) =>
    new vm.SyntheticModule(Object.keys(values), function () {
      for (const [name, value] of Object.entries(values)) this.setExport(name, value);
    }, { identifier: url });
  const load = async (specifier) => {
    if (!modules.has(specifier)) {
      const values = specifier === "agent-tools" ? exported : await import(specifier);
      if (!modules.has(specifier)) modules.set(specifier, synthetic(values, specifier));
    }
    return modules.get(specifier);
  };
  const dynamic = async (specifier) => {
    if (specifier !== "agent-tools") return import(specifier);
    const module = await load(specifier);
    if (module.status === "unlinked") await module.link(() => undefined);
    if (module.status === "linked") await module.evaluate();
    return module.namespace;
  };
  const module = new vm.SourceTextModule(code, {
    identifier,
    initializeImportMeta: (meta) => {
      meta.url = identifier;
    },
    importModuleDynamically: dynamic,
  });
  await module.link(load);
  await module.evaluate();
}

begin = (message) => {
  inlet.unref();
  main(message).then(() => {
    ended = true;
  }, fail);
};
`;
