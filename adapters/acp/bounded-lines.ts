/** Both directions of a connection of lines. */
export interface LineStreams {
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
}

const LINE_FEED = 0x0a;
/** The name of a request stands at its beginning. */
const HEAD_BYTES = 4_096;

/**
 * Streams that drop lines of more than `maxBytes` and answer each with an error, so that one message that is too large does not end the
 * connection.
 */
export function boundLines({ input, output }: LineStreams, maxBytes: number): LineStreams {
  const writer = output.getWriter();
  let line: Uint8Array[] = [];
  let bytes = 0;
  let dropped = false;
  const take = async (piece: Uint8Array) => {
    bytes += piece.byteLength;
    if (dropped) return;
    line.push(piece);
    if (bytes <= maxBytes) return;
    dropped = true;
    const head = Buffer.concat(line).subarray(0, HEAD_BYTES).toString();
    line = [];
    await writer.write(Buffer.from(`${JSON.stringify(tooLarge(head, maxBytes))}\n`));
  };
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform: async (chunk, controller) => {
      let from = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
        await take(chunk.subarray(from, end));
        if (!dropped) for (const piece of [...line, chunk.subarray(end, end + 1)]) controller.enqueue(piece);
        line = [];
        bytes = 0;
        dropped = false;
        from = end + 1;
      }
      if (from < chunk.byteLength) await take(chunk.subarray(from));
    },
    flush: (controller) => {
      for (const piece of line) controller.enqueue(piece);
    },
  });
  return {
    input: input.pipeThrough(bound),
    output: new WritableStream({
      write: (chunk) => writer.write(chunk),
      close: () => writer.close(),
      abort: (reason) => writer.abort(reason),
    }),
  };
}

/** The answer carries the name of the request where it stands before anything else that could hold one. */
function tooLarge(head: string, maxBytes: number) {
  const [before = ""] = head.split(/"(?:params|result|error)"\s*:/);
  const [, id] = /"id"\s*:\s*(-?\d+|"[^"\\]*")/.exec(before) ?? [];
  const message = `a message exceeds ${maxBytes >> 20} MiB and was dropped; send less text and fewer or smaller images, or link files`;
  return {
    jsonrpc: "2.0",
    id: id === undefined ? null : (JSON.parse(id) as unknown),
    error: { code: -32600, message },
  };
}
