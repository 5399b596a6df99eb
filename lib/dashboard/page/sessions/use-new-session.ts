import { useServices } from "../services.js";
import { formatRoute } from "../state/route.js";

/** Begins a conversation in a directory of the owner's machine and opens it. `usual`: the one that is offered. */
export function useNewSession(usual: string): () => Promise<void> {
  const { dialogs, rpc } = useServices();
  return async () => {
    const hint = "On the machine of the owner. Files are read and written there.";
    const answers = await dialogs.ask({
      title: "New conversation",
      confirm: "Begin",
      fields: [
        { name: "cwd", label: "Directory", kind: "line", required: true, hint, value: usual },
        { name: "title", label: "Title", kind: "line" },
      ],
      check: ({ cwd = "" }) => (cwd.startsWith("/") ? undefined : "The path must be absolute."),
    });
    if (answers === undefined) return;
    const title = (answers["title"] ?? "").trim();
    const { id } = await rpc.call<{ id: string }>("session.create", {
      source: "workspace",
      cwd: answers["cwd"],
      ...(title !== "" && { title }),
    });
    window.location.hash = formatRoute({ view: "sessions", id });
  };
}
