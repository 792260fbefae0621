import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readConfig } from '../../src/program/config.ts'
import { startServe } from '../../src/program/node.ts'
import { freePort } from '../support/free-port.ts'
import { callServer, RECORDED, sendAll, type ComparedServer } from './mailpit-answers.ts'
import { comparedCalls, type ComparedCall } from './mailpit-calls.ts'
import { differencesOf, intentionOf } from './mailpit-differences.ts'
import { comparedMail } from './mailpit-mails.ts'

const USAGE = `Puts the same mails and calls to a real Mailpit and to Mailhatch, and prints what differs:
  npx node --conditions=mailhatch-source packages/server/test/compat/compare-mailpit.ts --peer mailpit=<path of its program>
--mails and --calls set how many (500 and 2000). --record writes the answers that mailpit-comparison.test.ts compares ours with.`

const { values } = parseArgs({
  options: {
    peer: { type: 'string' },
    mails: { type: 'string', default: '500' },
    calls: { type: 'string', default: '2000' },
    record: { type: 'boolean', default: false },
  },
})
const program = /^mailpit=(.+)$/.exec(values.peer ?? '')?.[1]
if (program === undefined) throw new Error(USAGE)

const counts = values.record ? RECORDED : { mails: Number(values.mails), calls: Number(values.calls) }
const mails = Array.from({ length: counts.mails }, (_, number) => comparedMail(number))
const calls = comparedCalls(counts)

const peerAnswers = await withMailpit(program, (server) => answersOf(server, calls))
if (values.record) {
  const lines = calls.map((call, index) => JSON.stringify({ call, answer: peerAnswers[index] }))
  writeFileSync(join(import.meta.dirname, 'mailpit-answers.jsonl'), `${lines.join('\n')}\n`)
} else {
  const ourAnswers = await withMailhatch((server) => answersOf(server, calls))
  const differences = calls.flatMap(({ method, path, body }, index) =>
    differencesOf(
      `${method} ${decodeURIComponent(path)} ${JSON.stringify(body) ?? ''}`,
      peerAnswers[index],
      ourAnswers[index],
      `${method} ${path.split('?')[0]}`,
    ),
  )
  const others = differences.filter((one) => !intentionOf(one))
  for (const one of others) console.log(JSON.stringify(one))
  console.log(
    `${calls.length} calls, ${differences.length} values differ, ${others.length} of them for no listed reason`,
  )
  process.exitCode = others.length > 0 ? 1 : 0
}

async function answersOf(server: ComparedServer, asked: ComparedCall[]) {
  const ids = await sendAll(server, mails)
  const answers = []
  for (const call of asked) answers.push(await callServer(server.url, call, ids))
  return answers
}

async function withMailpit<Result>(path: string, work: (server: ComparedServer) => Promise<Result>): Promise<Result> {
  const [port, smtpPort] = [await freePort(), await freePort()]
  const listening = ['--listen', `127.0.0.1:${port}`, '--smtp', `127.0.0.1:${smtpPort}`]
  const peer = spawn(path, [...listening, '--quiet', '--disable-version-check', '--max', '0'], { stdio: 'ignore' })
  try {
    const url = `http://127.0.0.1:${port}`
    while (!(await fetch(`${url}/readyz`).catch(() => null))?.ok) await pause(50)
    return await work({ url, smtpPort })
  } finally {
    peer.kill()
    await once(peer, 'exit')
  }
}

async function withMailhatch<Result>(work: (server: ComparedServer) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-'))
  const ports = { PORT: '0', WORKER_PORT: '0', SMTP_PORT: '0', COMPAT_PORT: '0' }
  const config = readConfig('serve', { DATA_DIR: folder, COMPAT: 'mailpit', ...ports })
  const log = { debug() {}, info() {}, warn() {}, error: console.error }
  const running = await startServe(config, log)
  try {
    return await work({ url: `http://127.0.0.1:${running.compatPort}`, smtpPort: running.smtpPort! })
  } finally {
    await running.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
