// Floor of a turn: the same requests to the same server with bare Node, and a process per round. `turn.mjs URL ROUNDS`
import { spawn } from "node:child_process";
import { request } from "node:http";

const [url, rounds] = process.argv.slice(2);
const messages = [{ role: "user", content: "hi" }];

function ask() {
  const body = JSON.stringify({
    model: `script:rounds-${rounds}`,
    stream: true,
    messages,
    tools: [{ type: "function", function: { name: "terminal" } }],
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
    tool_calls: [{ id: `c${round}`, type: "function", function: { name: "terminal", arguments: "{}" } }],
  });
  messages.push({ role: "tool", tool_call_id: `c${round}`, content: "" });
}
await ask();
