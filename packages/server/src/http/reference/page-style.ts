/** The style sheet of the reference page. The page includes it verbatim, because the policy contains its hash. */
export const REFERENCE_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --raised: #f6f7f6; --line: #e2e6e4; --text: #1b2422; --quiet: #5a6763; --accent: #0d7466;
  --code: #eef2f0; --panel: #12201d; --panel-text: #dcebe6; --panel-quiet: #8fa9a1;
  --get: #0d7466; --post: #2257c4; --patch: #95590a; --delete: #b3261e;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1413; --raised: #131b19; --line: #25312e; --text: #e3ebe8; --quiet: #97a7a2; --accent: #5fd3bf;
    --code: #1c2725; --panel: #080d0c; --panel-text: #d5e5e0; --panel-quiet: #7f978f;
    --get: #5fd3bf; --post: #8db4ff; --patch: #f0b35c; --delete: #ff8a80;
  }
}
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.6 var(--sans); }
a { color: var(--accent); text-underline-offset: 0.15em; }
a:focus-visible, summary:focus-visible, pre:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code, pre { font-family: var(--mono); }
code { font-size: 0.86em; background: var(--code); border-radius: 4px; padding: 0.1em 0.35em; overflow-wrap: anywhere; }
h1, h2, h3, h4, p, ul, figure { margin: 0; }
h1 { font-size: 2.1rem; line-height: 1.2; letter-spacing: -0.02em; margin-bottom: 1rem; }
h2 { font-size: 1.6rem; line-height: 1.25; letter-spacing: -0.015em; }
h3 { font-size: 1.25rem; line-height: 1.3; letter-spacing: -0.01em; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4 { font-size: 0.78rem; letter-spacing: 0.06em; text-transform: uppercase; color: var(--quiet); margin: 1.75rem 0 0.5rem; }
p + p { margin-top: 0.75rem; }
ul { list-style: none; padding: 0; }
.skip { position: absolute; left: -100vw; background: var(--ground); padding: 0.5rem 1rem; z-index: 1; }
.skip:focus { left: 0; }
aside { display: none; }
main { max-width: 84rem; padding: 0 1.25rem 6rem; }
main > header { margin-top: 4rem; padding-bottom: 0.25rem; }
main > header p { color: var(--quiet); margin-top: 0.25rem; }
.operation { padding: 2.5rem 0; border-bottom: 1px solid var(--line); display: grid; gap: 1.75rem; grid-template-columns: minmax(0, 1fr); }
.operation:last-child { border-bottom: 0; }
.route { margin: 0.6rem 0 1rem; display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; }
.route code { background: none; padding: 0; font-size: 0.95rem; }
.method { font: 600 0.68rem/1 var(--mono); letter-spacing: 0.03em; border: 1px solid currentColor; border-radius: 4px; padding: 0.25em 0.4em; }
.get { color: var(--get); } .post { color: var(--post); } .patch { color: var(--patch); } .delete { color: var(--delete); }
.access { margin-top: 1rem; font-size: 0.9rem; color: var(--quiet); }
.fields > li { padding: 0.65rem 0; border-top: 1px solid var(--line); font-size: 0.94rem; }
.fields > li > p { color: var(--quiet); margin-top: 0.1rem; }
.fields .fields { margin: 0.5rem 0 0 0.25rem; padding-left: 0.9rem; border-left: 2px solid var(--line); }
.field { display: flex; flex-wrap: wrap; gap: 0.2rem 0.6rem; align-items: baseline; }
.field > code { background: none; padding: 0; font-weight: 600; font-size: 0.9rem; }
.type { color: var(--quiet); font-size: 0.85rem; }
.note { color: var(--patch); font-size: 0.78rem; }
.status { font: 600 0.85rem/1.5 var(--mono); color: var(--delete); }
.status.ok { color: var(--get); margin-right: 0.35rem; }
.failures > li { display: grid; grid-template-columns: 2.6rem minmax(0, 13rem) minmax(0, 1fr); gap: 0 0.6rem; padding: 0.4rem 0; border-top: 1px solid var(--line); font-size: 0.9rem; align-items: baseline; }
.failures code { background: none; padding: 0; }
.failures > li > span:last-child { color: var(--quiet); }
.samples { display: grid; gap: 1rem; align-content: start; min-width: 0; }
figure { background: var(--panel); color: var(--panel-text); border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
figcaption { padding: 0.5rem 0.9rem; font-size: 0.75rem; color: var(--panel-quiet); border-bottom: 1px solid rgb(255 255 255 / 0.08); }
pre { margin: 0; padding: 0.8rem 0.9rem; font-size: 0.78rem; line-height: 1.6; overflow: auto; max-height: 26rem; white-space: pre-wrap; overflow-wrap: anywhere; }
pre a { color: inherit; }
nav h2 { font-size: 0.72rem; letter-spacing: 0.07em; text-transform: uppercase; color: var(--quiet); margin: 1.4rem 0 0.35rem; }
nav a { display: flex; gap: 0.5rem; align-items: baseline; padding: 0.24rem 0; color: var(--text); text-decoration: none; font-size: 0.86rem; }
nav a:hover { color: var(--accent); }
nav a > span:last-child { overflow-wrap: anywhere; }
nav .method { border: 0; padding: 0; width: 3.1rem; flex: none; font-size: 0.64rem; }
.brand, .menu > summary { font-weight: 700; font-size: 1.05rem; letter-spacing: -0.01em; }
.brand span, .menu > summary span { font-weight: 400; font-size: 0.85rem; color: var(--quiet); margin-left: 0.35rem; }
.menu { position: sticky; top: 0; z-index: 1; margin: 0 -1.25rem; padding: 0 1.25rem; background: var(--ground); border-bottom: 1px solid var(--line); }
.menu[open] { position: static; }
.menu > summary { padding: 0.8rem 0; cursor: pointer; }
.menu > nav { padding-bottom: 1rem; }
@media (max-width: 35rem) {
  .failures > li { grid-template-columns: 2.6rem minmax(0, 1fr); }
  .failures > li > span:last-child { grid-column: 2; }
  html { scroll-padding-top: 4rem; }
}
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 16.5rem minmax(0, 1fr); }
  aside { display: block; position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1.5rem 1.25rem 3rem; background: var(--raised); border-right: 1px solid var(--line); }
  .menu { display: none; }
  main { padding: 1rem 2.75rem 6rem; }
}
@media (min-width: 75rem) {
  .operation { grid-template-columns: minmax(0, 1fr) minmax(0, 26rem); gap: 2.75rem; }
  .samples { position: sticky; top: 1.5rem; }
}
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
@media print { aside, .menu { display: none; } body { display: block; } pre { max-height: none; } }
`
