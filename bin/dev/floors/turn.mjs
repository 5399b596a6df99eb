// Floor of a turn: the same requests to the same server with bare Node, and a process per round. `turn.mjs URL ROUNDS`
import { spawn } from "node:child_process";
import { request } from "node:http";

const [url, rounds] = process.argv.slice(2);
// As long as what agent sends: its prompt, the schemas of its tools, a result of `terminal`. The server parses and keeps all of it.
const messages = [
  { role: "system", content: "You are an agent. ".repeat(55) },
  { role: "user", content: "hi" },
];
const tools = Array.from({ length: 7 }, (_, at) => ({
  type: "function",
  function: {
    name: at === 0 ? "terminal" : `tool_${at}`,
    description: "Does what it is asked to do. ".repeat(20),
    parameters: schema(),
  },
}));
const result = JSON.stringify({
  output: "",
  exit_code: 0,
  error: null,
  cwd: "/tmp/agent-bench-000000",
  duration_ms: 2,
});

function schema() {
  const names = ["one", "two", "three", "four"];
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { type: "string", description: "A value of it." }])),
  };
}

function ask() {
  const body = JSON.stringify({
    model: `script:rounds-${rounds}`,
    stream: true,
    messages,
    tools,
  });
  return new Promise((done, fail) => {
    const sent = request(
      `${url}/chat/completions`,
      { method: "POST", headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) } },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk) => {
          text += chunk;
        });
        answer.on("end", () => done(text));
      },
    );
    sent.on("error", fail);
    sent.end(body);
  });
}

for (let round = 0; round < Number(rounds); round++) {
  await ask();
  const child = spawn("true", { stdio: "ignore" });
  await new Promise((done) => child.on("close", done));
  messages.push({
    role: "assistant",
    content: "",
    tool_calls: [
      { id: `c${round}`, type: "function", function: { name: "terminal", arguments: '{"command":"true"}' } },
    ],
  });
  messages.push({ role: "tool", tool_call_id: `c${round}`, content: result });
}
await ask();
