import { InvalidArgumentError, Option, type Command } from 'commander'
import { clientOf, findConnection, withSmtp, type Connection } from './connection.ts'
import { examples } from './examples.ts'
import { print, printJson, type JsonOption } from './output.ts'
import { readSmtpAddress } from './smtp.ts'
import { masked, sayFound } from './whoami.ts'

const NAMES = {
  url: 'MAILHATCH_URL',
  api_key: 'MAILHATCH_API_KEY',
  smtp_host: 'MAILHATCH_SMTP_HOST',
  smtp_port: 'MAILHATCH_SMTP_PORT',
  domain: 'MAILHATCH_DOMAIN',
}
type Name = keyof typeof NAMES
type Overrides = Partial<Record<Name, string>>
type StatusOptions = JsonOption & { output?: 'env' | 'json'; overrideName?: Overrides }

export function addStatusCommand(program: Command): void {
  const command = program
    .command('status')
    .description('Show what the server says of itself; or, with -o, the values that programs need.')
    .addOption(
      new Option('-o, --output <format>', 'the values, key included, as variables or JSON').choices(['env', 'json']),
    )
    .option(
      '--override-name <name=variable>',
      `call a value differently: ${Object.keys(NAMES).join(', ')}`,
      readOverride,
    )
    .option('--json', 'print JSON')
  withSmtp(command)
    .addHelpText(
      'after',
      examples(
        'mailhatch status',
        'set -a; eval "$(mailhatch status -o env)"; set +a',
        'mailhatch status -o env --override-name url=MAIL_URL --override-name api_key=MAIL_KEY >> "$GITHUB_ENV"',
      ),
    )
    .action(async (options: StatusOptions) => {
      const connection = findConnection(command)
      const mailhatch = clientOf(connection)
      const [{ team, messageCount }, { status, troubles }] = await Promise.all([mailhatch.me(), mailhatch.ready()])
      if (options.output !== undefined) return printValues(valuesOf(connection, team.domain), options)
      const { url, apiKey, smtp } = connection
      const key = apiKey && masked(apiKey)
      print(
        { url, apiKey: key, smtp, status, troubles, team, messageCount },
        [
          `${sayFound('Server', url)}, ${status}${troubles.map((trouble) => `, ${trouble}`).join('')}`,
          sayFound('SMTP', smtp),
          ...(key ? [sayFound('Key', key)] : []),
          `Team: ${team.name}, mail to ${team.domain}, ${messageCount} messages`,
        ],
        options,
      )
    })
}

function valuesOf({ url, apiKey, smtp }: Connection, domain: string): Record<Name, string> {
  const { host, port } = readSmtpAddress(smtp.value)
  return { url: url.value, api_key: apiKey?.value ?? '', smtp_host: host, smtp_port: String(port), domain }
}

function printValues(values: Record<Name, string>, { output, overrideName = {} }: StatusOptions): void {
  const named = Object.entries(values).map(([name, value]) => {
    // The keys of both are the same.
    const known = name as Name
    return [overrideName[known] ?? NAMES[known], value] as const
  })
  if (output === 'json') return printJson(Object.fromEntries(named), {})
  for (const [name, value] of named) console.log(`${name}=${quoted(value)}`)
}

/** Plain where it can be: files such as $GITHUB_ENV take quotes for a part of the value. */
function quoted(value: string): string {
  return /^[\w@%+=:,./[\]-]*$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`
}

function readOverride(text: string, previous: Overrides = {}): Overrides {
  const [, name = '', variable = ''] = /^([a-z_]+)=([A-Za-z_]\w*)$/.exec(text) ?? []
  if (!Object.hasOwn(NAMES, name)) {
    throw new InvalidArgumentError(`It must be name=VARIABLE, the name one of ${Object.keys(NAMES).join(', ')}.`)
  }
  return { ...previous, [name]: variable }
}
