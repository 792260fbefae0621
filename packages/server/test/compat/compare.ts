import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { PeerName } from '../../src/compat/peers.ts'
import { readConfig } from '../../src/program/config.ts'
import { startServe } from '../../src/program/node.ts'
import { freePort } from '../support/free-port.ts'
import { COMPARED_PEERS } from './compared-peers.ts'
import { labelOf, runWith, type ComparedPeer, type ComparedServer } from './comparison.ts'
import { compareRuns, ruleFor, shown } from './differences.ts'
import { writeRecording } from './recordings.ts'

const NAMES = COMPARED_PEERS.map(labelOf).join('|')
const USAGE = `Puts the same mails and calls to another mail catcher and to Mailhatch, and prints what differs:
  npx node --conditions=mailhatch-source packages/server/test/compat/compare.ts --peer <${NAMES}>=<path of its program>
--mails and --calls set how many (500 and 2000). --record writes the answers that comparison.test.ts compares ours with.`

const { values } = parseArgs({
  options: {
    peer: { type: 'string', default: '' },
    mails: { type: 'string', default: '500' },
    calls: { type: 'string', default: '2000' },
    record: { type: 'boolean', default: false },
  },
})
const [, label, program] = /^(\w+)=(.+)$/.exec(values.peer) ?? []
const peer = COMPARED_PEERS.find((one) => labelOf(one) === label)
if (!peer || program === undefined) throw new Error(USAGE)

const counts = values.record ? peer.recorded : { mails: Number(values.mails), calls: Number(values.calls) }
const asked = { mails: counts.mails, calls: peer.calls(counts) }

const peerRun = await withPeer(peer, program, (server) => runWith(peer, server, asked))
if (values.record) writeRecording(peer, asked.calls, peerRun)
else {
  const ourRun = await withMailhatch(peer.name, (server) => runWith(peer, server, asked))
  const differences = compareRuns(asked.calls, peerRun, ourRun)
  const others = differences.filter((one) => !ruleFor(peer.intended, one))
  for (const one of others) console.log(JSON.stringify(shown(one)))
  console.log(
    `${asked.calls.length} calls, ${differences.length} values differ, ${others.length} of them for no listed reason`,
  )
  process.exitCode = others.length > 0 ? 1 : 0
}

async function withPeer<Result>(
  { start, newestId }: ComparedPeer,
  path: string,
  work: (server: ComparedServer) => Promise<Result>,
): Promise<Result> {
  const [port, smtpPort] = [await freePort(), await freePort()]
  const running = spawn(path, start({ port, smtpPort }), { stdio: 'ignore' })
  try {
    const url = `http://127.0.0.1:${port}`
    const isReady = () =>
      newestId(url, 0).then(
        () => true,
        () => false,
      )
    while (!(await isReady())) await pause(50)
    return await work({ url, smtpPort })
  } finally {
    running.kill()
    await once(running, 'exit')
  }
}

async function withMailhatch<Result>(
  compat: PeerName,
  work: (server: ComparedServer) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'mailhatch-'))
  const ports = { PORT: '0', WORKER_PORT: '0', SMTP_PORT: '0', COMPAT_PORT: '0' }
  const config = readConfig('serve', { DATA_DIR: folder, COMPAT: compat, ...ports })
  const log = { debug() {}, info() {}, warn() {}, error: console.error }
  const running = await startServe(config, log)
  try {
    return await work({ url: `http://127.0.0.1:${running.compatPort}`, smtpPort: running.smtpPort! })
  } finally {
    await running.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
