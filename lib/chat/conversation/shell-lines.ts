import * as z from "zod";
import { createMailbox } from "../../base/async/mailbox.js";
import type { Log } from "../../base/log/log.js";
import type { ShellLine, Transcript } from "../../contracts/chat/chat.js";
import { toScreenLine } from "../../safety/redact/text.js";
import { inLabel, renderFencedBlock } from "../mentions/fenced.js";

/** Lineage record: output of `!!` lines for the next message (core part, 14.4). */
const RECORD = "shell_lines";
/** Newest lines that wait for a message; older ones are dropped. */
const MOST_LINES = 8;

const recordSchema = z.array(z.string()).catch([]);

/** Output of shell lines that goes to the model with the next message. It survives a restart. */
export interface ShellLines {
  keep(command: string, line: ShellLine): Promise<void>;
  /** The message with what waits behind it; `sent`: it is stored, so nothing waits any more. */
  join(text: string): Promise<{ readonly text: string; sent(): void }>;
}

/** What waits in the records of a conversation. */
export function createShellLines(
  transcript: Pick<Transcript, "record" | "setRecord">,
  log: Pick<Log, "warning">,
): ShellLines {
  const changes = createMailbox("shell lines", MOST_LINES * 8);
  const read = async () => parsed(await transcript.record(RECORD));
  const write = (blocks: readonly string[]) => transcript.setRecord(RECORD, JSON.stringify(blocks));
  return {
    keep: (command, line) =>
      changes.post(async () => write([...(await read()), blockOf(command, line)].slice(-MOST_LINES))),
    join: async (text) => {
      const blocks = await changes.post(read);
      if (blocks.length === 0) return { text, sent: () => undefined };
      const forget = async () => write((await read()).filter((block) => !blocks.includes(block)));
      const sent = () => {
        changes
          .post(forget)
          .catch((error: unknown) => log.warning("shell output waits for the next message", { error: String(error) }));
      };
      return { text: [text, ...blocks].join("\n\n"), sent };
    },
  };
}

const blockOf = (command: string, { output, exit_code: code }: ShellLine): string =>
  renderFencedBlock(`I ran: ${inLabel(toScreenLine(command, 150))} (exit code ${code})`, output);

function parsed(json: string | undefined): readonly string[] {
  if (json === undefined) return [];
  try {
    return recordSchema.parse(JSON.parse(json));
  } catch {
    return []; // written by a version that kept it otherwise
  }
}
