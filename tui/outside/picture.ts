import type { Client } from "../../lib/backplane/client.js";
import { callKey } from "../effects/effect.js";
import type { Message } from "../model/messages.js";
import type { Programs } from "./programs.js";

type Env = Readonly<Record<string, string | undefined>>;

export interface Grabbing {
  readonly env: Env;
  readonly programs: Programs;
  readonly client: Pick<Client, "call">;
  readonly send: (message: Message) => void;
}

/** Programs that write the picture of a clipboard to their output. */
const TOOLS: readonly { readonly argv: readonly string[]; readonly when: (env: Env) => boolean }[] = [
  { argv: ["wl-paste", "--no-newline", "--type", "image/png"], when: (env) => Boolean(env["WAYLAND_DISPLAY"]) },
  { argv: ["xclip", "-selection", "clipboard", "-t", "image/png", "-o"], when: (env) => Boolean(env["DISPLAY"]) },
  { argv: ["pngpaste", "-"], when: () => process.platform === "darwin" },
];

const NONE =
  "no program to read pictures from the clipboard (wl-paste, xclip, pngpaste): paste a file path, or use /image PATH";

type Kept = Pick<Extract<Message, { type: "picture" }>, "name" | "bytes" | "mention">;

/** The only reading of the clipboard there is, and only when the user asks for it. Over ssh it is not the user's. */
export async function grabPicture({ env, programs, client, send }: Grabbing): Promise<void> {
  const remote = Boolean(env["SSH_CONNECTION"] || env["SSH_TTY"]);
  const tool = remote ? undefined : TOOLS.find(({ argv, when }) => when(env) && programs.has(argv[0] ?? ""));
  if (tool === undefined) return send({ type: "say", text: NONE, error: true });
  let kept: Kept | undefined;
  await programs.edit("", ".png", async (path) => {
    const status = await programs.run(["sh", "-c", 'exec "$@" >"$0"', path, ...tool.argv], { terminal: false });
    if (status !== 0) return;
    kept = await client.call<Kept>("image.attach", { path, name: "clipboard.png" }, { key: callKey() });
  });
  if (kept === undefined) return send({ type: "say", text: "no picture in the clipboard", error: true });
  send({ type: "picture", asked: undefined, name: kept.name, bytes: kept.bytes, mention: kept.mention });
}
