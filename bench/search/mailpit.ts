import { peerFrom } from '../peers/catalog.ts'
import { SmtpClient } from '../tasks/smtp-client.ts'
import { ask, type Asking } from './ask.ts'
import { COMMON_SHARE, messageAt } from './mail.ts'
import type { Options } from './options.ts'
import { searchesOf } from './questions.ts'
import type { Asked } from './report.ts'

const MAILPIT = 'Mailpit'
const CONNECTIONS = 8
const PROGRESS_EVERY = 5_000

/** The Mailpit query for each of our parameters. Mailpit has no search by header value. */
const QUERIES: Record<string, (term: string) => string> = {
  subject: (term) => `subject:"${term}"`,
  from: (term) => `from:"${term}"`,
  to: (term) => `to:"${term}"`,
  q: (term) => `"${term}"`,
}

/** Runs the searches of the smaller team on a Mailpit with the same mail. */
export async function askMailpit(folder: string, binary: string, count: number, options: Options): Promise<Asked[]> {
  const peer = await peerFrom('mailpit', binary).start(folder)
  await fill(peer.smtpPort, count)
  const asking: Asking = { url: `http://127.0.0.1:${peer.httpPort}`, headers: {}, countIn }
  const asked: Asked[] = []
  for (const question of searchesOf('small', count)) {
    const { term } = question
    const query = QUERIES[question.parameter]
    if (!query || !term) continue
    const path = (number: number) =>
      `/api/v1/search?limit=50&query=${encodeURIComponent(query(term(number)))}&request=${number}`
    const answers = await ask(asking, { path }, options.questions)
    asked.push({ who: MAILPIT, question: { ...question, goalMs: null }, answers })
  }
  await peer.stop()
  return asked
}

async function fill(port: number, count: number): Promise<void> {
  const mailboxes = Array.from({ length: COMMON_SHARE }, (_, number) => ({
    id: '',
    teamId: '',
    name: `box${number}`,
    domain: 'in.example',
    createdAt: 0,
    updatedAt: 0,
  }))
  const now = Date.now()
  let next = 0

  async function send(): Promise<void> {
    const client = await SmtpClient.open(port)
    while (next < count) {
      const index = next++
      if (index % PROGRESS_EVERY === 0) console.log(`Mailpit: ${index} of ${count} messages`)
      const { from, to, headers, text } = messageAt(index, count, mailboxes, now)
      const lines = [...headers.map(({ name, value }) => `${name}: ${value}`), '', ...(text ?? '').split('\n'), '.', '']
      for (const command of [`MAIL FROM:<${from}>\r\n`, `RCPT TO:<${to}>\r\n`, 'DATA\r\n', lines.join('\r\n')]) {
        await client.ask(Buffer.from(command))
      }
    }
    client.close()
  }

  await Promise.all(Array.from({ length: CONNECTIONS }, send))
}

function countIn(body: string): number {
  // The response format of Mailpit.
  return (JSON.parse(body) as { messages: unknown[] }).messages.length
}
