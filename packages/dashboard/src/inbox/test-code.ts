import type { MessageDetail } from '@mailhatch/sdk'

export type TestCode = { name: string; language: string; code: string }

/** The fields that the code depends on. */
export type Shown = Pick<MessageDetail, 'to' | 'subject' | 'codes' | 'links'>

/** Longer parts of a subject do not make the match more specific. */
const SUBJECT_LENGTH_MAX = 60

/** Snippets that wait for a mail like this one. Run unchanged, each passes against this mail. */
export function testCodes(message: Shown, serverUrl: string): TestCode[] {
  return [
    { name: 'Playwright', language: 'ts', code: runnerCode('playwright', message) },
    { name: 'Vitest', language: 'ts', code: runnerCode('vitest', message) },
    { name: 'SDK', language: 'ts', code: sdkCode(message) },
    { name: 'CLI', language: 'sh', code: commandCode(message) },
    { name: 'curl', language: 'sh', code: curlCode(message, serverUrl) },
    { name: 'fetch', language: 'ts', code: fetchCode(message, serverUrl) },
  ]
}

/** The longest part of the subject without codes, numbers or dates, which other messages of this kind share. */
export function stableSubject({ subject, codes }: Pick<Shown, 'subject' | 'codes'>): string {
  const values = codes.map(({ value }) => value)
  const isStable = (word: string) => !/\d/.test(word) && !values.some((value) => word.includes(value))
  const runs: string[][] = [[]]
  for (const word of subject.split(/\s+/)) {
    if (isStable(word)) runs.at(-1)!.push(word)
    else runs.push([])
  }
  const texts = runs.map((words) => cutAtWord(words.join(' ')).replaceAll(/^[\s:,.#-]+|[\s:,.#-]+$/g, ''))
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '')
}

function cutAtWord(text: string): string {
  return text.length <= SUBJECT_LENGTH_MAX ? text : text.slice(0, text.lastIndexOf(' ', SUBJECT_LENGTH_MAX))
}

function runnerCode(kit: 'playwright' | 'vitest', message: Shown): string {
  return [
    `import { expect, test } from '@mailhatch/sdk/${kit}'`,
    '',
    `test('the mail arrives', async ({ mailhatch }) => {`,
    `  const mail = await mailhatch.messages.waitFor(${matchOf(message)})`,
    ...checks(message).map((line) => `  ${line}`),
    '})',
    '',
  ].join('\n')
}

function checks(message: Shown): string[] {
  const [code] = message.codes
  const link = mainLink(message)
  return [
    code ? `expect(mail.code()).toMatch(${patternOf(code.value)})` : `expect(mail.to).toBe(${quote(message.to)})`,
    ...(link ? [`expect(mail.link(${quote(link.path)})).toContain(${quote(link.host)})`] : []),
  ]
}

function sdkCode(message: Shown): string {
  const link = mainLink(message)
  return [
    `import { Mailhatch } from '@mailhatch/sdk'`,
    '',
    'const mailhatch = new Mailhatch()',
    `const mail = await mailhatch.messages.waitFor(${matchOf(message)})`,
    ...(message.codes.length > 0 ? ['console.log(mail.code())'] : []),
    ...(link ? [`console.log(mail.link(${quote(link.path)}))`] : []),
    ...(message.codes.length === 0 && !link ? ['console.log(mail.text)'] : []),
    '',
  ].join('\n')
}

function commandCode(message: Shown): string {
  const subject = stableSubject(message)
  const part = message.codes.length > 0 ? 'code' : message.links.length > 0 ? 'link' : 'text'
  return `mailhatch wait --to ${shell(message.to)}${subject && ` --subject ${shell(subject)}`} --timeout 30s --print ${part}\n`
}

function curlCode(message: Shown, serverUrl: string): string {
  const path = `${serverUrl}/v1/messages/latest?${queryOf(message)}`
  return `curl -sf -H "Authorization: Bearer $MAILHATCH_API_KEY" ${shell(path)}\n`
}

function fetchCode(message: Shown, serverUrl: string): string {
  return [
    `const response = await fetch(${quote(`${serverUrl}/v1/messages/latest?${queryOf(message)}`)}, {`,
    '  headers: { authorization: `Bearer ${process.env.MAILHATCH_API_KEY}` },',
    '})',
    'if (!response.ok) throw new Error(await response.text())',
    'const { data: mail } = await response.json()',
    message.codes.length > 0 ? 'console.log(mail.codes[0].value)' : 'console.log(mail.subject)',
    '',
  ].join('\n')
}

function matchOf(message: Shown): string {
  const subject = stableSubject(message)
  return `{ to: ${quote(message.to)}${subject && `, subject: ${quote(subject)}`} }`
}

function queryOf(message: Shown): string {
  const subject = stableSubject(message)
  return String(new URLSearchParams({ to: message.to, ...(subject && { subject }), wait: '25' }))
}

/** The host and first path segment of the main link. The rest, such as a token, differs in each mail. */
function mainLink({ links }: Shown): { host: string; path: string } | null {
  const link = links.find(({ kind }) => kind !== 'other' && kind !== 'unsubscribe')
  if (!link || !URL.canParse(link.url)) return null
  const { host, pathname } = new URL(link.url)
  const [, first = ''] = pathname.split('/')
  return first === '' || /\d/.test(first) ? { host, path: host } : { host, path: `/${first}` }
}

function patternOf(code: string): string {
  if (/^\d+$/.test(code)) return String.raw`/^\d{${code.length}}$/`
  return /^\w+$/.test(code) ? String.raw`/^\w{${code.length}}$/` : '/./'
}

function quote(text: string): string {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)
  return `'${escaped}'`
}

function shell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
