import { Component, type ComponentChildren } from "preact";

interface Shown {
  readonly message: string | undefined;
}

/** Shows what broke instead of an empty page; the rest of the page goes on. */
export class ErrorBoundary extends Component<{ children: ComponentChildren }, Shown> {
  override state: Shown = { message: undefined };

  override componentDidCatch(error: unknown): void {
    this.setState({ message: error instanceof Error ? error.message : String(error) });
  }

  override render() {
    const { message } = this.state;
    if (message === undefined) return this.props.children;
    return (
      <div class="panel panel-error" role="alert">
        <h2>This view failed.</h2>
        <p>{message}</p>
        <button type="button" onClick={() => this.setState({ message: undefined })}>
          Try again
        </button>
      </div>
    );
  }
}
