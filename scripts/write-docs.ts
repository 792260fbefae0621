// Writes the generated files: .env.example, docs/reference/settings.md, llms.txt, the tables of metrics and spans, the pages about performance and scale, what
// differs from other mail catchers, and the examples embedded in pages. `--check` only reports whether they are current.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SETTINGS } from '../packages/server/src/program/settings.ts'
import { METRICS, type MetricDeclaration } from '../packages/server/src/observe/metric-table.ts'
import { SPANS } from '../packages/server/src/observe/span-table.ts'
import type { IntendedDifference } from '../packages/server/test/compat/differences.ts'
import { MAILDEV_TABLES } from '../packages/server/test/compat/maildev-differences.ts'
import { INTENDED_DIFFERENCES as MAILHOG_DIFFERENCES } from '../packages/server/test/compat/mailhog-differences.ts'
import { INTENDED_DIFFERENCES as MAILPIT_DIFFERENCES } from '../packages/server/test/compat/mailpit-differences.ts'
import { performanceFiles } from '../bench/performance/page.ts'
import { scalePage } from '../bench/scale/page.ts'
import { haveReports, readReports } from '../bench/stored-reports.ts'
import { withExamples } from './embed-examples.ts'

const root = new URL('../', import.meta.url)
const settings = Object.values(SETTINGS)

function shownDefault(value: string | null): string {
  return value === null ? '' : value.replace(/^\((.*)\)$/, '$1')
}

/** Markdown reads <domain> as an HTML element, which is not shown. */
const asText = (help: string): string => help.replaceAll('<', '&lt;')

function envExample(): string {
  const blocks = settings.map((setting) => {
    const value = setting.default?.startsWith('(') ? '' : (setting.default ?? '')
    const note = setting.default?.startsWith('(') ? ` Default: ${shownDefault(setting.default)}.` : ''
    return `# ${setting.help}${note}\n#${setting.variable}=${value}\n`
  })
  return `# Mailhatch settings. Copy this file, change what you need, and start with: mailhatch --settings <file> serve\n# All settings have working defaults.\n\n${blocks.join('\n')}`
}

function settingsPage(): string {
  const rows = settings.map(({ variable, parts, help, default: value }) => {
    const fallback = value === null ? '' : value.startsWith('(') ? shownDefault(value) : `\`${value}\``
    return `| \`${variable}\` | ${parts.join(', ') || 'serve'} | ${fallback} | ${asText(help)} |`
  })
  return [
    '# Settings',
    '',
    'Settings are read from the environment, or from a file: `mailhatch --settings <file> serve` (`.env.example` lists them all). `mailhatch',
    'serve` reads all settings, `mailhatch api` and `mailhatch worker` only their own. All problems are reported together, with exit code 78.',
    '',
    '- Each setting is also read as `MAILHATCH_<NAME>`, which wins over the plain name. Of the same name, the environment wins over the file.',
    '- `DATABASE_URL`, `DATABASE_DIRECT_URL` and `SECRET_KEY` often belong to the app under test. `mailhatch serve` takes them only with the',
    '  prefix or from a settings file, and says when it leaves them alone. `api` and `worker` take the plain names.',
    '- An unknown name in a settings file is an error that suggests the name you meant. An unknown variable `MAILHATCH_…` is a warning.',
    '- What a cluster makes of a service called `mailhatch` is ignored: `MAILHATCH_SERVICE_HOST`, `MAILHATCH_PORT=tcp://…` and so on.',
    '- `mailhatch serve --help` shows the ten most important ones first. Flags of `serve` win over all of these.',
    '',
    '| variable | read by | default | meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
}

function metricRow([name, { type, of, help, labels = {} }]: [string, MetricDeclaration]): string {
  const shownLabels = Object.entries(labels).map(([label, values]) => {
    const shownValues = typeof values === 'string' ? values : values.map((value) => `\`${value}\``).join(', ')
    return `\`${label}\`: ${shownValues}`
  })
  const programs = of === 'both' ? 'API, worker' : of === 'api' ? 'API' : 'worker'
  return `| \`${name}\` | ${type} | ${shownLabels.join('; ')} | ${programs} | ${help} |`
}

function withMetrics(page: string): string {
  const head = ['| name | type | labels | served by | meaning |', '|---|---|---|---|---|']
  return withTable(page, 'metrics', [...head, ...Object.entries<MetricDeclaration>(METRICS).map(metricRow)])
}

function withSpans(page: string): string {
  const rows = Object.entries(SPANS).map(([name, { help }]) => `| \`${name}\` | ${help} |`)
  return withTable(page, 'spans', ['| span | meaning |', '|---|---|', ...rows])
}

/** The guides about the APIs of other mail catchers, with what the comparison with each of them allows to differ. */
function peerPages(): Record<string, string> {
  const read = (name: string) => readFileSync(new URL(name, root), 'utf8')
  const withRows = (page: string, mark: string, rows: IntendedDifference[]) =>
    withTable(page, mark, [
      '| difference | why |',
      '|---|---|',
      ...rows.map(({ difference, why }) => `| ${difference} | ${why} |`),
    ])
  const { both, 2: second, 3: third } = MAILDEV_TABLES
  const [mailpit, mailhog, maildev] = ['mailpit', 'mailhog', 'maildev'].map((peer) => `docs/guide/${peer}-api.md`)
  return {
    [mailpit!]: withRows(read(mailpit!), 'what differs', MAILPIT_DIFFERENCES),
    [mailhog!]: withRows(read(mailhog!), 'what differs', MAILHOG_DIFFERENCES),
    [maildev!]: [
      ['what differs', both] as const,
      ['what differs from version 2', second] as const,
      ['what differs from version 3', third] as const,
    ].reduce((page, [mark, rows]) => withRows(page, mark, rows), read(maildev!)),
  }
}

/** Replaces the table below the comment of a page. */
function withTable(page: string, name: string, lines: string[]): string {
  const comment = `<!-- ${name} -->\n`
  return page.replace(new RegExp(`${comment}(?:\\|.*\\n)*`), () => `${comment}${lines.join('\n')}\n`)
}

/** The index of the documentation for language models, in the form of llmstxt.org: a title, a summary, and lists of links. */
function llmsIndex(): string {
  const index = readFileSync(new URL('docs/README.md', root), 'utf8')
  const sections = index.slice(index.indexOf('\n## ') + 1)
  const links = sections.replaceAll(/\]\(([^)]+)\)/g, (_, target: string) => `](${join('docs', target)})`)
  return [
    '# Mailhatch',
    '',
    '> Catches the mail that an app sends by SMTP and hands it to the test that waits for it, through a REST API, a TypeScript SDK, a',
    '> command line and MCP. `npx mailhatch` starts it: SMTP on 2525, API and dashboard on 3003, nothing to set up.',
    '',
    'Take a cursor, let the app send, then wait with `after=<cursor>`: such a wait finds new mail and never returns older mail. Give each test',
    'its own address, `<mailbox>+<tag>@<domain>`, and delete nothing between tests.',
    '',
    links,
  ].join('\n')
}

const PAGES_WITH_EXAMPLES = ['playwright', 'vitest', 'cypress', 'fetch', 'ci', 'frameworks'].map(
  (name) => `docs/guide/${name}.md`,
)
const files: Record<string, string> = {
  '.env.example': envExample(),
  'docs/reference/settings.md': settingsPage(),
  'docs/operate/monitoring.md': withMetrics(readFileSync(new URL('docs/operate/monitoring.md', root), 'utf8')),
  'docs/operate/tracing.md': withSpans(readFileSync(new URL('docs/operate/tracing.md', root), 'utf8')),
  'docs/operate/scale.md': scalePage(readReports('benchmark', 'replicas', 'scale', 'citus')),
  ...(haveReports('comparison', 'growth') && performanceFiles(readReports('comparison', 'growth'))),
  'llms.txt': llmsIndex(),
  ...peerPages(),
}
for (const name of PAGES_WITH_EXAMPLES) files[name] = withExamples(readFileSync(new URL(name, root), 'utf8'))
for (const [name, content] of Object.entries(files)) {
  const file = new URL(name, root)
  if (!process.argv.includes('--check')) writeFileSync(file, content)
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== content) {
    console.error(`${name} is outdated: run npm run docs`)
    process.exitCode = 1
  }
}
