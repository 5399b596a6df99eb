import type { Programs } from "./programs.js";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Exits with 0 where tmux passes sequences on (`allow-passthrough`, whose value is a number before 3.4) and the terminal before it has placeholders of
 * pictures.
 */
const ASK = `case "$(tmux display-message -p -t "$TMUX_PANE" '#{allow-passthrough} #{client_termtype} #{client_termname}')" in
1\\ *kitty* | on\\ *kitty* | all\\ *kitty*) exit 0 ;;
1\\ *ghostty* | on\\ *ghostty* | all\\ *ghostty*) exit 0 ;;
*) exit 1 ;;
esac`;

/** Whether tmux shows pictures here. An answer that does not come changes nothing: nothing waits for it. */
export async function asksTmux(programs: Pick<Programs, "run" | "has">, env: Env): Promise<boolean> {
  if (!env["TMUX"] || !programs.has("tmux")) return false;
  const signal = AbortSignal.timeout(ANSWER_MS);
  return (await programs.run(["sh", "-c", ASK], { terminal: false, signal })) === 0;
}

const ANSWER_MS = 5_000;
