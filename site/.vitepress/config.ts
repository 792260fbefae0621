import { anchorOf } from '../markdown.ts'
import { FIRST_PAGES, navigation, REPOSITORY_URL } from '../pages.ts'

/** A list of test names: it would crowd out the pages that explain something. */
const NOT_SEARCHED = 'internals/rules.md'

/** The icon of the dashboard. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%230d7466'/%3E%3Cpath d='M7 11h18v11H7zm0 0 9 7 9-7' fill='none' stroke='%23fff' stroke-width='2'/%3E%3C/svg%3E"

type Environment = { relativePath: string }
type Markdown = { render: (text: string, env: Environment) => string }

export default {
  title: 'Mailhatch',
  description: 'Catches the mail your app sends and hands it to the test that waits for it',
  lang: 'en-GB',
  head: [['link', { rel: 'icon', href: ICON }]],
  srcDir: 'dist/pages',
  outDir: 'dist/html',
  cacheDir: 'dist/cache',
  // Addresses of a server that readers start.
  ignoreDeadLinks: 'localhostLinks',
  // For older browsers, this esbuild cannot translate VitePress's own code.
  vite: { build: { target: 'es2022', chunkSizeWarningLimit: 1000 } },
  markdown: { anchor: { slugify: anchorOf } },
  themeConfig: {
    logo: ICON,
    nav: [
      { text: 'Frameworks', link: '/guide/frameworks' },
      { text: 'API', link: '/reference/api' },
      { text: 'SDK', link: '/reference/sdk' },
      { text: 'Command line', link: '/reference/cli' },
      { text: 'Changelog', link: '/changelog' },
      { text: 'Repository', link: REPOSITORY_URL },
    ],
    sidebar: [{ items: FIRST_PAGES }, ...navigation()],
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          searchOptions: {
            combineWith: 'AND',
            // Runs in the browser. Pages about the past and the reasons come after those about the use.
            boostDocument: (id: string) => (/\/(?:decisions|changelog|architecture)\.html/.test(id) ? 0.2 : 1),
          },
        },
        _render: (text: string, env: Environment, markdown: Markdown) =>
          env.relativePath === NOT_SEARCHED ? '' : markdown.render(text, env),
      },
    },
    // Runs in the browser, where only the page's data is known.
    editLink: {
      pattern: ({ frontmatter }: { frontmatter: { edit: string } }) => frontmatter.edit,
      text: 'Edit this page',
    },
    externalLinkIcon: true,
  },
}
