import { useNow } from "../now.js";
import { TriageActions } from "../triage/triage-actions.js";
import { AttachmentList } from "./attachments.js";
import { CommentList } from "./comments.js";
import { Dependencies } from "./dependencies.js";
import { useOpenTask } from "./drawer-context.js";
import { DrawerHead } from "./drawer-head.js";
import { EventList } from "./events.js";
import { FieldLine } from "./field-line.js";
import { BODY, OUTCOME, PROPERTIES } from "./fields.js";
import { HomeChannels } from "./home-channels.js";
import { LogView } from "./log-view.js";
import { MoveBar } from "./move-bar.js";
import { Origin } from "./origin.js";
import { RunList } from "./runs.js";
import { Section } from "./section.js";
import { toFieldSource } from "./shown.js";
import { TaskFindings } from "./task-findings.js";
import { TextField } from "./text-field.js";
import { WhyPart } from "./why-part.js";
import { WorkspacePart } from "./workspace-part.js";

const isLong = (kind: string): boolean => kind === "markdown" || kind === "json";

/** What a finished task has left behind. */
function Outcome() {
  return (
    <>
      <dl class="properties">
        {OUTCOME.filter(({ kind }) => !isLong(kind)).map((row) => (
          <FieldLine key={row.key} row={row} />
        ))}
      </dl>
      {OUTCOME.filter(({ kind }) => isLong(kind)).map((row) => (
        <TextField key={row.key} row={row} />
      ))}
    </>
  );
}

/** The parts of the drawer, in the order in which one wants to know them. */
export function DrawerContent() {
  const { page } = useOpenTask();
  // Distances in time grow by themselves.
  useNow();
  const { task, comments, events, attachments, runs } = page;
  const hasOutcome = OUTCOME.some(({ fits }) => fits?.(toFieldSource(page)));
  return (
    <div class="drawer-content">
      <DrawerHead />
      <MoveBar />
      {task.status === "triage" && <TriagePart />}
      <WhyPart />
      <TaskFindings />
      <TextField row={BODY} title={false} />
      {hasOutcome && (
        <Section title="Result" open>
          {() => <Outcome />}
        </Section>
      )}
      <Section title="Fields" open>
        {() => (
          <dl class="properties">
            {PROPERTIES.map((row) => (
              <FieldLine key={row.key} row={row} />
            ))}
          </dl>
        )}
      </Section>
      <Section
        title="Dependencies"
        count={task.link_counts.parents + task.link_counts.children}
        open={task.link_counts.parents + task.link_counts.children > 0}
      >
        {() => <Dependencies />}
      </Section>
      <Section title="Comments" count={comments.length} open>
        {() => <CommentList />}
      </Section>
      <Section title="Attachments" count={attachments.length} open={attachments.length > 0}>
        {() => <AttachmentList />}
      </Section>
      <Section title="Runs" count={runs.length} open={runs.length > 0}>
        {() => <RunList />}
      </Section>
      <Section title="Log" open={task.status === "running"}>
        {() => <LogView />}
      </Section>
      <Section title="Workspace">{() => <WorkspacePart />}</Section>
      <Section title="Notifications">{() => <HomeChannels />}</Section>
      <Section title="Events" count={events.length}>
        {() => <EventList />}
      </Section>
      <Section title="Origin">{() => <Origin />}</Section>
    </div>
  );
}

/** What can happen to a triage task. When the model is asked by itself stands below, among the reasons. */
function TriagePart() {
  const { page } = useOpenTask();
  return <TriageActions task={page.task} told={page.reasons.length > 0} />;
}
