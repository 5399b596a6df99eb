import { useState } from "preact/hooks";
import { useServices } from "../../services.js";
import { shortenTitle } from "../actions/ask-for.js";
import { changeWithConsent } from "../actions/insist.js";
import { runPass } from "../actions/pass.js";
import { useBoardController } from "../desk.js";
import { resumeBoard } from "../header/board-actions.js";
import { useOpenTask } from "./drawer-context.js";
import { movesOf } from "./moves.js";
import { useMover } from "./use-mover.js";
import type { WhyAct } from "./why-acts.js";

/** Does what helps. */
export function WhyButton({ act }: { act: WhyAct }) {
  const work = useAct();
  const { failed } = useServices();
  const [busy, setBusy] = useState(false);
  const press = (): void => {
    setBusy(true);
    work(act)
      .catch(failed)
      .finally(() => setBusy(false));
  };
  return (
    <button type="button" class="small" disabled={busy} onClick={press}>
      {act.label}
    </button>
  );
}

function useAct(): (act: WhyAct) => Promise<void> {
  const desk = useBoardController();
  const { calls, page, reload } = useOpenTask();
  const { dialogs } = useServices();
  const mover = useMover();
  const { task } = page;
  return async (act) => {
    if (act.does === "move") {
      const move = movesOf(task).find(({ to }) => to === act.to);
      if (move !== undefined) await mover(task, move);
      return;
    }
    if (act.does === "change")
      await changeWithConsent({
        dialogs,
        title: shortenTitle(task.title),
        change: act.fields,
        send: (all) => calls.change(all),
      });
    else if (act.does === "resume") await resumeBoard(desk, desk.board.state.get().board);
    else await runPass(desk);
    await reload();
  };
}
