import { render } from "preact";
import "./styles/main.css";
import { App } from "./app.js";
import { showBidiMarks } from "./bidi-marks.js";
import { createServices, ServicesProvider } from "./services.js";
import { startTheme } from "./shell/theme.js";

const root = document.querySelector("#app");
if (root) {
  showBidiMarks();
  startTheme();
  const services = createServices(window);
  render(
    <ServicesProvider value={services}>
      <App />
    </ServicesProvider>,
    root,
  );
  services.auth.start().catch(services.failed);
}
