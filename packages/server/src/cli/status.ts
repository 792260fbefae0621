import { InvalidArgumentError, Option, type Command } from 'commander'
import { clientOf, findConnection, withSmtp, type Connection } from './connection.ts'
import { countOf } from './count-of.ts'
import { envLines } from './env-lines.ts'
import { examples } from './examples.ts'
import { print, printJson, type JsonOption } from './output.ts'
import { readSmtpAddress } from './smtp.ts'
import { describeFound, masked } from './whoami.ts'

/** MAILHATCH_SMTP_HOST and MAILHATCH_SMTP_PORT would be settings: a server in the same shell would listen there. */
const NAMES = {
  url: 'MAILHATCH_URL',
  api_key: 'MAILHATCH_API_KEY',
  smtp_host: 'MAILHATCH_MAIL_HOST',
  smtp_port: 'MAILHATCH_MAIL_PORT',
  domain: 'MAILHATCH_DOMAIN',
}
type Name = keyof typeof NAMES
type Overrides = Partial<Record<Name, string>>
type StatusOptions = JsonOption & { output?: 'env' | 'json'; overrideName?: Overrides }

export function addStatusCommand(program: Command): void {
  const command = program
    .command('status')
    .description('Show the state of the server; with -o, the connection values for programs.')
    .addOption(
      new Option('-o, --output <format>', 'print the values, including the key, as variables or JSON').choices([
        'env',
        'json',
      ]),
    )
    .option('--override-name <name=variable>', `rename a value: ${Object.keys(NAMES).join(', ')}`, readOverride)
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
      if (options.overrideName !== undefined && options.output === undefined) {
        command.error("error: option '--override-name' needs -o env or -o json")
      }
      const connection = findConnection(command)
      const mailhatch = clientOf(connection)
      const [{ team, messageCount }, { status, troubles }] = await Promise.all([mailhatch.me(), mailhatch.ready()])
      if (options.output !== undefined) return printValues(valuesOf(connection, team.domain), options)
      const { url, apiKey, smtp } = connection
      const key = apiKey && masked(apiKey)
      print(
        { url, apiKey: key, smtp, status, troubles, team, messageCount },
        [
          `${describeFound('Server', url)}, ${status}${troubles.map((problem) => `, ${problem}`).join('')}`,
          describeFound('SMTP', smtp),
          ...(key ? [describeFound('Key', key)] : []),
          `Team: ${team.name}, domain ${team.domain}, ${countOf(messageCount, 'message')}`,
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
    // Object.entries loses the type of the keys.
    const known = name as Name
    return [overrideName[known] ?? NAMES[known], value] as const
  })
  if (output === 'json') return printJson(Object.fromEntries(named), {})
  for (const line of envLines(named)) console.log(line)
}

function readOverride(text: string, previous: Overrides = {}): Overrides {
  const [, name = '', variable = ''] = /^([a-z_]+)=([A-Za-z_]\w*)$/.exec(text) ?? []
  if (!Object.hasOwn(NAMES, name)) {
    throw new InvalidArgumentError(`Expected name=VARIABLE, where name is one of ${Object.keys(NAMES).join(', ')}.`)
  }
  return { ...previous, [name]: variable }
}
