// Writes the generated files: .env.example, docs/reference/settings.md and the examples embedded in pages. `--check` only reports whether
// they are current.
import { readFileSync, writeFileSync } from 'node:fs'
import { SETTINGS } from '../packages/server/src/program/settings.ts'
import { withExamples } from './embed-examples.ts'

const root = new URL('../', import.meta.url)
const settings = Object.values(SETTINGS)

function shownDefault(value: string | null): string {
  return value === null ? '' : value.replace(/^\((.*)\)$/, '$1')
}

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
    return `| \`${variable}\` | ${parts.join(', ') || 'serve'} | ${fallback} | ${help} |`
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

const PAGES_WITH_EXAMPLES = ['playwright', 'vitest', 'cypress', 'fetch', 'ci'].map((name) => `docs/guide/${name}.md`)
const files: Record<string, string> = { '.env.example': envExample(), 'docs/reference/settings.md': settingsPage() }
for (const name of PAGES_WITH_EXAMPLES) files[name] = withExamples(readFileSync(new URL(name, root), 'utf8'))
for (const [name, content] of Object.entries(files)) {
  const file = new URL(name, root)
  if (!process.argv.includes('--check')) writeFileSync(file, content)
  else if (readFileSync(file, 'utf8') !== content) {
    console.error(`${name} is outdated: run npm run docs`)
    process.exitCode = 1
  }
}
