import { useEffect, useState } from "preact/hooks";
import { useServices } from "../services.js";
import { Icon } from "../shell/icon.js";
import { useAddress } from "../state/use-address.js";
import { Curator } from "./curator.js";
import { PendingSkills } from "./pending-skills.js";

/** A row of `GET /api/skills`. */
interface Skill {
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly origin: string;
  readonly version: string;
  readonly enabled: boolean;
}

/** What the agent can look up how to do: changes that wait, the skills themselves, and the curator that looks after them. */
export function SkillsView() {
  const { api, failed } = useServices();
  const [looked, setLooked] = useState(0);
  const [search, setSearch] = useAddress("q");
  const [skills, setSkills] = useState<readonly Skill[] | undefined>(undefined);
  useEffect(() => {
    api.get<{ skills: readonly Skill[] }>("api/skills").then((told) => setSkills(told.skills), failed);
  }, [api, failed, looked]);
  const again = () => setLooked(looked + 1);
  const found = skills?.filter((skill) => matches(skill, search));
  return (
    <div class="page-view">
      <div class="buttons">
        <h1>Skills</h1>
        <button type="button" class="icon-button" aria-label="Look again" onClick={again}>
          <Icon name="refresh" />
        </button>
      </div>
      <PendingSkills looked={looked} decided={again} />
      <input
        type="search"
        aria-label="Search skills"
        placeholder="Search by name or description"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <section class="panel" aria-label="Skills">
        <h2>Skills</h2>
        {found === undefined && <p class="soft">Reading…</p>}
        {found?.length === 0 && (
          <p class="soft">
            {search === "" ? (
              <>
                None. <code>agent skills browse</code> lists skills to install.
              </>
            ) : (
              "No skill matches."
            )}
          </p>
        )}
        <ul class="rows checks skills">
          {found?.map((skill) => (
            <SkillRow key={skill.name} skill={skill} changed={again} />
          ))}
        </ul>
      </section>
      <Curator looked={looked} changed={again} />
    </div>
  );
}

const matches = ({ name, description, category }: Skill, search: string): boolean =>
  `${name} ${category} ${description}`.toLowerCase().includes(search.trim().toLowerCase());

function SkillRow({ skill, changed }: { skill: Skill; changed: () => void }) {
  const { name, description, category, origin, version, enabled } = skill;
  const { api, failed, tell } = useServices();
  const [busy, setBusy] = useState(false);
  const switchIt = (): void => {
    setBusy(true);
    api
      .send("PUT", `api/skills/${encodeURIComponent(name)}/enabled`, { enabled: !enabled })
      .then(() => {
        tell("done", `${name} was ${enabled ? "disabled" : "enabled"}. Open conversations keep their list of skills.`);
        changed();
      }, failed)
      .finally(() => setBusy(false));
  };
  const facts = [origin, category, version].filter((fact) => fact !== "");
  return (
    <li class="row" aria-label={name}>
      <span class={`chip ${enabled ? "chip-good" : ""}`}>{enabled ? "on" : "off"}</span>
      <div class="grow">
        <strong>{name}</strong> <span class="soft">{facts.join(" · ")}</span>
        {description !== "" && <p>{description}</p>}
        {enabled && <Content name={name} />}
      </div>
      <div class="buttons">
        <button type="button" class="small" disabled={busy} onClick={switchIt}>
          {enabled ? "Disable" : "Enable"}
        </button>
      </div>
    </li>
  );
}

/** The text of a skill, read when it is opened. */
function Content({ name }: { name: string }) {
  const { api, failed } = useServices();
  const [content, setContent] = useState<string | undefined>(undefined);
  const read = (open: boolean): void => {
    if (!open) return;
    api
      .get<{ content: string }>(`api/skills/${encodeURIComponent(name)}/content`)
      .then((told) => setContent(told.content), failed);
  };
  return (
    <details onToggle={(event) => read(event.currentTarget.open)}>
      <summary>Text</summary>
      {content === undefined ? <p class="soft">Reading…</p> : <pre class="skill-text">{content}</pre>}
    </details>
  );
}
