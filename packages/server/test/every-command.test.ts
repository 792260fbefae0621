import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Mailhatch } from '@mailhatch/sdk'
import type { Argument, Command, Option } from 'commander'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { commandTree } from '../src/cli/command-tree.ts'
import { createProgram } from '../src/cli/program.ts'
import { COMMAND_JSON } from './support/command-json.ts'
import { runToExit } from './support/in-process.ts'
import { startDouble } from './support/json-double.ts'
import { serveIn } from './support/server.ts'

const PROGRAM = createProgram('0.0.0')
/** Commands that do something themselves, not only through subcommands. */
const COMMANDS = commandTree(PROGRAM).filter(({ examples }) => examples.length > 0)
/** A value that no parser of an option takes. */
const NONSENSE = '::'
/** Options whose parser only collects, so that any text is right. */
const COLLECTED = ['--attach']

function commandAt(path: string): Command {
  return path.split(' ').reduce((parent, name) => parent.commands.find((one) => one.name() === name)!, PROGRAM)
}

/** Until the end of this file. */
function stubEnvironment(values: Record<string, string>): void {
  for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value)
}

type Wrong = { line: string; words: string[]; names: string }

/** Wrong uses that follow from the declaration of the command. `names` is what the error has to name. */
function* wrongUses(path: string): Generator<Wrong> {
  const command = commandAt(path)
  const given = command.registeredArguments.filter(({ required }) => required).map(validArgument)
  const wrong = (names: string, ...more: string[]): Wrong => {
    const words = [...path.split(' '), ...more]
    return { line: words.map((word) => (word === '' ? "''" : word)).join(' '), words, names }
  }
  yield wrong('--no-such-option', ...given, ...requiredBut(command), '--no-such-option')
  const [first] = command.registeredArguments
  if (first?.required) yield wrong(first.name())
  if (first !== undefined) yield wrong(first.name(), '', ...given.slice(1))
  for (const [index, argument] of command.registeredArguments.entries()) {
    if (argument.parseArg) yield wrong(argument.name(), ...given.with(index, NONSENSE))
  }
  if (!command.registeredArguments.some(({ variadic }) => variadic)) {
    const words = command.registeredArguments.map(validArgument)
    yield wrong('too many arguments', ...words, ...requiredBut(command), 'x')
  }
  for (const option of command.options.filter(({ required }) => required)) {
    const flag = option.long!
    yield wrong(flag, ...given, flag)
    if (!mayBeEmpty(path, option)) yield wrong(flag, ...given, ...requiredBut(command, option), flag, '')
    if (option.parseArg && !COLLECTED.includes(flag)) {
      yield wrong(flag, ...given, flag, NONSENSE)
      if (option.short) yield wrong(`'${option.short} `, ...given, option.short, NONSENSE)
    }
  }
}

/** Where a text is sent or stored, it may be empty. */
function mayBeEmpty(path: string, { long }: Option): boolean {
  const texts = ['--text', '--html', '--subject', '--name', '--description']
  return (
    ['send', 'users create', 'keys create', 'webhooks create', 'webhooks update'].includes(path) &&
    texts.includes(long!)
  )
}

/** The other options without which Commander complains about them first. */
function requiredBut(command: Command, option?: Option): string[] {
  const others = command.options.filter((other) => other.mandatory && other !== option)
  return others.flatMap(({ long }) => [long!, 'sqlite:x'])
}

function validArgument({ argChoices }: Argument): string {
  return argChoices?.[0] ?? '30'
}

/** Where a command that is not refused would write. */
const folder = mkdtempSync(join(tmpdir(), 'mailhatch-'))
const before = process.cwd()

beforeAll(() => {
  process.chdir(folder)
  stubEnvironment({ DATA_DIR: join(folder, 'none'), XDG_CONFIG_HOME: folder })
})

afterAll(() => {
  vi.unstubAllEnvs()
  process.chdir(before)
  rmSync(folder, { recursive: true, force: true })
})

describe('wrong use: exit code 2, nothing on standard output, and an error that names what is wrong as it was typed', () => {
  test.each(COMMANDS.map(({ path }) => path))('%s', async (path) => {
    const uses = [...wrongUses(path)]
    expect(uses.length).toBeGreaterThan(1)
    for (const { line, words, names } of uses) {
      const { code, stdout, stderr } = await runToExit(words)
      expect({ line, code, stdout }).toEqual({ line, code: 2, stdout: '' })
      const { error } = JSON.parse(stderr) as { error: { message: string } }
      expect({ line, error }).toMatchObject({ error: { code: 'usage', category: 'user_input', retryable: false } })
      expect({ line, message: error.message }).toMatchObject({ message: expect.stringContaining(names) })
    }
  })

  test.each([
    ['delete', '--to'],
    ['delete x --to qa', 'not both'],
    ['delete --to qa', '--yes'],
    ['mailboxes delete qa', '--yes'],
    ['teams delete Checkout', '--yes'],
    ['users delete ada@corp.example', '--yes'],
    ['webhooks update x', '--target'],
    ['get x --out file', '--attachment'],
    ['status --override-name url=X', '-o env'],
    ['wait --new --after c9', '--after'],
    ['wait --new --since 1h', '--since'],
    ['settled qa --expect -1', '--expect'],
    ['settled qa --quiet 5s --timeout 5s', '--timeout must be longer than --quiet'],
    ['attempts qa --json nothing', 'Unknown field nothing. Available: id,'],
    ['send', '--to'],
    ['send --to nobody', '--to'],
    ['listen', '--forward-to'],
    ['worker retry qa', 'id'],
    ['teams plan Checkout gold', 'gold'],
    ['teams retention Checkout soon', 'days'],
    ['completion tcsh', 'powershell'],
    ['address --mailbox qa+x', '--mailbox'],
    ['status -o xml', "'-o <format>'"],
    ['status --output xml', "'--output <format>'"],
    ['status --output=xml', "'--output <format>'"],
    ['frobnicate', 'frobnicate'],
    ['help frobnicate', "unknown command 'frobnicate'"],
    ['teams help frobnicate', "unknown command 'frobnicate'"],
    ['wait --new --json id,nothing', 'Unknown field nothing. Available: id,'],
    ['tail --json codes', 'Unknown field codes.'],
    ['list --json x', 'Unknown field x.'],
    ['get --json 0199a3c2', 'Unknown field 0199a3c2.'],
    ['listen --forward-to 3000', 'http://localhost:3000/hook'],
  ])('%s', async (line, names) => {
    const { code, stdout, stderr } = await runToExit(line.split(' '))
    expect([code, stdout]).toEqual([2, ''])
    expect((JSON.parse(stderr) as { error: { message: string } }).error.message).toContain(names)
  })
})

describe('the JSON of every command matches its schema', () => {
  const values: Record<string, string> = {}
  const close: (() => unknown)[] = []

  beforeAll(async () => {
    const receiver = await startDouble(() => ({ status: 200, body: {} }))
    close.push(receiver.close)
    const adminToken = 'admin-token-of-the-tests'
    const dataDir = join(folder, 'data')
    const allowed = { WEBHOOK_ALLOWED_HOSTS: new URL(receiver.url).host, ADMIN_TOKEN: adminToken }
    const running = await serveIn(dataDir, { DATABASE_URL: '', ...allowed })
    close.push(() => running.close())
    const url = `http://127.0.0.1:${running.apiPort}`
    const { apiKey } = running.firstStart!
    stubEnvironment({
      DATA_DIR: dataDir,
      MAILHATCH_URL: url,
      MAILHATCH_API_KEY: apiKey,
      MAILHATCH_SMTP: `127.0.0.1:${running.smtpPort}`,
      WORKER_URL: `http://127.0.0.1:${running.workerPort}`,
      ADMIN_TOKEN: adminToken,
    })
    await new Mailhatch({ url, apiKey }).mailboxes.create('spare')
    values['receiver'] = `${receiver.url}/hook`
  })

  afterAll(async () => {
    for (const one of close.reverse()) await one()
  })

  test('every command has a line and a schema, or a reason why it prints no JSON', () => {
    expect(Object.keys(COMMAND_JSON).sort()).toEqual(COMMANDS.map(({ path }) => path).sort())
  })

  const lines = Object.entries(COMMAND_JSON).flatMap(([path, json]) => ('line' in json ? [{ path, ...json }] : []))

  test.each(lines)('$line', async ({ path, line, schema }) => {
    const words = line.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name]!).split(' ')
    const hasJson = commandAt(path).options.some(({ long }) => long === '--json')
    expect(hasJson).toBe(true)
    const { code, stdout, stderr } = await runToExit([...words, '--json'])
    expect({ code, stderr: stderr.replace(/^\{"note":.*\}\n$/, '') }).toEqual({ code: 0, stderr: '' })
    expect(stdout.trim().split('\n')).toHaveLength(1)
    const printed: unknown = JSON.parse(stdout)
    expect(schema.safeParse(printed).error).toBeUndefined()
    // Control: the schema refuses something else.
    expect(schema.safeParse({ another: printed }).success).toBe(false)
    expect(timesIn(printed).filter((value) => !isIsoTime(value))).toEqual([])
    remember(path, printed)
  })

  test.each([
    ['list --after =', '--after is not a cursor'],
    ['settled qa --quiet 21s', '--quiet'],
    ['list --mailbox a:b', '--mailbox: Invalid mailbox'],
    ['delete --header nonsense --yes', '--header must have the form Name:value'],
    [
      'webhooks create http://10.0.0.1/',
      '<url>: Webhook URL must use HTTPS. For a receiver on this machine, run mailhatch',
    ],
    ['webhooks create https://10.0.0.1/', 'private address. For a receiver on this machine, run mailhatch listen'],
    [
      'webhooks update 0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24 --target http://x.example',
      '--target: Webhook URL must use HTTPS.',
    ],
    ['mailboxes rename qa admin', 'Mailbox name is reserved.'],
    ['scenario add qa@mailhatch.test accept delay:8', "Step 2, 'delay:8', character 7: expected a duration such as"],
    ['scenario add qa@mailhatch.test accept --expires-in 2h30m', '--expires-in'],
    ['scenario add qa@mailhatch.test accept --expires-in 2d', '--expires-in'],
    ['teams create Shop --plan enterprise --retention-days 0', 'Retention must be 1 to 36500 days'],
    ['list --url nonsense', 'nonsense (--url) is not a server URL'],
  ])('values that only the server can refuse: %s', async (line, message) => {
    const { code, stdout, stderr } = await runToExit(line.split(' '))
    expect([code, stdout]).toEqual([2, ''])
    expect((JSON.parse(stderr) as { error: { message: string } }).error.message).toContain(message)
  })

  test.each([
    ['get nothing', 'There is no message nothing.'],
    ['get', 'There are no messages yet.'],
    ['delete nothing', 'There is no message nothing.'],
    ['webhooks test nothing', 'There is no endpoint nothing.'],
    ['webhooks update nothing --active', 'There is no endpoint nothing.'],
    ['webhooks deliveries nothing', 'There is no endpoint nothing.'],
    ['webhooks replay nothing', 'There is no endpoint nothing.'],
    ['webhooks replay nothing x', 'There is no delivery x'],
    ['webhooks rotate-secret nothing', 'There is no endpoint nothing.'],
    ['webhooks delete nothing', 'There is no endpoint nothing.'],
    ['mailboxes rename nothing x', 'There is no mailbox nothing.'],
    ['scenario show nothing', 'There is no scenario nothing, or it has ended.'],
    ['scenario remove nothing', 'There is no scenario nothing, or it has ended.'],
    ['scenario add qa@elsewhere.example accept', 'does not receive the mail for qa@elsewhere.example'],
    // Not the command of that name.
    ['mailboxes rename help x', 'There is no mailbox help.'],
    ['delete help nothing', 'There is no message help.'],
    ['import nothing.eml', 'There is no file or folder nothing.eml.'],
    ['send nothing.eml --to qa@mailhatch.test', 'There is no file or folder nothing.eml.'],
  ])('what does not exist is named: %s', async (line, message) => {
    const { code, stdout, stderr } = await runToExit(line.split(' '))
    expect([code, stdout]).toEqual([1, ''])
    expect((JSON.parse(stderr) as { error: { message: string } }).error.message).toContain(message)
  })

  test('a key that is not known: exit code 4, and an error that names the flags', async () => {
    const { code, stderr } = await runToExit(['list', '--api-key', 'another'])
    expect(code).toBe(4)
    expect(stderr).toContain('Check the API key (--api-key, or MAILHATCH_API_KEY) and the server (--url,')
  })

  /** Ids that later lines need. */
  function remember(path: string, printed: unknown): void {
    if (path === 'send') values['message'] = (printed as { ids: string[] }).ids[0]!
    if (path === 'scenario add') values['scenario'] = (printed as { id: string }).id
    if (path === 'keys create') values['key'] = (printed as { id: string }).id
    if (path === 'webhooks create') values['endpoint'] = (printed as { endpoint: { id: string } }).endpoint.id
  }
})

/** The values of all fields that hold a time, by their names. */
function timesIn(printed: unknown): unknown[] {
  if (typeof printed !== 'object' || printed === null) return []
  return Object.entries(printed).flatMap(([name, value]) =>
    /(At|^at|^time|^date|expires)$/i.test(name) && value !== null ? [value] : timesIn(value),
  )
}

function isIsoTime(value: unknown): boolean {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)
}

test('control: a time that is a number would be found', () => {
  expect(timesIn([{ createdAt: 5 }]).filter((value) => !isIsoTime(value))).toEqual([5])
})
