import { useId, useState } from "preact/hooks";
import { useServices } from "../../services.js";
import { Icon } from "../../shell/icon.js";
import { useBoard } from "../board-context.js";
import {
  changeOrchestration,
  type Orchestration,
  type OrchestrationChange,
  useOrchestration,
} from "./orchestration.js";
import { ProfileRow } from "./profile-row.js";
import { type ProfileInfo, useProfiles } from "./use-profiles.js";

/** The settings behind the pill; stands folded under the header of the board. */
export function OrchestrationPanel() {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <section class="orchestration" aria-label="Orchestration">
      <button
        type="button"
        class="quiet small orchestration-fold"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        <Icon name="chevron" />
        Routing
      </button>
      <div id={id} class="orchestration-body" hidden={!open}>
        {open && <Panel />}
      </div>
    </section>
  );
}

function Panel() {
  const board = useBoard();
  const { failed } = useServices();
  const now = useOrchestration();
  const { profiles, reload } = useProfiles();
  if (now === undefined || profiles === undefined) return <p class="soft">Reading…</p>;
  const change = (fields: OrchestrationChange): void => {
    changeOrchestration(board, fields).catch(failed);
  };
  return (
    <>
      <div class="orchestration-settings">
        <Choice
          label="Orchestrator"
          hint="judges the results of a decomposed task"
          value={now.orchestrator_profile}
          resolved={now.resolved_orchestrator_profile}
          profiles={profiles}
          change={(orchestrator_profile) => change({ orchestrator_profile })}
        />
        <Choice
          label="Default assignee"
          hint="for tasks without an assignee"
          value={now.default_assignee}
          resolved={now.resolved_default_assignee}
          profiles={profiles}
          change={(default_assignee) => change({ default_assignee })}
        />
        <Promotion now={now} change={change} />
      </div>
      <h2>Profiles</h2>
      <ul class="rows">
        {profiles.map((profile) => (
          <ProfileRow key={profile.name} profile={profile} reload={reload} />
        ))}
      </ul>
    </>
  );
}

function Promotion({ now, change }: { now: Orchestration; change(fields: OrchestrationChange): void }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={now.auto_promote_children}
        onChange={(event) => change({ auto_promote_children: event.currentTarget.checked })}
      />
      Start the parts of a decomposed task automatically
    </label>
  );
}

interface ChoiceProps {
  label: string;
  hint: string;
  value: string;
  /** What holds when nothing is chosen. */
  resolved: string;
  profiles: readonly ProfileInfo[];
  change(value: string): void;
}

function Choice({ label, hint, value, resolved, profiles, change }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={`${id}-hint`}
        onChange={(event) => change(event.currentTarget.value)}
      >
        <option value="">{value === "" ? `not set: ${resolved}` : "not set"}</option>
        {profiles.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <p class="hint" id={`${id}-hint`}>
        {hint}
        {value !== "" && value !== resolved && `; ${value} does not exist, so ${resolved} is used`}
      </p>
    </div>
  );
}
