// A bare server of streamed answers: `stream.mjs <events> <pause in ms>`. Prints its port. Its last event tells how long the answer took on its side.
import { createServer } from "node:http";

const [events, pause] = process.argv.slice(2).map(Number);
const EVENT = `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"${"word ".repeat(8)}"}}]}\n\n`;

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  request.once("end", () => {
    const began = performance.now();
    let sent = 0;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const next = () => {
      sent += 1;
      response.write(EVENT);
      if (sent < events) setTimeout(next, pause);
      else response.end(`: took ${performance.now() - began}\n\n`);
    };
    next();
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
