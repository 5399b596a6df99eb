import { useState } from "preact/hooks";
import { useServices } from "../../services.js";
import { useBoard } from "../board-context.js";
import type { ProfileInfo } from "./use-profiles.js";

/** A profile and what it is good at: written by a person, or by a model. */
export function ProfileRow({ profile, reload }: { profile: ProfileInfo; reload(): Promise<void> }) {
  const board = useBoard();
  const { dialogs, failed, tell } = useServices();
  const [busy, setBusy] = useState(false);
  const { name, description, description_auto } = profile;
  const path = `/profiles/${encodeURIComponent(name)}`;
  const doing = (work: Promise<void>): void => {
    setBusy(true);
    work.catch(failed).finally(() => setBusy(false));
  };
  const edit = async (): Promise<void> => {
    const answers = await dialogs.ask({
      title: `Description of ${name}`,
      text: "Decomposition assigns tasks by this description.",
      confirm: "Save",
      fields: [
        { name: "description", label: "Description", kind: "text", value: description, hint: "Empty clears it." },
      ],
    });
    if (answers === undefined) return;
    await board.send("PATCH", path, { description: answers["description"] ?? "" });
    await reload();
  };
  const describe = async (): Promise<void> => {
    const written = description !== "" && !description_auto;
    const text = "It was written manually. The generated text replaces it.";
    if (written && !(await dialogs.confirm({ title: `Describe ${name} again?`, text, confirm: "Describe" }))) return;
    const told = await board.send<{ ok: boolean; reason: string }>("POST", `${path}/describe-auto`, {
      overwrite: written,
    });
    if (!told.ok) tell("failed", `Failed to describe ${name}: ${told.reason}`);
    await reload();
  };
  return (
    <li class="row profile">
      <div class="grow">
        <strong>{name}</strong>
        {profile.is_default && <span class="chip">default</span>}
        {description_auto && description !== "" && <span class="chip">generated</span>}
        <span class="soft"> {profile.model ?? ""}</span>
        <p class={description === "" ? "soft" : undefined}>{description === "" ? "no description" : description}</p>
      </div>
      <button
        type="button"
        class="small"
        disabled={busy}
        aria-label={`Edit the description of ${name}`}
        onClick={() => doing(edit())}
      >
        Edit
      </button>
      <button
        type="button"
        class="small"
        disabled={busy}
        aria-label={`Auto-describe ${name}`}
        onClick={() => doing(describe())}
      >
        {busy ? "Describing…" : "Auto-describe"}
      </button>
    </li>
  );
}
