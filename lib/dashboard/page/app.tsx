/** The page as a whole. */
export function App() {
  return <main>agent</main>;
}
