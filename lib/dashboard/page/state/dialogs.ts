/** One thing that a dialog asks for. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly kind: "line" | "text" | "number" | "time" | "check" | "choice";
  readonly value?: string;
  readonly required?: boolean;
  readonly hint?: string;
  /** Of a `choice`: value and words. A `line` offers them beside free text. */
  readonly options?: readonly { readonly value: string; readonly label: string }[];
}

/** A question to the person at the page. Without fields it is a yes or no. */
export interface DialogQuestion {
  readonly title: string;
  readonly text?: string;
  readonly fields?: readonly Field[];
  /** What the button that goes on says. */
  readonly confirm: string;
  /** It ends or removes something. */
  readonly danger?: boolean;
  /** The notice for a wrong answer; undefined lets it pass. */
  check?(answers: Answers): string | undefined;
}

/** By the names of the fields; a check is "true" or "". */
export type Answers = Readonly<Record<string, string>>;

export interface OpenDialog {
  readonly id: number;
  readonly question: DialogQuestion;
  answer(answers: Answers | undefined): void;
}

/** Questions to the person at the page, one above the other. */
export interface Dialogs {
  /** What was filled in, or undefined when it was called off. */
  ask(question: DialogQuestion): Promise<Answers | undefined>;
  /** True: go on. */
  confirm(question: Omit<DialogQuestion, "fields">): Promise<boolean>;
}

interface Places {
  get(): readonly OpenDialog[];
  update(change: (open: readonly OpenDialog[]) => readonly OpenDialog[]): void;
}

/** Dialogs that stand in `open` until they are answered. */
export function createDialogs(open: Places): Dialogs {
  let made = 0;
  const ask = (question: DialogQuestion): Promise<Answers | undefined> =>
    new Promise((resolve) => {
      made += 1;
      const id = made;
      const answer = (answers: Answers | undefined): void => {
        open.update((all) => all.filter((one) => one.id !== id));
        resolve(answers);
      };
      open.update((all) => [...all, { id, question, answer }]);
    });
  return { ask, confirm: async (question) => (await ask(question)) !== undefined };
}
