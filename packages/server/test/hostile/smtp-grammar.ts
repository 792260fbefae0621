import type { SeededRandom } from '../support/seeded-random.ts'

/** What a client sends, one character per byte. Each step is sent at once, or in chunks. */
export type ClientDialogue = {
  steps: string[]
  /** Sends all steps without waiting for replies. */
  isPipelined: boolean
  /** The most bytes in one write. */
  chunkBytesMax: number
  /** How it ends after the last step: the client closes its side, or resets the connection once it has all replies. */
  ending: 'close' | 'reset'
}

/** The plain dialogue before the handshake, and what an attacker adds behind its STARTTLS. */
export type BeforeTls = { steps: string[]; injected: Injection | null }
export type Injection = { commands: string; isInSamePacket: boolean }

export const DOMAIN = 'mailhatch.test'
/** Part of every address that only smuggled or injected commands name. */
export const CANARY = 'canary'

const CHUNK_BYTES = [1, 2, 3, 7, 64, 500, Infinity, Infinity]
/** With one byte at a time, a long dialogue would take seconds. */
const BYTE_BY_BYTE_MAX = 2_000
const NOISE_PIECES = ['\r\n', '\n', '\r', '.', '\r\n.\r\n', '\n.\n', '\0', ' ', '<', '>', '"', ':', '\xff', 'DATA\r\n']

/** A session of RFC 5321 (4.1) with `name` in its addresses. Some are mutated or cut at any byte. */
export function clientDialogue(random: SeededRandom, name: string): ClientDialogue {
  const steps = session(random, name)
  if (random.chance(0.25)) mutate(random, steps)
  const isCut = random.chance(0.2)
  if (isCut) cut(random, steps)
  const length = steps.join('').length
  const chunkBytesMax = random.pick(CHUNK_BYTES)
  return {
    steps,
    isPipelined: random.chance(0.4),
    chunkBytesMax: length > BYTE_BY_BYTE_MAX ? Math.max(64, chunkBytesMax) : chunkBytesMax,
    ending: isCut && random.chance(0.5) ? 'reset' : 'close',
  }
}

/** Ends with STARTTLS. In some, an attacker adds commands for the server to execute after the handshake (RFC 3207, 5). */
export function beforeTls(random: SeededRandom, name: string): BeforeTls {
  const steps = [hello(random)]
  while (random.chance(0.3)) steps.push(random.pick([noise(random), mailCommand(random)]))
  // STARTTLS ends whatever was before it.
  steps.push(random.pick(['RSET\r\n', 'NOOP\r\n', '']), anyCase(random, 'STARTTLS\r\n'))
  if (random.chance(0.6)) return { steps, injected: null }
  const commands = random.pick([
    `${hello(random)}${smuggledMail(random, name)}`,
    `EHLO attacker.test\r\n`,
    'NOOP\r\n'.repeat(1 + random.below(5)),
    'RSET\r\nNOOP\r\nEHLO attacker.test\r\nAUTH PLAIN AHUAcA==\r\n',
    // The beginning of a command, which the client's first bytes would complete.
    'MAIL FROM:<attacker@canary.test> ',
  ])
  return { steps, injected: { commands, isInSamePacket: random.chance(0.7) } }
}

export const STARTTLS_ALONE: BeforeTls = { steps: ['EHLO client.test\r\n', 'STARTTLS\r\n'], injected: null }

function session(random: SeededRandom, name: string): string[] {
  const steps = [random.chance(0.97) ? hello(random) : noise(random)]
  const items = 1 + random.below(4)
  for (let item = 0; item < items; item++) {
    if (random.chance(0.3)) steps.push(noise(random))
    if (random.chance(0.8)) steps.push(...transaction(random, `${name}-${item}`))
  }
  if (random.chance(0.6)) steps.push(anyCase(random, 'QUIT\r\n'))
  return steps
}

function hello(random: SeededRandom): string {
  const host = random.pick(['client.test', '[127.0.0.1]', '[IPv6:::1]', 'x', 'b\xc3\xbccher.test', 'a b c', '-'])
  return `${anyCase(random, random.pick(['EHLO', 'EHLO', 'EHLO', 'HELO']))} ${host}\r\n`
}

function transaction(random: SeededRandom, name: string): string[] {
  const isBinary = random.chance(0.2)
  const steps = [mailCommand(random, isBinary ? ' BODY=BINARYMIME' : '')]
  const recipients = 1 + random.below(3)
  for (let index = 0; index < recipients; index++) steps.push(rcptCommand(random, `${name}-${index}`))
  if (random.chance(0.1)) steps.splice(random.below(steps.length), 1)
  if (random.chance(0.1)) steps.splice(random.below(steps.length + 1), 0, noise(random))
  if (random.chance(0.05)) steps.push('RSET\r\n')
  if (isBinary || random.chance(0.1)) return [...steps, ...chunks(random, content(random, name))]
  const data = content(random, name)
  return [...steps, anyCase(random, 'DATA\r\n'), `${withoutEnd(data)}\r\n.\r\n`]
}

function mailCommand(random: SeededRandom, parameter = ''): string {
  const path = random.pick(['<>', '<app@shop.example>', '<@a.test,@b.test:app@shop.example>', '<"a b>c"@shop.example>'])
  const parameters = [parameter]
  while (random.chance(0.25)) {
    parameters.push(
      random.pick([
        ' SIZE=1000',
        ' SIZE=99999999999',
        ' BODY=8BITMIME',
        ' SMTPUTF8',
        ' AUTH=<>',
        ' X=1',
        ' ',
        ' SIZE=',
      ]),
    )
  }
  return `${anyCase(random, 'MAIL FROM:')}${random.pick(['', '', '', ' '])}${path}${parameters.join('')}\r\n`
}

/** A mailbox whose tag is the name, in any form that RFC 5321 (4.1.2) and RFC 6531 allow, and some that they do not. */
function rcptCommand(random: SeededRandom, name: string): string {
  const address = `qa+${name}@${DOMAIN}`
  const path = random.pick([
    `<${address}>`,
    `<${address}>`,
    `<${address.toUpperCase()}>`,
    `<"qa+${name}"@${DOMAIN}>`,
    `<"qa\\+${name}"@${DOMAIN}>`,
    `<@relay.test,@other.test:${address}>`,
    `<qa+${name}\xc3\xbc@${DOMAIN}>`,
    `<"qa+${name} >\\" x"@${DOMAIN}>`,
    `<qa+${name}@[127.0.0.1]>`,
    address,
    `<${address}> NOTIFY=NEVER`,
    `<${address}`,
    '<Postmaster>',
    `<+${name}@${DOMAIN}>`,
    `<${'q'.repeat(300)}@${DOMAIN}>`,
  ])
  return `${anyCase(random, 'RCPT TO:')}${path}\r\n`
}

function noise(random: SeededRandom): string {
  return random.pick([
    'NOOP\r\n',
    'noop with words\r\n',
    'RSET\r\n',
    'VRFY qa\r\n',
    'EXPN qa\r\n',
    'HELP\r\n',
    'HELP MAIL\r\n',
    'AUTH PLAIN AHUAcA==\r\n',
    'AUTH LOGIN\r\ndQ==\r\ncA==\r\n',
    'AUTH LOGIN\r\n*\r\n',
    'BDAT 3\r\nabc',
    'BDAT 0 LAST\r\n',
    'BDAT x\r\n',
    'DATA\r\n',
    'DATA now\r\n',
    'STARTTLS now\r\n',
    '\r\n',
    '.\r\n',
    'XYZZY\r\n',
    'GET / HTTP/1.1\r\n',
    'NOOP\n',
    'NOOP\r',
    'NO\0OP\r\n',
    'NOOP \xff\xfe\r\n',
    '\x1b[2J\r\n',
    `NOOP ${'x'.repeat(random.pick([500, 2_000, 2_041, 2_042, 5_000]))}\r\n`,
    'MAIL\r\n',
    'RCPT TO:<>\r\n',
    'EHLO\r\n',
  ])
}

/** A mail that no other has, with lines that a careless server takes for its end. */
function content(random: SeededRandom, name: string): string {
  const lines = [`From: app@shop.example`, `Subject: ${name} ${random.below(2 ** 31)}`, '', 'Hello']
  const pieces = 1 + random.below(3)
  let body = ''
  for (let piece = 0; piece < pieces; piece++) {
    body += random.chance(0.7)
      ? `${endOfNothing(random)}${smuggledMail(random, `${name}-${piece}`)}`
      : random.pick(['.', '..', '\r\n..\r\n', 'caf\xc3\xa9', '\xff\x00', 'x'.repeat(3_000), '\r\n'.repeat(20)])
  }
  return `${lines.join('\r\n')}${body}`
}

const LINE_ENDS = ['\n', '\r', '\r\n', '\n\r', '\r\r\n', '\0\r\n', '\r\0\n', '\n\n', '\x0b', '\x85', '\xe2\x80\xa8', '']

/** A dot between two line ends, one of which is not CRLF. */
function endOfNothing(random: SeededRandom): string {
  return `${random.pick(LINE_ENDS)}${random.pick(['.', '.', '.', '.\0', '\0.', ' .', '. '])}${random.pick(LINE_ENDS)}`
}

function smuggledMail(random: SeededRandom, name: string): string {
  const end = random.pick(['\r\n', '\r\n', '\n', '\r'])
  const commands = ['MAIL FROM:<attacker@canary.test>', `RCPT TO:<qa+${CANARY}-${name}@${DOMAIN}>`, 'DATA']
  return `${commands.join(end)}${end}Subject: smuggled ${name}${end}${end}smuggled`
}

/** The only end of a mail is the one that its client sends. */
function withoutEnd(data: string): string {
  let safe = data
  while (safe.includes('\r\n.\r\n')) safe = safe.replaceAll('\r\n.\r\n', '\r\n..\r\n')
  // The client adds CRLF, dot, CRLF.
  return safe.replace(/\r\n\.$/, '\r\n..')
}

/** RFC 3030. The size counts bytes. Rarely, it is wrong, and the client sends fewer bytes than it says. */
function chunks(random: SeededRandom, data: string): string[] {
  const at = random.below(data.length)
  const parts = random.chance(0.5) ? [data] : [data.slice(0, at), data.slice(at)]
  return parts.map((part, index) => {
    const isLast = index === parts.length - 1
    const size = part.length + (random.chance(0.03) ? random.below(5) : 0)
    return `BDAT ${size}${isLast ? anyCase(random, ' LAST') : ''}\r\n${part}`
  })
}

function mutate(random: SeededRandom, steps: string[]): void {
  for (let count = 1 + random.below(3); count > 0; count--) {
    const index = random.below(steps.length)
    steps[index] = random.mutated(steps[index]!, NOISE_PIECES)
  }
}

/** Everything behind a random byte is missing. */
function cut(random: SeededRandom, steps: string[]): void {
  let left = random.below(steps.join('').length + 1)
  for (const [index, step] of steps.entries()) {
    steps[index] = step.slice(0, left)
    left = Math.max(0, left - step.length)
  }
}

function anyCase(random: SeededRandom, text: string): string {
  return random.pick([text, text, text.toLowerCase(), text[0] + text.slice(1).toLowerCase()])
}
