import { setTimeout as sleep } from 'node:timers/promises'
import { Mailhatch } from '@mailhatch/sdk'
import { vi } from 'vitest'
import { API_KEY, spawnServer } from '../support/child-server.ts'
import { preload } from '../support/preload.ts'
import { residentMegabytes } from '../support/resident-memory.ts'
import { temporaryFolder } from '../support/server.ts'
import type { LoadReport } from './load.ts'
import { startLoadProcess } from './load-process.ts'
import { slopeOf, type Sample, type Slope } from './memory-slope.ts'
import { StolenTime } from './stolen-time.ts'

const SAMPLE_EVERY_MS = 500
/** For the last mails to be announced. */
const SETTLE_MS_MAX = 60_000

export const MAILS_PER_SECOND = 300
/** A program that has just started runs slower until its code is compiled. */
export const RISE_SECONDS = 15
export const WAITS = 500
export const STREAMS = 200

export type SoakOptions = {
  minutes: number
  /** None: SQLite. */
  databaseUrl?: string
  /** Loaded into the server. */
  preloads?: string[]
  /** Loaded into the process with the SDK. */
  sdkPreloads?: string[]
  patienceMs?: number
  progress: (text: string) => void
}

export type SoakReport = {
  load: LoadReport
  /** Resident memory in MB, in the second half of the run. */
  memory: Slope
  megabytes: { halfway: number; atEnd: number }
  counters: { accepted: number; stored: number; setAside: number; waiting: number }
  messages: number
  /** Processor time that the host of the machine took away: of the whole run, and the most in a minute. */
  stolen: { percent: number; mostPercent: number }
}

/** The all-in-one program under constant load. */
export async function soak({
  minutes,
  databaseUrl,
  preloads = [],
  sdkPreloads = [],
  patienceMs,
  progress,
}: SoakOptions): Promise<SoakReport> {
  const server = spawnServer({
    environment: {
      DATA_DIR: temporaryFolder(),
      METRICS: 'on',
      ...(databaseUrl === undefined ? {} : { MAILHATCH_DATABASE_URL: databaseUrl }),
    },
    nodeArguments: preload(...preloads),
  })
  await server.ready
  const { apiUrl: url, smtpPort } = server
  const load = await startLoadProcess(
    {
      url,
      apiKey: API_KEY,
      smtpPort,
      domain: 'mailhatch.test',
      mailsPerSecond: MAILS_PER_SECOND,
      riseSeconds: RISE_SECONDS,
      waits: WAITS,
      streams: STREAMS,
      ...(patienceMs === undefined ? {} : { patienceMs }),
    },
    sdkPreloads,
  )
  const stolenTime = new StolenTime()
  const onMinute = (text: string) => {
    stolenTime.mark()
    progress(text)
  }
  const samples = await sampleMemory(server.process.pid!, minutes * 60, onMinute)
  const stolen = stolenTime.read()
  const report = await load.stop()
  const isSettled = async () => (await countersOf(url)).waiting === 0
  await vi.waitUntil(isSettled, { timeout: SETTLE_MS_MAX, interval: SAMPLE_EVERY_MS })
  const { messageCount } = await new Mailhatch({ url, apiKey: API_KEY }).me()
  const counters = await countersOf(url)
  await server.stop()
  return {
    load: report,
    memory: slopeOf(samples.slice(Math.floor(samples.length / 2))),
    megabytes: { halfway: samples[Math.floor(samples.length / 2)]!.value, atEnd: samples.at(-1)!.value },
    counters,
    messages: messageCount,
    stolen,
  }
}

async function sampleMemory(pid: number, seconds: number, onMinute: (text: string) => void): Promise<Sample[]> {
  const startedAt = performance.now()
  const samples: Sample[] = []
  let shownMinutes = 0
  for (let passed = 0; passed < seconds; passed = (performance.now() - startedAt) / 1_000) {
    samples.push({ seconds: passed, value: residentMegabytes(pid) })
    if (Math.floor(passed / 60) > shownMinutes) {
      shownMinutes = Math.floor(passed / 60)
      onMinute(`${shownMinutes} of ${Math.round(seconds / 60)} minutes, ${Math.round(samples.at(-1)!.value)} MB`)
    }
    await sleep(SAMPLE_EVERY_MS)
  }
  return samples
}

export async function countersOf(url: string) {
  const text = await (await fetch(`${url}/metrics`)).text()
  const valueOf = (name: string) => {
    const line = text.split('\n').find((each) => each.startsWith(`${name} `))
    return line === undefined ? 0 : Number(line.slice(name.length + 1))
  }
  return {
    accepted: valueOf('mailhatch_smtp_messages_total'),
    stored: valueOf('mailhatch_announcements_total{outcome="stored"}'),
    setAside: valueOf('mailhatch_set_aside_mails'),
    waiting: valueOf('mailhatch_announcements_waiting'),
  }
}
